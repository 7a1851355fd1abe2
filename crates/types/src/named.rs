//! Enums whose values people choose by name.

/// Defines an enum together with the name each value is chosen by and a sentence about it, its doc comment.
///
/// Settings, the command line and the library share one enum this way: nothing after parsing compares names.
///
/// ```
/// scenthound_types::named_enum! {
///     /// Who is served first among equal scores.
///     #[derive(Default)]
///     pub enum Ties {
///         /// The older link.
///         #[default]
///         Fifo = "fifo",
///         /// Any of them.
///         Random = "random",
///     }
/// }
///
/// assert_eq!(Ties::from_name("random"), Some(Ties::Random));
/// assert_eq!(Ties::Random.about(), "Any of them.");
/// assert_eq!(Ties::NAMES, ["fifo", "random"]);
/// ```
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Name:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[default $($default:tt)*])?
                $Variant:ident = $name:literal,
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $visibility enum $Name {
            $(
                $(#[doc = $doc])+
                $(#[default $($default)*])?
                $Variant,
            )+
        }

        impl $Name {
            /// Every value, in the order of its definition.
            pub const ALL: &'static [$Name] = &[$($Name::$Variant),+];

            /// The names the values are chosen by, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name this value is chosen by.
            pub const fn name(self) -> &'static str {
                match self { $($Name::$Variant => $name,)+ }
            }

            /// The value with this name.
            pub fn from_name(name: &str) -> Option<$Name> {
                match name {
                    $($name => Some($Name::$Variant),)+
                    _ => None,
                }
            }

            /// What this value means, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $($Name::$Variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
