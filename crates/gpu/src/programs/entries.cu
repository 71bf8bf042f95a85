// The programs of a device. A thread has a point; a block's last threads may have none.

#include "curve.h"
#include "doubles.h"
#include "words.h"

INLINE Number read(const uint32_t *points, unsigned index) {
    const uint4 *halves = (const uint4 *)points + 2 * (size_t)index;
    uint4 low = halves[0], high = halves[1];
    return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}

INLINE void write(uint32_t *points, unsigned index, const Number &point) {
    const uint32_t *w = point.words;
    uint4 *halves = (uint4 *)points + 2 * (size_t)index;
    halves[0] = make_uint4(w[0], w[1], w[2], w[3]);
    halves[1] = make_uint4(w[4], w[5], w[6], w[7]);
}

template <class F> INLINE void invert(Shared<F> &shared) {
    __syncthreads();
    if (threadIdx.x < INVERTERS) {
        Curve<F>::invert(shared, threadIdx.x);
    }
    __syncthreads();
}

// Replaces points by their products with a scalar.
template <class F> INLINE void multiply(const uint32_t *scalar, uint32_t *points, unsigned count) {
    __shared__ Shared<F> shared;
    unsigned index = blockIdx.x * THREADS + threadIdx.x, last = count - 1;
    Curve<F>::multiply(shared, threadIdx.x, scalar, read(points, index < last ? index : last));
    invert(shared);
    if (index < count) {
        write(points, index, Curve<F>::divided(shared, threadIdx.x));
    }
}

// Puts points in place of the elements that are mapped to them.
template <class F> INLINE void map(const Expansion *expansion, uint32_t *points, unsigned count) {
    __shared__ Shared<F> shared;
    unsigned index = blockIdx.x * THREADS + threadIdx.x, last = count - 1;
    Number element = read(points, index < last ? index : last);
    Curve<F>::prepare(shared, threadIdx.x, hashed(*expansion, element));
    invert(shared);
    if (index < count) {
        write(points, index, Curve<F>::mapped(shared, threadIdx.x));
    }
}

#define PROGRAMS(F, name, blocks)                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks)                              \
        multiply_##name(const uint32_t *scalar, uint32_t *points, unsigned count) {            \
        multiply<F>(scalar, points, count);                                                    \
    }                                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks)                              \
        map_##name(const Expansion *expansion, uint32_t *points, unsigned count) {             \
        map<F>(expansion, points, count);                                                      \
    }

// Blocks that fit a multiprocessor at once: what leaves the numbers of a ladder in registers.
PROGRAMS(Words, words, 4)
PROGRAMS(Doubles, doubles, 3)
