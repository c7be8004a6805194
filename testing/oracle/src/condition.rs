//! Guards of optional parts, parsed from the text of the layout and evaluated on values. The guards
//! of the model are not used, because they are a subject of the comparison.

use keyscape_codec::{Uint, Value};
use keyscape_layout::{Datum, Record};

/// A guard: a disjunction of conjunctions of tests.
#[derive(Clone, Debug, Default)]
pub struct Condition(Vec<Vec<Test>>);

#[derive(Clone, Debug)]
enum Test {
    Is { field: String, not: bool, value: String },
    In { field: String, low: Option<Number>, high: Option<Number> },
    Nested(Condition),
}

/// An integer with its sign, ordered by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    /// The absolute value. A larger absolute value means a smaller number.
    Negative(std::cmp::Reverse<Uint>),
    Positive(Uint),
}

impl Number {
    fn new(negative: bool, distance: Uint) -> Self {
        if negative && distance > Uint::ZERO {
            return Self::Negative(std::cmp::Reverse(distance));
        }
        Self::Positive(distance)
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text).replace('_', "");
        let distance = Uint::from_str_radix(&digits, 10).ok()?;
        Some(Self::new(text.starts_with('-'), distance))
    }

    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Uint(n) => Some(Self::Positive(*n)),
            Value::Int(n) => Some(Self::new(*n < 0, Uint::new(n.unsigned_abs()))),
            _ => None,
        }
    }
}

impl Condition {
    /// Parses the guard from the text of an optional part, `[… if level is low]`.
    pub fn of_option(text: &str) -> Option<Self> {
        let words = words(text);
        // Nested parts have their own guards inside their own brackets.
        let mut depth = 0;
        let at = words.iter().position(|word| {
            match word.as_str() {
                "[" | "(" | "{" => depth += 1,
                "]" | ")" | "}" => depth -= 1,
                _ => {}
            }
            word == "if" && depth == 1
        })?;
        let mut rest: Vec<&str> = words[at + 1..words.len() - 1].iter().map(|w| &**w).collect();
        rest.reverse();
        let condition = Self::parse(&mut rest)?;
        rest.is_empty().then_some(condition)
    }

    /// Parses a condition from the end of `words`, which contain the text in reverse.
    fn parse(words: &mut Vec<&str>) -> Option<Self> {
        let mut any = vec![Vec::new()];
        loop {
            let test = match words.pop()? {
                "(" => {
                    let inner = Self::parse(words)?;
                    (words.pop()? == ")").then_some(Test::Nested(inner))?
                }
                field => test(field, words)?,
            };
            any.last_mut()?.push(test);
            match words.last() {
                Some(&"and") => {}
                Some(&"or") => any.push(Vec::new()),
                _ => return Some(Self(any)),
            }
            words.pop();
        }
    }

    /// Whether the guard holds for the given fields.
    pub fn holds(&self, fields: &Record) -> bool {
        let test = |test: &Test| match test {
            Test::Nested(inner) => inner.holds(fields),
            Test::Is { field, not, value } => {
                fields.get(field).is_some_and(|datum| (chosen(datum) == Some(value)) != *not)
            }
            Test::In { field, low, high } => {
                let number = match fields.get(field) {
                    Some(Datum::Leaf(value)) => Number::of(value),
                    _ => None,
                };
                number.is_some_and(|number| {
                    low.is_none_or(|low| low <= number) && high.is_none_or(|high| number <= high)
                })
            }
        };
        self.0.iter().any(|all| all.iter().all(test))
    }
}

fn test(field: &str, words: &mut Vec<&str>) -> Option<Test> {
    let field = field.to_owned();
    if words.pop()? == "in" {
        let range = words.pop()?;
        let (low, high) = match range.split_once("..=") {
            Some((low, high)) => (low, high),
            None => range.split_once("..").unwrap_or((range, range)),
        };
        let end = |text: &str| match text {
            "" => Some(None),
            _ => Number::parse(text).map(Some),
        };
        return Some(Test::In { field, low: end(low)?, high: end(high)? });
    }
    let mut value = words.pop()?;
    let not = value == "not";
    if not {
        value = words.pop()?;
    }
    Some(Test::Is { field, not, value: value.trim_matches('"').to_owned() })
}

fn chosen(datum: &Datum) -> Option<&String> {
    match datum {
        Datum::Name(name) | Datum::Arm(name, _) => Some(name),
        _ => None,
    }
}

/// Splits a text into brackets and words. A quoted text is one word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        let bracket = "[](){}".contains(c) && !quoted;
        quoted ^= c == '"';
        if bracket || c.is_whitespace() && !quoted {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| quoted || !c.is_whitespace()) {
            last.push(c);
        }
        if bracket {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
