//! Enums whose values have names: flags, terms, JSON and Python take them from one declaration.

use std::error::Error;
use std::fmt;

/// The names of an enum's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    /// What the values are, in the plural.
    pub what: &'static str,
    /// The name of each, in the order of declaration.
    pub all: &'static [&'static str],
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.all.join(", "))
    }
}

/// A text that is none of these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownName(pub Names);

/// What the names are of, and all of them.
impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.what, self.0)
    }
}

impl Error for UnknownName {}

/// Declares an enum whose values have names, after what they are in the plural. It gets `ALL`, `NAMES`, `name`, `Display`
/// and `FromStr`:
///
/// ```
/// veilset_names::names! {
///     "colours";
///     /// A colour.
///     pub enum Colour {
///         /// That of the sky.
///         Blue = "blue",
///         /// That of the grass.
///         Green = "green",
///     }
/// }
///
/// assert_eq!(Colour::ALL.map(Colour::name), ["blue", "green"]);
/// assert_eq!("green".parse(), Ok(Colour::Green));
/// let error = "grey".parse::<Colour>().unwrap_err();
/// assert_eq!(error.to_string(), "colours: blue, green");
/// ```
#[macro_export]
macro_rules! names {
    (
        $what:literal;
        $(#[$meta:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $type {
            $($(#[$of_value])* $value,)+
        }

        impl $type {
            /// Every value, in the order of declaration.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name of each.
            $visibility const NAMES: $crate::Names =
                $crate::Names { what: $what, all: &[$($name),+] };

            /// Its name: on the command line, in the terms, in JSON and in Python.
            #[must_use]
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> ::std::result::Result<Self, $crate::UnknownName> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or($crate::UnknownName(Self::NAMES))
            }
        }
    };
}
