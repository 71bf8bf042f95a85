// Numbers modulo p = 2^255 - 19 as eight words of 32 bits, for devices whose doubles are slow.
//
// A word times a word is added to two words in one instruction, which hands its carry to the next. Products with an even
// sum of places and those with an odd one are added apart, each in pairs of words, and come together at the end.

#pragma once

#include "target.h"

// Additions in a chain: _cc leaves a carry (a borrow), addc and the like take one.
#ifdef __CUDACC__

#define CHAINED(name, operation)                                                               \
    INLINE uint32_t name(uint32_t a, uint32_t b) {                                             \
        uint32_t r;                                                                            \
        asm volatile(operation " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                     \
        return r;                                                                              \
    }
#define CHAINED_PRODUCT(name, operation)                                                       \
    INLINE uint32_t name(uint32_t a, uint32_t b, uint32_t c) {                                 \
        uint32_t r;                                                                            \
        asm volatile(operation " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));         \
        return r;                                                                              \
    }
CHAINED(add_cc, "add.cc.u32")
CHAINED(addc_cc, "addc.cc.u32")
CHAINED(addc, "addc.u32")
CHAINED(sub_cc, "sub.cc.u32")
CHAINED(subc_cc, "subc.cc.u32")
CHAINED(subc, "subc.u32")
CHAINED_PRODUCT(mad_low_cc, "mad.lo.cc.u32")
CHAINED_PRODUCT(madc_low_cc, "madc.lo.cc.u32")
CHAINED_PRODUCT(madc_high_cc, "madc.hi.cc.u32")
CHAINED_PRODUCT(madc_high, "madc.hi.u32")

#else

static thread_local uint32_t chain;
INLINE uint32_t leave(uint64_t sum) { return chain = (uint32_t)(sum >> 32) & 1, (uint32_t)sum; }
INLINE uint32_t high(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
INLINE uint32_t add_cc(uint32_t a, uint32_t b) { return leave((uint64_t)a + b); }
INLINE uint32_t addc_cc(uint32_t a, uint32_t b) { return leave((uint64_t)a + b + chain); }
INLINE uint32_t addc(uint32_t a, uint32_t b) { return a + b + chain; }
INLINE uint32_t sub_cc(uint32_t a, uint32_t b) { return leave((uint64_t)a - b); }
INLINE uint32_t subc_cc(uint32_t a, uint32_t b) { return leave((uint64_t)a - b - chain); }
INLINE uint32_t subc(uint32_t a, uint32_t b) { return a - b - chain; }
INLINE uint32_t mad_low_cc(uint32_t a, uint32_t b, uint32_t c) { return add_cc(a * b, c); }
INLINE uint32_t madc_low_cc(uint32_t a, uint32_t b, uint32_t c) { return addc_cc(a * b, c); }
INLINE uint32_t madc_high_cc(uint32_t a, uint32_t b, uint32_t c) { return addc_cc(high(a, b), c); }
INLINE uint32_t madc_high(uint32_t a, uint32_t b, uint32_t c) { return addc(high(a, b), c); }

#endif

struct Words {
    typedef Number Element;

    INLINE Element load(const Number &number) { return number; }

    // The number, below 2^255 + 2^32.
    INLINE Number store(const Element &a) { return folded(a); }

    INLINE Element sum(const Element &a, const Element &b) {
        Element r;
        r.words[0] = add_cc(a.words[0], b.words[0]);
        UNROLL
        for (int k = 1; k < 8; k++) {
            r.words[k] = addc_cc(a.words[k], b.words[k]);
        }
        uint32_t over = addc(0, 0);
        // Both are below 2^255 + 2^11, so what is left of a sum that reached 2^256 is small.
        r.words[0] += 38 * over;
        return r;
    }

    INLINE Element difference(const Element &a, const Element &b) {
        Element r;
        r.words[0] = sub_cc(a.words[0], b.words[0]);
        UNROLL
        for (int k = 1; k < 8; k++) {
            r.words[k] = subc_cc(a.words[k], b.words[k]);
        }
        // What borrowed 2^256 has 38 too many; it is above 2^254, so this does not borrow again.
        uint32_t under = subc(0, 0);
        r.words[0] = sub_cc(r.words[0], 38 & under);
        UNROLL
        for (int k = 1; k < 7; k++) {
            r.words[k] = subc_cc(r.words[k], 0);
        }
        r.words[7] = subc(r.words[7], 0);
        return r;
    }

    INLINE Element product(const Element &a, const Element &b) {
        uint32_t even[18], odd[18], r[16];
        multiply<4>(even, a.words, b.words[0]);
        multiply<4>(odd, a.words + 1, b.words[0]);
        UNROLL
        for (int j = 1; j < 8; j++) {
            // a[0], a[2], … have the parity of j, a[1], a[3], … the other one; odd[k] has place k + 1.
            uint32_t *same = j % 2 ? odd + j - 1 : even + j;
            uint32_t *other = j % 2 ? even + j + 1 : odd + j;
            add_last<3>(other, a.words + 1, b.words[j], j == 1 ? 0 : other[6]);
            add<4>(same, a.words, b.words[j]);
            same[8] = addc(0, 0);
        }
        r[0] = even[0];
        r[1] = add_cc(even[1], odd[0]);
        UNROLL
        for (int k = 2; k < 15; k++) {
            r[k] = addc_cc(even[k], odd[k - 1]);
        }
        r[15] = addc(even[15], odd[14]);
        return reduced(r);
    }

    INLINE Element square(const Element &x) {
        const uint32_t *a = x.words;
        uint32_t even[16], odd[16], r[16];
        // Products of different words, once.
        multiply<3>(even + 2, a + 2, a[0]);
        multiply<4>(odd, a + 1, a[0]);
        add_last<2>(even + 4, a + 3, a[1], 0);
        add<3>(odd + 2, a + 2, a[1]);
        odd[8] = addc(0, 0);
        add<2>(even + 6, a + 4, a[2]);
        even[10] = addc(0, 0);
        add_last<2>(odd + 4, a + 3, a[2], odd[8]);
        add_last<1>(even + 8, a + 5, a[3], even[10]);
        add<2>(odd + 6, a + 4, a[3]);
        odd[10] = addc(0, 0);
        add<1>(even + 10, a + 6, a[4]);
        even[12] = addc(0, 0);
        add_last<1>(odd + 8, a + 5, a[4], odd[10]);
        add_last<0>(even + 12, a + 7, a[5], even[12]);
        add<1>(odd + 10, a + 6, a[5]);
        odd[12] = addc(0, 0);
        add_last<0>(odd + 12, a + 7, a[6], odd[12]);
        r[1] = odd[0];
        r[2] = add_cc(even[2], odd[1]);
        UNROLL
        for (int k = 3; k < 14; k++) {
            r[k] = addc_cc(even[k], odd[k - 1]);
        }
        r[14] = addc(odd[13], 0);
        // Twice that, and the squares.
        r[15] = r[14] >> 31;
        UNROLL
        for (int k = 14; k > 1; k--) {
            r[k] = r[k] << 1 | r[k - 1] >> 31;
        }
        r[1] <<= 1;
        uint64_t first = (uint64_t)a[0] * a[0];
        r[0] = (uint32_t)first;
        r[1] = add_cc(r[1], (uint32_t)(first >> 32));
        UNROLL
        for (int k = 1; k < 7; k++) {
            r[2 * k] = madc_low_cc(a[k], a[k], r[2 * k]);
            r[2 * k + 1] = madc_high_cc(a[k], a[k], r[2 * k + 1]);
        }
        r[14] = madc_low_cc(a[7], a[7], r[14]);
        r[15] = madc_high(a[7], a[7], r[15]);
        return reduced(r);
    }

    INLINE Element square_of_sum(const Element &a) { return square(a); }

    // a + factor b, for a factor below 2^17.
    INLINE Element multiple_added(const Element &a, const Element &b, uint32_t factor) {
        uint32_t even[8], odd[8];
        multiply<4>(odd, b.words + 1, factor);
        UNROLL
        for (int k = 0; k < 8; k++) {
            even[k] = a.words[k];
        }
        add<4>(even, b.words, factor);
        return merged(even, odd, addc(0, 0));
    }

    INLINE Element select(bool yes, const Element &a, const Element &b) {
        Element r;
        UNROLL
        for (int k = 0; k < 8; k++) {
            r.words[k] = yes ? a.words[k] : b.words[k];
        }
        return r;
    }

private:
    // Puts a[0], a[2], … times b into pairs of words.
    template <int PAIRS> INLINE void multiply(uint32_t *pairs, const uint32_t *a, uint32_t b) {
        UNROLL
        for (int k = 0; k < PAIRS; k++) {
            uint64_t product = (uint64_t)a[2 * k] * b;
            pairs[2 * k] = (uint32_t)product;
            pairs[2 * k + 1] = (uint32_t)(product >> 32);
        }
    }

    // Adds a[0], a[2], … times b to pairs of words, and leaves the carry.
    template <int PAIRS> INLINE void add(uint32_t *pairs, const uint32_t *a, uint32_t b) {
        UNROLL
        for (int k = 0; k < PAIRS; k++) {
            pairs[2 * k] = k == 0 ? mad_low_cc(a[0], b, pairs[0])
                                  : madc_low_cc(a[2 * k], b, pairs[2 * k]);
            pairs[2 * k + 1] = madc_high_cc(a[2 * k], b, pairs[2 * k + 1]);
        }
    }

    // The same with one pair more, which has a carry in its lower word only and takes all.
    template <int PAIRS>
    INLINE void add_last(uint32_t *pairs, const uint32_t *a, uint32_t b, uint32_t last) {
        add<PAIRS>(pairs, a, b);
        pairs[2 * PAIRS] = PAIRS == 0 ? mad_low_cc(a[0], b, last)
                                      : madc_low_cc(a[2 * PAIRS], b, last);
        pairs[2 * PAIRS + 1] = madc_high(a[2 * PAIRS], b, 0);
    }

    // Sixteen words modulo p, below 2^255 + 2^11: 2^256 is 38.
    INLINE Element reduced(uint32_t *r) {
        uint32_t odd[8];
        multiply<4>(odd, r + 9, 38);
        add<4>(r, r + 8, 38);
        return merged(r, odd, addc(0, 0));
    }

    // even + 2^32 odd + 2^256 over, modulo p.
    INLINE Element merged(const uint32_t *even, const uint32_t *odd, uint32_t over) {
        Element r;
        r.words[0] = even[0];
        r.words[1] = add_cc(even[1], odd[0]);
        UNROLL
        for (int k = 2; k < 8; k++) {
            r.words[k] = addc_cc(even[k], odd[k - 1]);
        }
        over = addc(over, odd[7]);
        // What is above 2^255 weighs 19.
        uint32_t top = over << 1 | r.words[7] >> 31;
        r.words[7] &= 0x7fffffff;
        r.words[0] = mad_low_cc(top, 19, r.words[0]);
        UNROLL
        for (int k = 1; k < 7; k++) {
            r.words[k] = addc_cc(r.words[k], 0);
        }
        r.words[7] = addc(r.words[7], 0);
        return r;
    }
};
