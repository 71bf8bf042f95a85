// What a processor of graphics and one of this machine do differently: the same arithmetic is compiled for both.

#pragma once

#include <stdint.h>

#ifdef __CUDACC__

#define METHOD __device__ __forceinline__
// Code that many places share, and that takes little of the time.
#define CALLED static __device__ __noinline__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
// What all threads read in the same place at once.
#define TABLE static __constant__ const

#else

#include <math.h>
#include <string.h>

#define METHOD inline
#define CALLED static inline
#define UNROLL
#define ROLLED
#define TABLE static const

#endif

#define INLINE static METHOD

// Threads of a block, which share a round of inversions, and how many of them invert.
enum { THREADS = 128, INVERTERS = 32 };

// Numbers below 2^256 as they lie in memory: eight words, the lowest first.
struct Number {
    uint32_t words[8];
};

// The same number modulo p = 2^255 - 19, below 2^255 + 19.
INLINE Number folded(const Number &number) {
    Number result;
    uint64_t carry = 19 * (number.words[7] >> 31);
    UNROLL
    for (int k = 0; k < 8; k++) {
        carry += k == 7 ? number.words[k] & 0x7fffffff : number.words[k];
        result.words[k] = (uint32_t)carry;
        carry >>= 32;
    }
    return result;
}

// The one of 0..p that a number below 2^255 + 2^32 is modulo p.
INLINE Number canonical(const Number &number) {
    // It is at least p if and only if adding 19 reaches 2^255.
    Number more;
    uint64_t carry = 19;
    UNROLL
    for (int k = 0; k < 8; k++) {
        carry += number.words[k];
        more.words[k] = (uint32_t)carry;
        carry >>= 32;
    }
    uint32_t reaches = 0 - (more.words[7] >> 31);
    Number result;
    UNROLL
    for (int k = 0; k < 8; k++) {
        result.words[k] = (more.words[k] & reaches) | (number.words[k] & ~reaches);
    }
    result.words[7] &= 0x7fffffff;
    return result;
}

// Whether a number below 2^255 + 2^32 is 0 modulo p, as a mask.
INLINE uint32_t is_zero(const Number &number) {
    Number reduced = canonical(number);
    uint32_t bits = 0;
    UNROLL
    for (int k = 0; k < 8; k++) {
        bits |= reduced.words[k];
    }
    return (uint32_t)(((uint64_t)bits - 1) >> 32);
}
