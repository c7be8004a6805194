//! Tests that the laws detect codecs with a defect.

use keyscape_automata::{Budget, OverBudget};
use keyscape_codec::{
    Codec, Comparison, Description, Kind, Language, Loss, Malformed, Order, PrefixOrder, Value,
    ValueError, Values,
};
use keyscape_testkit::{codec, laws};
use std::{cmp::Ordering, sync::Arc};

/// The defect of a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    None,
    Ordered,
    PrefixTurned,
    NotTheFewest,
    Language,
    Longest,
    Decode,
    Lossy,
    Direction,
    Values,
    Name,
}

/// A codec that delegates to a correct one, except for its defect.
#[derive(Debug)]
struct FaultyCodec {
    inner: Arc<dyn Codec>,
    defect: Defect,
}

impl Codec for FaultyCodec {
    fn describe(&self) -> Description {
        let mut described = self.inner.describe();
        match self.defect {
            Defect::Direction => described.values = Values::Reversed,
            Defect::Values => described.values = Values::Inner,
            Defect::Name => described.name = "hex",
            _ => {}
        }
        described
    }

    fn kind(&self) -> Kind {
        self.inner.kind()
    }

    fn allowed(&self) -> String {
        self.inner.allowed()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.inner.encode(value, out)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        match bytes {
            // Accepts one word more than the correct codec.
            [b'0', rest @ ..] if self.defect == Defect::Decode => self.inner.decode(rest),
            _ => self.inner.decode(bytes),
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        match self.defect {
            Defect::Language => codec(r#"text(r"[0-9]{1,3}")"#).language(budget),
            _ => self.inner.language(budget),
        }
    }

    fn order(&self) -> Order {
        match self.defect {
            Defect::Ordered => Order::Ordered { prefix: PrefixOrder::ShorterFirst },
            Defect::PrefixTurned => Order::Ordered { prefix: PrefixOrder::LongerFirst },
            Defect::NotTheFewest => {
                let (lower, higher) = (Value::uint(20), Value::uint(100));
                Order::Misordered { lower, higher, minimal: true }
            }
            _ => self.inner.order(),
        }
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        self.inner.order_by(comparison, budget)
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        self.inner.compare(a, b)
    }

    fn lossless(&self) -> Loss {
        match self.defect {
            Defect::Lossy => Loss::Lossy { a: Value::uint(1), b: Value::uint(2) },
            _ => self.inner.lossless(),
        }
    }

    fn longest(&self) -> Option<usize> {
        match self.defect {
            Defect::Longest => Some(2),
            _ => self.inner.longest(),
        }
    }

    fn samples(&self) -> Vec<Value> {
        self.inner.samples()
    }
}

fn is_caught(text: &str, defect: Defect) -> bool {
    // Rebuilt inside the closure, so nothing is shared across the unwinding.
    let text = text.to_string();
    std::panic::catch_unwind(move || laws(&FaultyCodec { inner: codec(&text), defect })).is_err()
}

#[test]
fn correct_codecs_pass_and_each_defect_is_found() {
    assert!(!is_caught("dec(u8)", Defect::None));
    let defects = [
        Defect::Ordered,
        Defect::NotTheFewest,
        Defect::Language,
        Defect::Longest,
        Defect::Decode,
        Defect::Lossy,
    ];
    for defect in defects {
        assert!(is_caught("dec(u8)", defect), "{defect:?}");
    }
    for inner in ["hex(desc(u8))", "sha256(u8)"] {
        assert!(!is_caught(inner, Defect::None), "{inner}");
    }
    assert!(is_caught("hex(desc(u8))", Defect::Direction));
    assert!(is_caught("sha256(u8)", Defect::Values));
    assert!(is_caught("rev(u8)", Defect::Name));
    assert!(!is_caught(r#"text(r"[ab]{0,3}")"#, Defect::Ordered));
    assert!(is_caught(r#"text(r"[ab]{0,3}")"#, Defect::PrefixTurned));
}
