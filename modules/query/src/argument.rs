//! The arguments of queries.

/// An argument of a query.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The name: in upper case for a position, in lower case for an option.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The number of values that it takes.
    pub form: Form,
}

/// The number of values that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A position that must be given.
    Required,
    /// A position that may be missing.
    Optional,
    /// All remaining positions, at least one.
    Repeated,
    /// An option with a value, which the help names.
    Option(&'static str),
    /// An option with a value that may be given several times.
    Options(&'static str),
    /// An option with one of these values; the first is the default.
    OneOf(&'static [&'static str]),
    /// An option without a value.
    Flag,
}

impl Argument {
    /// States a position that must be given.
    #[must_use]
    pub const fn required(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Required }
    }

    /// States a position that may be missing.
    #[must_use]
    pub const fn optional(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Optional }
    }

    /// States all remaining positions.
    #[must_use]
    pub const fn repeated(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Repeated }
    }

    /// States an option with a value; `value` names it in the help, in upper case.
    #[must_use]
    pub const fn option(name: &'static str, value: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Option(value) }
    }

    /// States an option that may be given several times.
    #[must_use]
    pub const fn options(name: &'static str, value: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Options(value) }
    }

    /// States an option with one of some values; the first is the default.
    #[must_use]
    pub const fn one_of(
        name: &'static str,
        values: &'static [&'static str],
        about: &'static str,
    ) -> Argument {
        Argument { name, about, form: Form::OneOf(values) }
    }

    /// States an option without a value.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Argument {
        Argument { name, about, form: Form::Flag }
    }
}

/// The maximum number of rows of a page.
pub const LIMIT: Argument =
    Argument::option("limit", "ROWS", "The maximum number of rows; default: 100");
/// The cursor of a page.
pub const AFTER: Argument =
    Argument::option("after", "CURSOR", "Start after this cursor, printed by the previous page");
/// The reversed order.
pub const REVERSE: Argument = Argument::flag("reverse", "Reverse the order");
