//! What both sides choose about a run beside its protocol. Each choice is declared here alone: command line, Python, JSON
//! and the suites follow.

use rand_core::CryptoRng;
use veilset_crypto::{Group, NotAPrime, SafePrime};
use veilset_names::{Names, UnknownName};

use crate::{Flooding, Operation, Scheme, SetEncoding, Sharing};

/// A choice as users have it.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Its name: the flag's, the keyword argument's, the member's in JSON.
    pub name: &'static str,
    /// The names of its values; none where a value is what a file has.
    pub values: Option<Names>,
    /// What is chosen, for help.
    pub help: &'static str,
    /// What a value is called in help.
    pub placeholder: &'static str,
    /// What stands where nobody chooses, for help.
    pub default: Option<&'static str>,
    /// The one operation whose protocols take it; none where any may.
    pub of: Option<Operation>,
    /// Whether a price depends on it.
    pub priced: bool,
    /// Where reports and lists of protocols tell it by its name.
    pub told: Told,
}

/// Where a choice is told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Everywhere, as none where a protocol has no such choice.
    Always,
    /// Where a protocol has such a choice.
    WhereTaken,
    /// Nowhere: something else tells it.
    Never,
}

/// The values of a choice that a protocol takes.
#[derive(Debug, Clone, Copy)]
pub enum Allowed<T: 'static> {
    /// These, of which the first stands where nobody chooses. Where there are none, the protocol has no such choice.
    Of(&'static [T]),
    /// Any. Where nobody chooses, none stands.
    Any,
}

impl<T: Copy + PartialEq> Allowed<T> {
    /// What stands where nobody chooses.
    fn first(self) -> Option<T> {
        self.listed().first().copied()
    }

    /// Whether the protocol takes the value.
    #[must_use]
    pub fn has(self, value: T) -> bool {
        match self {
            Self::Of(values) => values.contains(&value),
            Self::Any => true,
        }
    }

    /// Those that can be listed.
    #[must_use]
    pub fn listed(self) -> &'static [T] {
        match self {
            Self::Of(values) => values,
            Self::Any => &[],
        }
    }
}

/// Why a text is no value of a choice.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// It is not the name of one.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// It is no prime.
    #[error(transparent)]
    Prime(#[from] NotAPrime),
}

/// How a type has its values' names, and reads one: by its name, or from what a file has.
macro_rules! of_kind {
    (names of named $value:ty) => {
        Some(<$value>::NAMES)
    };
    (names of in_file $value:ty) => {
        None
    };
    (read named $value:ty, $text:ident, $rng:ident) => {
        $text.parse::<$value>()?
    };
    (read in_file $value:ty, $text:ident, $rng:ident) => {
        <$value>::from_hex($text, $rng)?
    };
}

