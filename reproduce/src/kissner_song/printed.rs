//! Algorithm 1 of the paper as its steps are printed: Karatsuba's trick once for each pair of coefficients, and no recursion.
//!
//! Steps 1 to 3 take a product for each coefficient, h_i = γ_i·f_i, and steps 4 to 8 one for each pair,
//! h_st = (γ_s + γ_t)·(f_s + f_t). So there are (k + 1)(k + 2)/2 of them: half of the schoolbook's, and not k^1.585, which proposition 1
//! says of the recursion that equation (1) has.

use veilset_crypto::Field;
use veilset_poly::{Module, Scalar};

/// The product of two polynomials of as many coefficients, at least one.
pub(super) fn multiply<M: Module>(
    module: &M,
    plain: &[Scalar<M>],
    poly: &[M::Element],
) -> Vec<M::Element> {
    let len = plain.len();
    // Steps 1 to 3.
    let mut squares = poly.to_vec();
    module.scale(plain, &mut squares);
    // Steps 4 to 8.
    let pairs: Vec<[usize; 2]> = (0..len).flat_map(|s| (s + 1..len).map(move |t| [s, t])).collect();
    let sums: Vec<Scalar<M>> =
        pairs.iter().map(|[s, t]| module.field().add(&plain[*s], &plain[*t])).collect();
    let mut crossed: Vec<M::Element> = pairs.iter().map(|[s, _]| poly[*s].clone()).collect();
    let others: Vec<M::Element> = pairs.iter().map(|[_, t]| poly[*t].clone()).collect();
    module.add(&mut crossed, &others);
    module.scale(&sums, &mut crossed);
    // Steps 9 to 16. Where s + t = i, g_i has h_st less h_s and h_t; and h_(i/2), if i is even.
    let mut product = vec![module.zero(); 2 * len - 1];
    for (i, square) in squares.iter().enumerate() {
        module.add(&mut product[2 * i..=2 * i], std::slice::from_ref(square));
    }
    for ([s, t], crossed) in pairs.iter().zip(&crossed) {
        let place = &mut product[s + t..=s + t];
        module.add(place, std::slice::from_ref(crossed));
        module.sub(place, &squares[*s..=*s]);
        module.sub(place, &squares[*t..=*t]);
    }
    product
}

/// How many products of a coefficient and a ciphertext that takes for polynomials of degree k.
pub(super) fn scalings(k: usize) -> u64 {
    let k = k as u64;
    (k + 1) * (k + 2) / 2
}

#[cfg(test)]
mod tests {
    use veilset_poly::{Counting, Field25519, Itself, Multiplication};

    use super::*;

    #[test]
    fn it_is_the_product_in_as_many_products() {
        let field = Field25519::new();
        for k in [0, 1, 2, 7, 20] {
            let [plain, poly] = [3, 5].map(|seed| {
                (0..=k as u64).map(|i| field.element(seed + i * i)).collect::<Vec<_>>()
            });
            let plainly = Itself(&field);
            let expected =
                veilset_poly::multiply(&plainly, Multiplication::Schoolbook, &plain, &poly);
            let counting = Counting::new(plainly);
            assert!(multiply(&counting, &plain, &poly) == expected.expect("any field"), "{k}");
            assert_eq!(counting.operations().scalings, scalings(k), "{k}");
        }
    }
}
