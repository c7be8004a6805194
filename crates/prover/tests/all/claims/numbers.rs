//! Warnings about text that looks like numbers, compared with all words of small languages.

use keyscape_codec::{Language, Value};
use keyscape_layout::{Layout, NoImports, model::KeyspaceId, read};
use keyscape_prover::{Config, Rule};
use std::cmp::Ordering;

/// Parses a word as a number of thousandths. Returns `None` if it is not a number.
fn value(word: &str) -> Option<i128> {
    let body = word.strip_prefix(['-', '+']).unwrap_or(word);
    let scaled = |whole: &str, part: &str| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (digits(whole) && digits(part)).then(|| format!("{whole}{part:0<3}").parse().ok()).flatten()
    };
    let decimal: Option<i128> = match body.split_once('.') {
        Some((whole, part)) => scaled(whole, part),
        None => scaled(body, "000"),
    };
    decimal.map(|n| if word.starts_with('-') { -n } else { n })
}

/// Parses a word of hexadecimal digits.
fn hexadecimal(word: &str) -> Option<i128> {
    let digits = word.strip_prefix("0x").or(word.strip_prefix("0X")).unwrap_or(word);
    i128::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with(['-', '+']))
}

/// Whether two words of a language, in byte order, are numbers with this order.
fn has_pair(words: &[String], wanted: Ordering) -> bool {
    let parse = |parse: fn(&str) -> Option<i128>| -> Option<Vec<i128>> {
        words.iter().map(|word| parse(word)).collect()
    };
    let all_letters = words.iter().all(|word| word.bytes().all(|b| b.is_ascii_alphabetic()));
    let numbers = parse(value).or_else(|| parse(hexadecimal).filter(|_| !all_letters));
    let Some(numbers) = numbers else { return false };
    let pairs = numbers.iter().enumerate();
    pairs.into_iter().any(|(at, a)| numbers.iter().skip(at + 1).any(|b| a.cmp(b) == wanted))
}

fn words(layout: &Layout) -> Vec<String> {
    let fields = keyscape_layout::fields(&layout.keyspace(KeyspaceId(0)).key);
    let keyscape_layout::model::Type::Leaf(leaf) = &*fields[0].ty else { panic!("no leaf") };
    let Language::Exact(dfa) = &leaf.language else { panic!("not exact") };
    let Some(words) = dfa.few_words(20_000) else { panic!("too many words") };
    let text = |word: &Vec<u8>| match leaf.codec.decode(word) {
        Ok(Value::Text(text)) => text,
        other => panic!("{other:?}"),
    };
    let mut words: Vec<String> = words.iter().map(text).collect();
    words.sort();
    words
}

#[test]
fn a_warning_is_given_exactly_if_two_words_show_it() {
    let signs = ["", "-", "-?", "[+]?", "[+-]?", "0x", "v"];
    let bodies = [
        "[0-9]",
        "[0-9]{3}",
        "[0-9]{1,3}",
        "1[0-9]{0,2}",
        "0[0-9]{0,2}",
        "000[0-9]{2,3}",
        "[01]{1,9}",
        "[0-5]{1,4}",
        "[1-5]{1,4}",
        "1{1,9}",
        "0|[1-9][0-9]{0,2}",
        "0|1[0-9]{3}",
        "9|10",
        "[0-5]{1,2}|[0-5]{4}",
        r"[0-9]\.[0-9]{2}",
        r"[0-9]{1,2}\.[05]{2}",
        r"[0-9]{1,2}(\.[0-9])?",
        r"[1-9]\.[05]{1,2}",
        "[0-9a-f]{2}",
        "[0-9a-f]{2,3}",
        "[0-9a-cA-C]{2}",
        "[a-f]{1,2}",
        "[0-9]{2}-[0-9]",
    ];
    let mut warned = 0;
    for pattern in signs.iter().flat_map(|sign| bodies.iter().map(move |b| format!("{sign}({b})")))
    {
        let text = format!("store s map m = {{x: text(r\"{pattern}\")}} -> empty scan all by x");
        let Ok(layout) = read("n.keys", &text, &mut NoImports) else { panic!("{text}") };
        let report = keyscape_prover::check(&layout, Config { fixes: false, ..Config::default() });
        let words = words(&layout);
        for (rule, wanted) in
            [(Rule::Ordered, Ordering::Greater), (Rule::Lossless, Ordering::Equal)]
        {
            let mut claims = report.claims.iter().filter(|claim| claim.rule == rule);
            let found = claims.find_map(|claim| claim.numeric.first());
            let expected = has_pair(&words, wanted);
            assert_eq!(found.is_some(), expected, "{} of {pattern}: {found:?}", rule.code());
            if let Some(found) = found {
                let shown = found.values.to_vec();
                assert!(shown.iter().all(|value| words.contains(value)), "{pattern}: {shown:?}");
                assert!(shown.is_sorted() && has_pair(&shown, wanted), "{pattern}: {shown:?}");
                warned += 1;
            }
        }
    }
    assert!(warned > 100, "{warned}");
}

/// `desc` reverses the order of the words.
#[test]
fn values_are_shown_in_the_order_of_their_keys() {
    let text = "store s map m = {x: desc(nul(text(r\"[1-9][0-9]?\")))} -> empty scan all by x";
    let Ok(layout) = read("n.keys", text, &mut NoImports) else { panic!("{text}") };
    let report = keyscape_prover::check(&layout, Config { fixes: false, ..Config::default() });
    let shown: Vec<_> = report.claims.iter().flat_map(|claim| &claim.numeric).collect();
    assert!(matches!(&shown[..], [only] if only.values == ["9", "10"]), "{shown:?}");
}
