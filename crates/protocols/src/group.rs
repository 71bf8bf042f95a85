//! From a group's name to its functions.

/// Evaluates `$body` with `$function` standing for the commutative weak PRF of a group.
macro_rules! with_prf {
    ($group:expr, $function:ident => $body:expr) => {
        match $group {
            veilset_crypto::Group::Curve25519 => {
                type $function = veilset_crypto::Curve25519Prf;
                $body
            }
            veilset_crypto::Group::P256 => {
                type $function = veilset_crypto::P256Prf<veilset_crypto::Compressed>;
                $body
            }
            veilset_crypto::Group::P256Uncompressed => {
                type $function = veilset_crypto::P256Prf<veilset_crypto::Uncompressed>;
                $body
            }
            veilset_crypto::Group::Ristretto255 => {
                type $function = veilset_crypto::RistrettoPrp;
                $body
            }
        }
    };
}
pub(crate) use with_prf;
