//! What both sides choose about a run beside its protocol. Each choice stands here once: its name, its values, what it is.

use veilset_crypto::Group;
use veilset_crypto::key_agreement::SafePrime;

use crate::{Digest, Scheme, Sharing};

macro_rules! choices {
    ($($(#[$what:meta])+ $field:ident = $name:literal: $value:ty,)*) => {
        /// What is chosen; a choice that is left open, or of which a protocol knows nothing, is none.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Choices {
            $($(#[$what])+ pub $field: Option<$value>,)*
        }

        impl Choices {
            /// These, and those where nothing is chosen here.
            #[must_use]
            pub fn or(self, those: Self) -> Self {
                Self { $($field: self.$field.or(those.$field),)* }
            }

            /// What is chosen here and not there.
            #[must_use]
            pub fn beyond(self, there: Self) -> Self {
                Self { $($field: self.$field.filter(|value| there.$field != Some(*value)),)* }
            }

            /// Those that are left open here.
            #[must_use]
            pub fn open_in(self, here: Self) -> Self {
                Self { $($field: if here.$field.is_none() { self.$field } else { None },)* }
            }

            /// The name of each choice, which is its flag, and its value's.
            pub fn names(self) -> impl Iterator<Item = (&'static str, String)> {
                let all = [$(($name, self.$field.map(|value| value.to_string())),)*];
                all.into_iter().filter_map(|(name, value)| Some((name, value?)))
            }
        }
    };
}

choices! {
    /// The group of the commutative functions.
    group = "group": Group,
    /// How a set travels.
    digest = "digest": Digest,
    /// How secrets are shared.
    sharing = "shares": Sharing,
    /// How two orders of preference become one.
    scheme = "scheme": Scheme,
    /// What the group is taken modulo, where that is not its own prime.
    prime = "prime": SafePrime,
}

impl Choices {
    /// The group of a run whose protocol has one.
    pub(crate) fn group(&self) -> Group {
        self.group.expect("the entry has a group")
    }

    /// How a set travels in a run whose protocol has such a set.
    pub(crate) fn digest(&self) -> Digest {
        self.digest.expect("the entry says how a set travels")
    }

    /// The group's name, or that of the prime in its place, where the protocol has a group.
    #[must_use]
    pub fn group_name(&self) -> Option<String> {
        let prime = self.prime.map(|prime| prime.to_string());
        prime.or_else(|| self.group.map(|group| group.name().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_told_apart() {
        let open = Choices::default();
        let group = Choices { group: Some(Group::P256), ..open };
        let both = Choices { group: Some(Group::Curve25519), digest: Some(Digest::Bloom), ..open };
        assert_eq!(group.or(both), Choices { digest: Some(Digest::Bloom), ..group });
        assert_eq!(both.beyond(group), both);
        let digest = Choices { digest: Some(Digest::Bloom), ..open };
        assert_eq!(both.beyond(Choices { digest: None, ..both }), digest);
        assert_eq!(both.open_in(group), Choices { group: None, ..both });
        assert_eq!((open.names().count(), open.group_name()), (0, None));
        let names = both.names().map(|(name, value)| format!("{name} {value}"));
        assert_eq!(names.collect::<Vec<_>>(), ["group curve25519", "digest bloom"]);
        assert_eq!(group.group_name().as_deref(), Some("p256"));
    }
}
