// The programs of entries.cu compiled for this machine: its threads one after another, phase by phase.

#include <fenv.h>

#include "curve.h"
#include "doubles.h"
#include "words.h"

template <class F, class Before, class After>
static void run(unsigned count, const Before &before, const After &after) {
    static thread_local Shared<F> shared;
    int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    for (unsigned block = 0; block < count; block += THREADS) {
        for (unsigned thread = 0; thread < THREADS; thread++) {
            before(shared, thread, block + thread < count ? block + thread : count - 1);
        }
        for (unsigned thread = 0; thread < INVERTERS; thread++) {
            Curve<F>::invert(shared, thread);
        }
        for (unsigned thread = 0; thread < THREADS && block + thread < count; thread++) {
            after(shared, thread, block + thread);
        }
    }
    fesetround(mode);
}

template <class F> static void multiply(const uint32_t *scalar, Number *points, unsigned count) {
    run<F>(
        count,
        [&](Shared<F> &shared, unsigned thread, unsigned index) {
            Curve<F>::multiply(shared, thread, scalar, points[index]);
        },
        [&](Shared<F> &shared, unsigned thread, unsigned index) {
            points[index] = Curve<F>::divided(shared, thread);
        });
}

template <class F, class Numbers>
static void map(const Numbers &numbers, Number *points, unsigned count) {
    run<F>(
        count,
        [&](Shared<F> &shared, unsigned thread, unsigned index) {
            Curve<F>::prepare(shared, thread, numbers(index));
        },
        [&](Shared<F> &shared, unsigned thread, unsigned index) {
            points[index] = Curve<F>::mapped(shared, thread);
        });
}

extern "C" {
void multiply_words(const uint32_t *scalar, Number *points, unsigned count) {
    multiply<Words>(scalar, points, count);
}
void multiply_doubles(const uint32_t *scalar, Number *points, unsigned count) {
    multiply<Doubles>(scalar, points, count);
}
void map_words(const Expansion *expansion, Number *points, unsigned count) {
    map<Words>(
        [&](unsigned index) { return hashed(*expansion, points[index]); }, points, count);
}
void map_doubles(const Expansion *expansion, Number *points, unsigned count) {
    map<Doubles>(
        [&](unsigned index) { return hashed(*expansion, points[index]); }, points, count);
}
// Maps numbers themselves: those at the edges, which are no element's.
void elligator_words(const Wide *numbers, Number *points, unsigned count) {
    map<Words>([&](unsigned index) { return numbers[index]; }, points, count);
}
void elligator_doubles(const Wide *numbers, Number *points, unsigned count) {
    map<Doubles>([&](unsigned index) { return numbers[index]; }, points, count);
}
}
