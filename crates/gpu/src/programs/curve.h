// Curve25519 by u-coordinates, in the numbers of F: the ladder of RFC 7748 and Elligator 2 of RFC 9380.
//
// Each thread has a point. The threads of a block put what they need inverted into memory that they share, and some of
// them invert, four numbers each, with one power. No branch and no address depends on a key or a point.

#pragma once

#include "hash.h"
#include "target.h"

// What a block's threads share. `below` is what is inverted.
template <class F> struct Shared {
    typename F::Element above[THREADS], below[THREADS];
};

template <class F> struct Curve {
    typedef typename F::Element Element;

    // Puts X and Z of the product of a point with a scalar, clamped as RFC 7748 says. The neutral element becomes 0 and 1.
    //
    // A step per bit doubles one of two points and adds them; bits 2 to 0 are 0. Each point is the sum and the difference
    // of its X and Z, as the formulas take it. An exchange of the points falls on the doubled one alone: it changes but the
    // sign of what is squared.
    INLINE void multiply(Shared<F> &shared, int thread, const uint32_t *scalar, const Number &point) {
        Element one = small(1);
        Number number = point;
        number.words[7] &= 0x7fffffff;
        Element u = F::load(number);
        Element other_sum = F::sum(u, one), other_difference = F::difference(u, one);
        // X and Z of the neutral element are 1 and 0.
        Element sum = one, difference = one;
        uint32_t before = 0;
        ROLLED
        for (int bit = 254; bit >= 3; bit--) {
            uint32_t now = scalar[bit / 32] >> (bit % 32) & 1;
            bool exchanged = now != before;
            before = now;
            Element da = F::product(other_difference, sum);
            Element cb = F::product(other_sum, difference);
            Fraction two = twice(F::select(exchanged, other_sum, sum),
                                 F::select(exchanged, other_difference, difference));
            Element x3 = F::square_of_sum(F::sum(da, cb));
            Element z3 = F::product(u, F::square(F::difference(da, cb)));
            sum = F::sum(two.x, two.z);
            difference = F::difference(two.x, two.z);
            other_sum = F::sum(x3, z3);
            other_difference = F::difference(x3, z3);
        }
        sum = F::select(before, other_sum, sum);
        difference = F::select(before, other_difference, difference);
        Fraction product = doubled(sum, difference, 3);
        bool neutral = is_zero(F::store(product.z)) != 0;
        shared.above[thread] = F::select(neutral, small(0), product.x);
        shared.below[thread] = F::select(neutral, one, product.z);
    }

    // The quotient.
    INLINE Number divided(const Shared<F> &shared, int thread) {
        return canonical(F::store(times(shared.above[thread], shared.below[thread])));
    }

    // Puts a number r and 1 + 2r^2.
    INLINE void prepare(Shared<F> &shared, int thread, const Wide &number) {
        // 2^256 is 38.
        Element r = F::multiple_added(F::load(folded(number.low)), F::load(number.high), 38);
        Element square = squared(r);
        shared.above[thread] = r;
        shared.below[thread] = reduced(F::sum(small(1), reduced(F::sum(square, square))));
    }

    // Where Elligator 2 takes r, from 1 / (1 + 2r^2): with g(u) = u^3 + A u^2 + u, it is u = -A / (1 + 2r^2) if g(u) is a
    // square, and -u - A else. Neither 1 + 2r^2 nor g(u) is ever 0.
    INLINE Number mapped(const Shared<F> &shared, int thread) {
        Element one = small(1), a = small(486662); // the curve's coefficient
        Element opposite = times(a, shared.below[thread]);
        Element first = F::difference(small(0), opposite);
        Element g = times(F::difference(a, opposite), first);
        g = times(F::sum(g, one), first);
        Element power = power_of_two_to_252_less_3(g);
        // To (p - 1) / 2 = 4 (2^252 - 3) + 2: 1 for a square.
        power = squared(power, 2);
        power = times(power, squared(g));
        bool is_square = is_zero(F::store(reduced(F::difference(power, one)))) != 0;
        return canonical(F::store(reduced(F::select(is_square, first, F::difference(opposite, a)))));
    }

    // Replaces four of `below`, none of them 0, by their inverses.
    INLINE void invert(Shared<F> &shared, int inverter) {
        enum { EACH = THREADS / INVERTERS };
        Element before[EACH], all = shared.below[inverter];
        UNROLL
        for (int k = 1; k < EACH; k++) {
            before[k] = all;
            all = times(all, shared.below[inverter + k * INVERTERS]);
        }
        // To p - 2 = 8 (2^252 - 3) + 3.
        Element inverse = power_of_two_to_252_less_3(all);
        inverse = times(squared(inverse, 3), times(all, squared(all)));
        UNROLL
        for (int k = EACH - 1; k > 0; k--) {
            Element *place = &shared.below[inverter + k * INVERTERS];
            Element next = times(inverse, *place);
            *place = times(inverse, before[k]);
            inverse = next;
        }
        shared.below[inverter] = inverse;
    }

private:
    // A point with the coordinate x / z.
    struct Fraction {
        Element x, z;
    };

    INLINE Element small(uint32_t value) {
        Number number = {};
        number.words[0] = value;
        return F::load(number);
    }

    // X and Z of twice a point: 4XZ times (X + Z)^2 + (A - 2)/4 4XZ is Z.
    INLINE Fraction twice(const Element &sum, const Element &difference) {
        Element aa = F::square_of_sum(sum);
        Element bb = F::square(difference);
        Element e = F::difference(aa, bb);
        return {F::product(aa, bb), F::product(e, F::multiple_added(aa, e, 121665))};
    }

    CALLED Fraction doubled(Element sum, Element difference, int often) {
        Fraction two;
        ROLLED
        for (int k = 0; k < often; k++) {
            two = twice(sum, difference);
            sum = F::sum(two.x, two.z);
            difference = F::difference(two.x, two.z);
        }
        return two;
    }

    CALLED Element times(Element a, Element b) { return F::product(a, b); }

    // Of a sum or a reduced number.
    CALLED Element squared(Element a, int often = 1) {
        ROLLED
        for (int k = 0; k < often; k++) {
            a = F::square_of_sum(a);
        }
        return a;
    }

    INLINE Element reduced(const Element &a) { return times(a, small(1)); }

    // Of a reduced number.
    CALLED Element power_of_two_to_252_less_3(Element a) {
        // Names say how many ones the exponent has.
        Element two = times(squared(a), a);
        Element four = times(squared(two, 2), two);
        Element five = times(squared(four, 1), a);
        Element ten = times(squared(five, 5), five);
        Element twenty = times(squared(ten, 10), ten);
        Element forty = times(squared(twenty, 20), twenty);
        Element fifty = times(squared(forty, 10), ten);
        Element hundred = times(squared(fifty, 50), fifty);
        Element two_hundred = times(squared(hundred, 100), hundred);
        Element most = times(squared(two_hundred, 50), fifty);
        return times(squared(most, 2), a);
    }
};
