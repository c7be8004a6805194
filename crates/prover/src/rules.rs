//! Enums of rules, each with a code, a name and a summary.

/// Declares an enum of rules. The code and the summary of a rule are its documentation too.
#[doc(hidden)]
#[macro_export]
macro_rules! rules {
    (
        $(#[$about:meta])*
        pub enum $rules:ident { $($rule:ident = $code:literal $name:literal $summary:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $rules {
            $(#[doc = concat!($code, ": ", $summary, ".")] $rule,)*
        }

        impl $rules {
            /// All rules, by code.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$rule),*];

            /// Returns the rule with a code or name.
            #[must_use]
            pub fn find(code: &str) -> Option<Self> {
                let is_meant = |known: &str| known.eq_ignore_ascii_case(code);
                Self::ALL.into_iter().find(|rule| is_meant(rule.code()) || is_meant(rule.name()))
            }

            /// Returns the code of the rule, such as `KS001`.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$rule => $code,)*
                }
            }

            /// Returns the name of the rule in one word.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            /// Returns the claim of the rule in a few words.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$rule => $summary,)*
                }
            }
        }
    };
}