macro_rules! choices {
    ($(
        $(#[$what:meta])+
        $field:ident: $kind:ident $value:ty = $name:literal { $($said:tt)* }
    )*) => {
        /// Every choice.
        pub static CHOICES: &[Choice] = &[$(
            Choice { name: $name, values: of_kind!(names of $kind $value), $($said)* },
        )*];

        /// What is chosen; a choice that is left open, or of which a protocol knows nothing, is none.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Choices {
            $($(#[$what])+ pub $field: Option<$value>,)*
        }

        /// Which values of each choice a protocol takes.
        #[derive(Debug, Clone, Copy)]
        pub struct Taken {
            $($(#[$what])+ pub $field: Allowed<$value>,)*
        }

        impl Choices {
            /// What the choice called `name` is where it is this text: a value's name, or what a file has.
            ///
            /// # Errors
            /// When there is no such choice, or the text is no value of it.
            pub fn read(
                name: &str,
                text: &str,
                rng: &mut dyn CryptoRng,
            ) -> Result<Self, ChoiceError> {
                match name {
                    $($name => {
                        let value = of_kind!(read $kind $value, text, rng);
                        Ok(Self { $field: Some(value), ..Self::default() })
                    })*
                    _ => Err(UnknownName(Names { what: "choices", all: &[$($name),*] }).into()),
                }
            }

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

            /// Those that a protocol of this operation may take.
            #[must_use]
            pub fn of(self, operation: Operation) -> Self {
                Self { $($field: self.$field.filter(|_| choice($name).is_of(operation)),)* }
            }

            /// The name of each choice, which is its flag, and its value's.
            pub fn names(self) -> impl Iterator<Item = (&'static str, String)> {
                let all = [$(($name, self.$field.map(|value| value.to_string())),)*];
                all.into_iter().filter_map(|(name, value)| Some((name, value?)))
            }
        }

        impl Taken {
            /// A protocol that knows of no choice.
            pub const NOTHING: Self = Self { $($field: Allowed::Of(&[]),)* };

            /// What is chosen where nobody asks for anything else.
            #[must_use]
            pub fn defaults(&self) -> Choices {
                Choices { $($field: self.$field.first(),)* }
            }

            /// Whether a run can be as these choices have it.
            #[must_use]
            pub fn allows(&self, choices: Choices) -> bool {
                $(choices.$field.is_none_or(|value| self.$field.has(value)))&&*
            }

            /// One choice each that is not the default, all values in turn.
            #[must_use]
            pub fn others(&self) -> Vec<Choices> {
                let mut others = Vec::new();
                $(for value in self.$field.listed().iter().skip(1) {
                    others.push(Choices { $field: Some(*value), ..Choices::default() });
                })*
                others
            }

            /// The choices that are told, with the names of the values that are taken.
            pub fn names(&self) -> impl Iterator<Item = (Names, Vec<String>)> {
                let all = [$((
                    choice($name),
                    self.$field.listed().iter().map(ToString::to_string).collect(),
                ),)*];
                let told = |(choice, taken): (&Choice, Vec<String>)| {
                    let names = choice.values.filter(|_| choice.is_told(!taken.is_empty()))?;
                    Some((names, taken))
                };
                all.into_iter().filter_map(told)
            }
        }
    };
}

choices! {
    /// The group of the commutative functions.
    group: named Group = "group" {
        help: "The group to compute in",
        placeholder: "GROUP",
        default: Some("the protocol's fastest"),
        of: None,
        priced: true,
        told: Told::Always,
    }
    /// How a set travels.
    digest: named SetEncoding = "digest" {
        help: "The set encoding, by which a set travels",
        placeholder: "DIGEST",
        default: Some("sorted"),
        of: None,
        priced: true,
        told: Told::Always,
    }
    /// What the group is taken modulo, where that is not its own prime.
    prime: in_file SafePrime = "prime" {
        help: "A file from veilset prime, whose safe prime replaces the group's own; both sides give the same",
        placeholder: "FILE",
        default: None,
        of: None,
        priced: true,
        told: Told::Never,
    }
    /// How secrets are shared.
    sharing: named Sharing = "shares" {
        help: "The kind of shares: two words make a secret by addition modulo 2^128 or by xor; both sides give the same",
        placeholder: "additive|xor",
        default: Some("additive"),
        of: Some(Operation::Share),
        priced: false,
        told: Told::Never,
    }
    /// How two orders of preference become one.
    scheme: named Scheme = "scheme" {
        help: "The rule that combines both sides' preferences: sum-of-ranks or minimum-of-ranks; both sides give the same",
        placeholder: "SCHEME",
        default: Some("sum-of-ranks"),
        of: Some(Operation::Agree),
        priced: true,
        told: Told::Never,
    }
    /// Whether answers under encryption hide their noise.
    flooding: named Flooding = "flooding" {
        help: "Whether fhe and fhe-lookup flood their answers with noise; both sides give the same",
        placeholder: "off|on",
        default: Some("off"),
        of: None,
        priced: true,
        told: Told::WhereTaken,
    }
}

/// The choice of this name.
fn choice(name: &str) -> &'static Choice {
    CHOICES.iter().find(|choice| choice.name == name).expect("a declared choice")
}

impl Choice {
    /// Whether a protocol of this operation may take it.
    #[must_use]
    pub fn is_of(&self, operation: Operation) -> bool {
        self.of.is_none_or(|of| of == operation)
    }

    /// Whether it is told of a protocol that has such a choice, or not.
    fn is_told(&self, taken: bool) -> bool {
        match self.told {
            Told::Always => true,
            Told::WhereTaken => taken,
            Told::Never => false,
        }
    }
}

impl Choices {
    /// The group of a run whose protocol has one.
    pub(crate) fn group(&self) -> Group {
        self.group.expect("the entry has a group")
    }

    /// How a set travels in a run whose protocol has such a set.
    pub(crate) fn digest(&self) -> SetEncoding {
        self.digest.expect("the entry says how a set travels")
    }

    /// The group's name, or that of the prime in its place, where the protocol has a group.
    #[must_use]
    pub fn group_name(&self) -> Option<String> {
        let prime = self.prime.map(|prime| prime.to_string());
        prime.or_else(|| self.group.map(|group| group.name().to_owned()))
    }

    /// What a report tells: each choice that is told, with its value's name, if it has one.
    pub fn told(self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let chosen: Vec<_> = self.names().collect();
        let value = move |name: &str| match name {
            "group" => self.group_name(),
            _ => chosen.iter().find(|(chosen, _)| *chosen == name).map(|(_, value)| value.clone()),
        };
        let all = CHOICES.iter().map(move |choice| (choice, value(choice.name)));
        let told = all.filter(|(choice, value)| choice.is_told(value.is_some()));
        told.map(|(choice, value)| (choice.name, value))
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::PROTOCOLS;

    #[test]
    fn choices_are_told_apart() {
        let open = Choices::default();
        let group = Choices { group: Some(Group::P256), ..open };
        let both =
            Choices { group: Some(Group::Curve25519), digest: Some(SetEncoding::Bloom), ..open };
        assert_eq!(group.or(both), Choices { digest: Some(SetEncoding::Bloom), ..group });
        assert_eq!(both.beyond(group), both);
        let digest = Choices { digest: Some(SetEncoding::Bloom), ..open };
        assert_eq!(both.beyond(Choices { digest: None, ..both }), digest);
        assert_eq!(both.open_in(group), Choices { group: None, ..both });
        assert_eq!((open.names().count(), open.group_name()), (0, None));
        let names = both.names().map(|(name, value)| format!("{name} {value}"));
        assert_eq!(names.collect::<Vec<_>>(), ["group curve25519", "digest bloom"]);
        assert_eq!(group.group_name().as_deref(), Some("p256"));
        let told: Vec<_> = group.told().collect();
        assert_eq!(told, [("group", Some("p256".to_owned())), ("digest", None)]);
        let flooded = Choices { flooding: Some(Flooding::On), ..open };
        let told: Vec<_> = flooded.told().collect();
        let on = ("flooding", Some("on".to_owned()));
        assert_eq!(told, [("group", None), ("digest", None), on]);
        let scheme = Choices { scheme: Some(Scheme::SumOfRanks), ..group };
        assert_eq!(scheme.of(Operation::Share), group);
        assert_eq!(scheme.of(Operation::Agree), scheme);
    }

    #[test]
    fn a_text_is_read_as_the_value_of_that_choice_alone() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let mut read = |name: &str, text: &str| Choices::read(name, text, &mut rng);
        let open = Choices::default();
        let xor = Choices { sharing: Some(Sharing::Xor), ..open };
        assert!(read("shares", "xor").is_ok_and(|choices| choices == xor));
        assert!(matches!(read("shares", "sorted"), Err(ChoiceError::Name(_))));
        assert!(matches!(read("colour", "blue"), Err(ChoiceError::Name(_))));
        assert!(matches!(read("prime", "7"), Err(ChoiceError::Prime(_))));
        for choice in CHOICES {
            for value in choice.values.map_or(&[][..], |values| values.all) {
                let chosen = read(choice.name, value).expect("a value's name");
                let names: Vec<_> = chosen.names().collect();
                assert_eq!(names, [(choice.name, (*value).to_owned())]);
            }
        }
    }

    #[test]
    fn protocols_take_what_is_of_their_operation_and_stand_at_its_default() {
        for spec in PROTOCOLS.map(|protocol| protocol.spec()) {
            let defaults = spec.defaults();
            assert!(spec.takes(defaults), "{}", spec.id);
            assert_eq!(defaults.of(spec.operation), defaults, "{}", spec.id);
            for (name, value) in defaults.names() {
                let own = choice(name).of.is_none() || choice(name).default == Some(&*value);
                assert!(own, "{}: {name} {value}", spec.id);
            }
            for other in spec.choices.others() {
                assert!(spec.takes(other) && other.beyond(defaults) == other, "{}", spec.id);
            }
        }
    }
}
