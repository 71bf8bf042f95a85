// Numbers for the map from elements: expand_message_xmd of RFC 9380 with SHA-512 (FIPS 180-4), where each of the two hashes
// ends with one block.

#pragma once

#include "target.h"

// What the hashes have beside an element: the states before their last blocks, and these blocks, with zeros for what differs.
struct Expansion {
    uint64_t states[2][8], blocks[2][16];
};

// A number of 48 bytes.
struct Wide {
    Number low, high;
};

// The first 64 bits of the fractions of the cube roots of the first 80 primes.
TABLE uint64_t ROUNDS[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

INLINE uint64_t rotated(uint64_t word, int by) { return word >> by | word << (64 - by); }

// The words of an element's bytes, the first highest.
INLINE uint64_t big_endian(const Number &element, int index) {
    uint64_t word = 0;
    UNROLL
    for (int k = 0; k < 2; k++) {
        uint32_t half = element.words[2 * index + k];
        half = half >> 24 | (half >> 8 & 0xff00) | (half & 0xff00) << 8 | half << 24;
        word = word << 32 | half;
    }
    return word;
}

// Compresses a block into a state. Of the schedule the last sixteen words are kept, over which the block lies.
INLINE void compress(uint64_t *state, uint64_t *w) {
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
    ROLLED
    for (int round = 0; round < 80; round += 16) {
        UNROLL
        for (int k = 0; k < 16; k++) {
            uint64_t big = rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41);
            uint64_t first = h + big + ((e & f) ^ (~e & g)) + ROUNDS[round + k] + w[k];
            big = rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39);
            uint64_t second = big + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first;
            d = c, c = b, b = a, a = first + second;
            uint64_t next = w[(k + 1) % 16], late = w[(k + 14) % 16];
            w[k] += rotated(next, 1) ^ rotated(next, 8) ^ next >> 7;
            w[k] += w[(k + 9) % 16] + (rotated(late, 19) ^ rotated(late, 61) ^ late >> 6);
        }
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

// The number of an element of 32 bytes. The first hash takes the element, the second the first one's digest.
INLINE Wide hashed(const Expansion &expansion, const Number &element) {
    uint64_t digest[8] = {}, block[16];
    UNROLL
    for (int k = 0; k < 4; k++) {
        digest[k] = big_endian(element, k);
    }
    ROLLED
    for (int hash = 0; hash < 2; hash++) {
        UNROLL
        for (int k = 0; k < 16; k++) {
            block[k] = expansion.blocks[hash][k] | (k < 8 ? digest[k] : 0);
        }
        UNROLL
        for (int k = 0; k < 8; k++) {
            digest[k] = expansion.states[hash][k];
        }
        compress(digest, block);
    }
    Wide number = {};
    UNROLL
    for (int k = 0; k < 6; k++) {
        uint32_t *words = k < 2 ? number.high.words + 2 * (1 - k) : number.low.words + 2 * (5 - k);
        words[0] = (uint32_t)digest[k];
        words[1] = (uint32_t)(digest[k] >> 32);
    }
    return number;
}
