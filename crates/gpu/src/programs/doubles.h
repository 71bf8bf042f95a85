// Numbers modulo p = 2^255 - 19 as five doubles of 51 bits, for devices whose doubles are fast.
//
// A product of two doubles is taken apart at 2^52 by two fused multiply-adds that round towards zero (Emmart, Zheng and
// Weems, "Faster modular exponentiation using double precision floating point arithmetic on the GPU", ARITH 2018). Both
// parts have a fixed exponent, so their bits are added as integers, and what the exponents add is known.

#pragma once

#include "target.h"

#ifdef __CUDACC__

INLINE double multiply_add(double a, double b, double c) { return __fma_rz(a, b, c); }
INLINE uint64_t bits_of(double a) { return (uint64_t)__double_as_longlong(a); }
INLINE double of_bits(uint64_t bits) { return __longlong_as_double((long long)bits); }

#else

// Rounds towards zero, too: whoever runs this sets that mode. All other sums are exact.
INLINE double multiply_add(double a, double b, double c) { return fma(a, b, c); }
INLINE uint64_t bits_of(double a) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
INLINE double of_bits(uint64_t bits) {
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

#endif

#define TWO_52 4503599627370496.0
#define TWO_104 (TWO_52 * TWO_52)

struct Doubles {
    // Limbs of a reduced number are from 0 to 2^51, those of a sum up to 2^52, those of a difference from -2^51 to 2^51.
    struct Element {
        double limbs[5];
    };

    INLINE Element load(const Number &number) {
        Element r;
        UNROLL
        for (int k = 0; k < 5; k++) {
            int word = 51 * k / 32, bit = 51 * k % 32;
            uint64_t low = number.words[word] | (uint64_t)number.words[word + 1] << 32;
            uint64_t limb = low >> bit;
            if (bit > 13) {
                limb |= (uint64_t)number.words[word + 2] << (64 - bit);
            }
            r.limbs[k] = of_bits((k == 4 ? limb : limb & MASK) | LOW_BITS) - TWO_52;
        }
        return r;
    }

    // The number, below 2^255 + 2^32, of a reduced one.
    INLINE Number store(const Element &a) {
        Number r = {};
        uint64_t carry = 0;
        UNROLL
        for (int k = 0; k < 5; k++) {
            carry += bits_of(a.limbs[k] + TWO_52) - LOW_BITS;
            uint64_t limb = k == 4 ? carry : carry & MASK;
            carry >>= 51;
            int word = 51 * k / 32, bit = 51 * k % 32;
            r.words[word] |= (uint32_t)(limb << bit);
            r.words[word + 1] |= (uint32_t)(limb >> (32 - bit));
            if (bit > 13) {
                r.words[word + 2] |= (uint32_t)(limb >> (64 - bit));
            }
        }
        return folded(r);
    }

    INLINE Element sum(const Element &a, const Element &b) {
        Element r;
        UNROLL
        for (int k = 0; k < 5; k++) {
            r.limbs[k] = a.limbs[k] + b.limbs[k];
        }
        return r;
    }

    INLINE Element difference(const Element &a, const Element &b) {
        Element r;
        UNROLL
        for (int k = 0; k < 5; k++) {
            r.limbs[k] = a.limbs[k] - b.limbs[k];
        }
        return r;
    }

    // Not of two sums, whose products may exceed 2^103.
    INLINE Element product(const Element &a, const Element &b) {
        Columns columns = {};
        UNROLL
        for (int i = 0; i < 5; i++) {
            UNROLL
            for (int j = 0; j < 5; j++) {
                columns.add(i + j, Parts<true>(a.limbs[i], b.limbs[j]));
            }
        }
        return reduced<true, 25>(columns);
    }

    // Not of a sum.
    INLINE Element square(const Element &a) {
        Columns columns = {};
        Element twice = sum(a, a);
        UNROLL
        for (int i = 0; i < 5; i++) {
            columns.add(2 * i, Parts<true>(a.limbs[i], a.limbs[i]));
            UNROLL
            for (int j = i + 1; j < 5; j++) {
                columns.add(i + j, Parts<true>(a.limbs[i], twice.limbs[j]));
            }
        }
        return reduced<true, 15>(columns);
    }

    // Of a sum or a reduced number.
    INLINE Element square_of_sum(const Element &a) {
        Columns columns = {}, once = {};
        UNROLL
        for (int i = 0; i < 5; i++) {
            columns.add(2 * i, Parts<false>(a.limbs[i], a.limbs[i]));
            UNROLL
            for (int j = i + 1; j < 5; j++) {
                once.add(i + j, Parts<false>(a.limbs[i], a.limbs[j]));
            }
        }
        UNROLL
        for (int k = 0; k < 9; k++) {
            columns.low[k] += 2 * once.low[k];
            columns.high[k] += 2 * once.high[k];
        }
        return reduced<false, 25>(columns);
    }

    // a + factor b, for a reduced a and a factor below 2^17.
    INLINE Element multiple_added(const Element &a, const Element &b, uint32_t factor) {
        uint64_t columns[6] = {};
        UNROLL
        for (int k = 0; k < 5; k++) {
            Parts<true> parts(b.limbs[k], (double)factor);
            columns[k] += parts.low + bits_of(a.limbs[k] + TWO_52) + (positive(k) - 2 * LOW_BITS);
            columns[k + 1] += 2 * (parts.high - bias_bits(true));
        }
        columns[0] += 19 * columns[5];
        return carried(columns);
    }

    INLINE Element select(bool yes, const Element &a, const Element &b) {
        Element r;
        UNROLL
        for (int k = 0; k < 5; k++) {
            r.limbs[k] = yes ? a.limbs[k] : b.limbs[k];
        }
        return r;
    }

private:
    static constexpr uint64_t MASK = (1ull << 51) - 1;
    // The bits of 2^52, over which an integer below 2^52 lies as it is.
    static constexpr uint64_t LOW_BITS = 0x433ull << 52;

    // What keeps the upper part of a product at multiples of 2^52: for products from -2^103 to 2^103, or from 0 to 2^104.
    static constexpr double bias(bool negative) { return negative ? 1.5 * TWO_104 : TWO_104; }
    static constexpr uint64_t bias_bits(bool negative) { return (negative ? 0x4678ull : 0x4670ull) << 48; }

    // A product as 2^52 high + low, both as bits over their bias.
    template <bool NEGATIVE> struct Parts {
        uint64_t high, low;

        METHOD Parts(double a, double b) {
            double upper = multiply_add(a, b, bias(NEGATIVE));
            high = bits_of(upper);
            low = bits_of(multiply_add(a, b, bias(NEGATIVE) + TWO_52 - upper));
        }
    };

    // Sums of parts by place; the upper parts weigh 2^52, twice the next place.
    struct Columns {
        uint64_t low[9], high[9];

        template <class P> METHOD void add(int place, const P &parts) {
            low[place] += parts.low;
            high[place] += parts.high;
        }
    };

    // How many parts have this place, of 25 products or of 15 whose factors stand in order.
    static constexpr uint64_t parts(int place, int products) {
        int all = place < 0 || place > 8 ? 0 : place < 5 ? place + 1 : 9 - place;
        return products == 25 ? all : (all + 1) / 2;
    }

    // What the biases add to a place.
    static constexpr uint64_t biases(int place, int products, bool negative) {
        return parts(place, products) * LOW_BITS + 2 * parts(place - 1, products) * bias_bits(negative);
    }

    // A limb of 2^9 p, which makes a column positive.
    static constexpr uint64_t positive(int place) { return ((1ull << 51) - (place == 0 ? 19 : 1)) << 9; }

    // Columns modulo p: 2^255 is 19. All sums are modulo 2^64, and what remains is below 2^63.
    template <bool NEGATIVE, int PRODUCTS> INLINE Element reduced(const Columns &columns) {
        uint64_t c[10];
        c[0] = columns.low[0];
        UNROLL
        for (int k = 1; k < 9; k++) {
            c[k] = columns.low[k] + 2 * columns.high[k - 1];
        }
        c[9] = 2 * columns.high[8];
        UNROLL
        for (int k = 0; k < 5; k++) {
            c[k] += 19 * c[k + 5]
                + (positive(k) - biases(k, PRODUCTS, NEGATIVE) - 19 * biases(k + 5, PRODUCTS, NEGATIVE));
        }
        return carried(c);
    }

    // Five columns below 2^63 as limbs of 0 to 2^51.
    INLINE Element carried(uint64_t *c) {
        UNROLL
        for (int k = 0; k < 4; k++) {
            c[k + 1] += (uint32_t)(c[k] >> 51);
        }
        c[0] = (c[0] & MASK) + 19 * (c[4] >> 51);
        c[1] = (c[1] & MASK) + (uint32_t)(c[0] >> 51);
        Element r;
        UNROLL
        for (int k = 0; k < 5; k++) {
            r.limbs[k] = of_bits((k == 1 ? c[k] : c[k] & MASK) + LOW_BITS) - TWO_52;
        }
        return r;
    }
};
