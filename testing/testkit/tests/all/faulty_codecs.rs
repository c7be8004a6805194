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
enum Lie {
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
struct Liar {
    honest: Arc<dyn Codec>,
    lie: Lie,
}

impl Codec for Liar {
    fn describe(&self) -> Description {
        let mut described = self.honest.describe();
        match self.lie {
            Lie::Direction => described.values = Values::Reversed,
            Lie::Values => described.values = Values::Inner,
            Lie::Name => described.name = "hex",
            _ => {}
        }
        described
    }

    fn kind(&self) -> Kind {
        self.honest.kind()
    }

    fn allowed(&self) -> String {
        self.honest.allowed()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.honest.encode(value, out)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        match bytes {
            // Accepts one word more than the correct codec.
            [b'0', rest @ ..] if self.lie == Lie::Decode => self.honest.decode(rest),
            _ => self.honest.decode(bytes),
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        match self.lie {
            Lie::Language => codec(r#"text(r"[0-9]{1,3}")"#).language(budget),
            _ => self.honest.language(budget),
        }
    }

    fn order(&self) -> Order {
        match self.lie {
            Lie::Ordered => Order::Ordered { prefix: PrefixOrder::ShorterFirst },
            Lie::PrefixTurned => Order::Ordered { prefix: PrefixOrder::LongerFirst },
            Lie::NotTheFewest => {
                let (lower, higher) = (Value::uint(20), Value::uint(100));
                Order::Misordered { lower, higher, minimal: true }
            }
            _ => self.honest.order(),
        }
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        self.honest.order_by(comparison, budget)
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        self.honest.compare(a, b)
    }

    fn lossless(&self) -> Loss {
        match self.lie {
            Lie::Lossy => Loss::Lossy { a: Value::uint(1), b: Value::uint(2) },
            _ => self.honest.lossless(),
        }
    }

    fn longest(&self) -> Option<usize> {
        match self.lie {
            Lie::Longest => Some(2),
            _ => self.honest.longest(),
        }
    }

    fn samples(&self) -> Vec<Value> {
        self.honest.samples()
    }
}

fn is_caught(text: &str, lie: Lie) -> bool {
    // Rebuilt inside the closure, so nothing is shared across the unwinding.
    let text = text.to_string();
    std::panic::catch_unwind(move || laws(&Liar { honest: codec(&text), lie })).is_err()
}

#[test]
fn the_honest_pass_and_each_lie_is_caught() {
    assert!(!is_caught("dec(u8)", Lie::None));
    let lies =
        [Lie::Ordered, Lie::NotTheFewest, Lie::Language, Lie::Longest, Lie::Decode, Lie::Lossy];
    for lie in lies {
        assert!(is_caught("dec(u8)", lie), "{lie:?}");
    }
    for honest in ["hex(desc(u8))", "sha256(u8)"] {
        assert!(!is_caught(honest, Lie::None), "{honest}");
    }
    assert!(is_caught("hex(desc(u8))", Lie::Direction));
    assert!(is_caught("sha256(u8)", Lie::Values));
    assert!(is_caught("rev(u8)", Lie::Name));
    assert!(!is_caught(r#"text(r"[ab]{0,3}")"#, Lie::Ordered));
    assert!(is_caught(r#"text(r"[ab]{0,3}")"#, Lie::PrefixTurned));
}
