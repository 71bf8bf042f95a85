//! The rounds, for each width of lanes.

/// A module with `compress`, whose functions all enable the instructions: generic ones, which cannot, would have to be inlined
/// by force, and the compiler then spills registers, for 4 % of the time.
macro_rules! compress {
    ($name:ident, $lanes:ty, $count:literal, $features:literal) => {
        pub(super) mod $name {
            use crate::sha512::BLOCK;
            use crate::sha512::constants::K;
            use crate::sha512::lanes::Lanes;
            use crate::vector::Vector;

            type L = $lanes;
            type Int = <L as Vector>::Int;
            const N: usize = $count;

            /// Compresses into each state its block, at most as many as lanes. Lanes without a block of their own repeat the
            /// last one.
            #[target_feature(enable = $features)]
            pub(in crate::sha512) fn compress(
                l: L,
                states: &mut [[u64; 8]],
                blocks: &[[u8; BLOCK]],
            ) {
                let mut window = load_words(l, blocks);
                let mut v = load_states(l, states);
                let [k @ .., last] = &K;
                for k in k {
                    sixteen_rounds::<true>(l, &mut v, &mut window, k);
                }
                sixteen_rounds::<false>(l, &mut v, &mut window, last);
                add_to_states(l, states, v);
            }

            /// Rounds t to t + 15, t being a multiple of 16. `window` holds words t to t + 15 of the message schedule; where
            /// `EXTEND`, it ends up with the next sixteen.
            #[target_feature(enable = $features)]
            #[inline]
            fn sixteen_rounds<const EXTEND: bool>(
                l: L,
                v: &mut [Int; 8],
                window: &mut [Int; 16],
                k: &[u64; 16],
            ) {
                round::<0, EXTEND>(l, v, window, k);
                round::<1, EXTEND>(l, v, window, k);
                round::<2, EXTEND>(l, v, window, k);
                round::<3, EXTEND>(l, v, window, k);
                round::<4, EXTEND>(l, v, window, k);
                round::<5, EXTEND>(l, v, window, k);
                round::<6, EXTEND>(l, v, window, k);
                round::<7, EXTEND>(l, v, window, k);
                round::<8, EXTEND>(l, v, window, k);
                round::<9, EXTEND>(l, v, window, k);
                round::<10, EXTEND>(l, v, window, k);
                round::<11, EXTEND>(l, v, window, k);
                round::<12, EXTEND>(l, v, window, k);
                round::<13, EXTEND>(l, v, window, k);
                round::<14, EXTEND>(l, v, window, k);
                round::<15, EXTEND>(l, v, window, k);
            }

            /// Round t, `T` being t modulo 16. Instead of moving every working variable to the next, each round counts them from
            /// one place further.
            #[target_feature(enable = $features)]
            #[inline]
            fn round<const T: usize, const EXTEND: bool>(
                l: L,
                v: &mut [Int; 8],
                window: &mut [Int; 16],
                k: &[u64; 16],
            ) {
                let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (i + 16 - T) % 8);
                let word = l.add(v[h], l.add(window[T], l.broadcast(&k[T])));
                let choice = l.choice(v[e], v[f], v[g]);
                let majority = l.majority(v[a], v[b], v[c]);
                let t1 = l.add(l.add(word, choice), sum_1(l, v[e]));
                v[d] = l.add(v[d], t1);
                v[h] = l.add(t1, l.add(majority, sum_0(l, v[a])));
                if EXTEND {
                    let old = l.add(window[T], window[(T + 9) % 16]);
                    let new =
                        l.add(sigma_0(l, window[(T + 1) % 16]), sigma_1(l, window[(T + 14) % 16]));
                    window[T] = l.add(old, new);
                }
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn sum_0(l: L, x: Int) -> Int {
                l.xor_3(l.rotate::<28, 36>(x), l.rotate::<34, 30>(x), l.rotate::<39, 25>(x))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn sum_1(l: L, x: Int) -> Int {
                l.xor_3(l.rotate::<14, 50>(x), l.rotate::<18, 46>(x), l.rotate::<41, 23>(x))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn sigma_0(l: L, x: Int) -> Int {
                l.xor_3(l.rotate::<1, 63>(x), l.rotate_8(x), l.right::<7>(x))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn sigma_1(l: L, x: Int) -> Int {
                l.xor_3(l.rotate::<19, 45>(x), l.rotate::<61, 3>(x), l.right::<6>(x))
            }

            /// The sixteen words of each block: vector t has word t of every lane.
            #[target_feature(enable = $features)]
            #[inline]
            fn load_words(l: L, blocks: &[[u8; BLOCK]]) -> [Int; 16] {
                let last = blocks.len() - 1;
                let mut window = [l.splat(0); 16];
                for (part, words) in window.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                    for (lane, row) in words.iter_mut().enumerate() {
                        *row = l.load_big_endian(&blocks[last.min(lane)].as_chunks().0[N * part..]);
                    }
                    *words = l.transpose(*words);
                }
                window
            }

            /// The working variables: vector i has word i of every lane.
            #[target_feature(enable = $features)]
            #[inline]
            fn load_states(l: L, states: &[[u64; 8]]) -> [Int; 8] {
                let last = states.len() - 1;
                let mut v = [l.splat(0); 8];
                for (part, words) in v.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                    for (lane, row) in words.iter_mut().enumerate() {
                        *row = l.load(&states[last.min(lane)][N * part..]);
                    }
                    *words = l.transpose(*words);
                }
                v
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn add_to_states(l: L, states: &mut [[u64; 8]], v: [Int; 8]) {
                for (part, words) in v.as_chunks::<N>().0.iter().enumerate() {
                    for (state, word) in states.iter_mut().zip(l.transpose(*words)) {
                        let state = &mut state[N * part..];
                        l.store(state, l.add(l.load(state), word));
                    }
                }
            }
        }
    };
}

compress!(four, crate::vector::V4, 4, "avx2");
compress!(eight, crate::vector::V8, 8, "avx512f,avx512bw");
