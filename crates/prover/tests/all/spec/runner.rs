//! Runs the blocks of a page in order.

use crate::spec::{
    examples,
    layouts::{self, Named},
    markdown::blocks,
};

/// Returns all blocks of a page that differ from their expectations.
pub(crate) fn problems(name: &str, page: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut named = Named::default();
    let mut layout = None;
    for block in blocks(page) {
        let info: Vec<&str> = block.info.iter().map(String::as_str).collect();
        let mut found: Vec<String> = Vec::new();
        match info.as_slice() {
            ["keys", file @ ..] => {
                let file = file.first().copied().unwrap_or("block.keys");
                named.0.insert(file.to_owned(), block.text.clone());
                (layout, found) = layouts::run(file, &block.text, &mut named);
            }
            ["example"] => match &layout {
                Some(layout) => {
                    for (index, line) in block.text.lines().enumerate() {
                        if let Err(problem) = examples::run(layout, line) {
                            found.push(format!("line {}: {line}: {problem}", index + 1));
                        }
                    }
                }
                None => found.push("there is no layout before these examples".to_owned()),
            },
            ["text"] => {}
            // Pairs of layouts and migrations, which the tests of `keyscape-evolution` run.
            ["old" | "new" | "migration" | "verdicts"] => {}
            info => found.push(format!("a block of an unknown kind: {info:?}")),
        }
        let at = block.line;
        problems.extend(found.iter().map(|problem| format!("{name}, block at {at}: {problem}")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::problems;

    fn page(kind: &str, text: &str) -> String {
        format!("```{kind}\n{text}\n```\n")
    }

    #[test]
    fn a_layout_that_meets_its_expectations_has_no_problems() {
        let layout =
            "store s\nmap m = {n: dec(u8)} scan all by n // refuted KS004 \"2\" before \"10\"";
        assert_eq!(problems("p", &page("keys", layout)), [""; 0]);
    }

    #[test]
    fn an_unstated_result_is_a_problem() {
        for layout in [
            "store s\nmap m = {n: dec(u8)} scan all by n",
            "store s\nmap m = {n: dec(u8)} scan all by n // proved",
            "store s\nmap m = {n: dec(u8)} scan all by n // refuted KS004 \"1\" before \"10\"",
            "store s\nmap m = {n: dec(u9)}",
        ] {
            assert_ne!(problems("p", &page("keys", layout)), [""; 0], "{layout}");
        }
    }

    #[test]
    fn a_missing_result_is_a_problem() {
        for line in [
            "map m = {n: u8} // error: there is no type",
            "map m = {n: u8} // refuted KS001 00",
            "map m = {n: u8} // unknown KS002",
            "map m = {n: u8} // idle",
            "map m = {n: u8} // accepted KS001",
            "// proved",
            "map m = {n: u8} // refuted KS999",
        ] {
            assert_eq!(
                problems("p", &page("keys", &format!("store s\n{line}"))).len(),
                1,
                "{line}"
            );
        }
    }

    #[test]
    fn an_example_that_is_wrong_is_a_problem() {
        let layout =
            page("keys", "store s\nmap m = {a: text[1..]} {b: text[1..]} // refuted KS002 \"aaa\"");
        for right in [
            "encode m a=x b=yz => \"xyz\"",
            "encode m a=x => error: field `b` is missing",
            "decode \"xyz\" => m a=x b=yz | m a=xy b=z",
            "decode \"x\" => nothing",
        ] {
            assert_eq!(problems("p", &(layout.clone() + &page("example", right))), [""; 0]);
        }
        for wrong in [
            "encode m a=x b=yz => \"xyy\"",
            "encode m a=x b=y => error: missing",
            "decode \"xyz\" => m a=x b=yz",
            "decode \"xyz\" => m a=x b=yz | m a=xy b=z | m a=z b=z",
            "decode \"xy\" => nothing",
            "scan m all => \"\"",
            "guess m",
        ] {
            assert_eq!(
                problems("p", &(layout.clone() + &page("example", wrong))).len(),
                1,
                "{wrong}"
            );
        }
    }
}
