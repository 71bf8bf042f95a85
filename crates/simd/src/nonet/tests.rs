use proptest::prelude::*;

use super::*;

const MASK: u128 = (1 << Nonet::BITS) - 1;

proptest! {
    #[test]
    fn nonets_count_as_numbers_do(a: u128, b: u128) {
        let [x, y] = [a, b].map(Nonet::truncate);
        prop_assert_eq!(u128::from(x), a & MASK);
        prop_assert_eq!(u128::from(x ^ y), (a ^ b) & MASK);
        prop_assert_eq!(u128::from(x & y), a & b & MASK);
        let mut sum = x;
        sum ^= y;
        prop_assert!(sum == x ^ y);
    }

    #[test]
    fn every_kernel_maps_bit_by_bit(
        images in prop::collection::vec(any::<u128>(), Nonet::BITS),
        numbers in prop::collection::vec(any::<(u128, u128)>(), 0..30),
    ) {
        let (starts, nonets): (Vec<u128>, Vec<u128>) = numbers.into_iter().unzip();
        let map = NonetMap::new(|bit| images[bit]);
        let image = |nonet: u128| {
            let set = (0..Nonet::BITS).filter(|bit| nonet >> bit & 1 == 1);
            set.fold(0, |sum, bit| sum ^ images[bit])
        };
        let want: Vec<u128> =
            starts.iter().zip(&nonets).map(|(start, nonet)| start ^ image(*nonet)).collect();
        let nonets: Vec<Nonet> = nonets.into_iter().map(Nonet::truncate).collect();
        for kernel in Kernel::available() {
            let mut sums = starts.clone();
            map.add_with(kernel, &mut sums, &nonets);
            prop_assert_eq!(&sums, &want, "{:?}", kernel);
        }
    }
}
