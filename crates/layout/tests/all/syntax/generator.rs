//! Random files that follow the grammar: first the tokens, then white space and comments.

use fastrand::Rng;

/// A seeded pseudo-random generator.
pub(crate) struct Choices(Rng);

impl Choices {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    fn often(&mut self) -> bool {
        self.below(3) > 0
    }

    fn seldom(&mut self) -> bool {
        self.below(4) == 0
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const NAMES: [&str; 24] = [
    "a",
    "b",
    "owner",
    "Denom",
    "x_1",
    "_",
    "map",
    "scan",
    "type",
    "of",
    "in",
    "by",
    "as",
    "index",
    "from",
    "value",
    "is",
    "if",
    "shown",
    "r",
    "br",
    "store",
    "item",
    "a_rather_long_name_that_makes_lines_wrap",
];
const LITERALS: [&str; 8] = [
    "0x00",
    "0xBE_EF",
    "\"\"",
    "\"/\"",
    r#""\"\\\x7f\u{e9}""#,
    "\"// no comment\"",
    "\"a longer text\"",
    "\"é\"",
];
const REGEXES: [&str; 4] = [r#"r"[a-z]+""#, r##"r#"a"b"#"##, r#"br"\x00*""#, r#"r"//""#];
const KINDS: [&str; 8] = ["item", "map", "index", "sequence", "hash", "set", "zset", "queue"];

/// Generates the tokens of a file.
pub(crate) struct Generator<'c> {
    choices: &'c mut Choices,
    pub(crate) tokens: Vec<String>,
    depth: usize,
}

impl<'c> Generator<'c> {
    pub(crate) fn file(choices: &'c mut Choices) -> Vec<String> {
        let mut generator = Self { choices, tokens: Vec::new(), depth: 0 };
        for _ in 0..generator.choices.below(6) {
            match generator.choices.below(8) {
                0 => generator.import(),
                1 => generator.store(),
                2 => generator.family(),
                _ => generator.decl(),
            }
        }
        generator.tokens
    }

    fn put(&mut self, tokens: &str) {
        self.tokens.extend(tokens.split(' ').map(str::to_owned));
    }

    fn put_token(&mut self, token: &str) {
        self.tokens.push(token.to_owned());
    }

    fn name(&mut self) {
        let name = self.choices.one_of(&NAMES);
        self.put(name);
    }

    /// Generates a name that is not a keyword, for positions at which a keyword would end the
    /// clause.
    fn plain_name(&mut self) {
        let name = self.choices.one_of(&["a", "b", "Pool", "x_1"]);
        self.put(name);
    }

    fn literal(&mut self) {
        let literal = self.choices.one_of(&LITERALS);
        self.put_token(literal);
    }

    fn text(&mut self) {
        let text = self.choices.one_of(&LITERALS[2..]);
        self.put_token(text);
    }

    fn regex(&mut self) {
        let regex = self.choices.one_of(&REGEXES);
        self.put_token(regex);
    }

    fn import(&mut self) {
        self.put("import");
        self.text();
        if self.choices.often() {
            self.put("as");
            self.name();
        }
    }

    fn store(&mut self) {
        self.put("store");
        self.name();
        for part in ["structures", "on redis", "version 12"] {
            if self.choices.often() {
                self.put(part);
            }
        }
    }

    fn family(&mut self) {
        self.put("family");
        self.name();
        self.put("{");
        for _ in 0..self.choices.below(3) {
            self.decl();
        }
        self.put("}");
    }

    fn decl(&mut self) {
        match self.choices.below(8) {
            0 | 1 => self.type_decl(),
            2 if self.depth < 3 => self.namespace(),
            _ => self.keyspace(),
        }
    }

    fn namespace(&mut self) {
        self.depth += 1;
        self.put("namespace");
        self.name();
        self.put("=");
        if self.choices.seldom() {
            self.hashed_literal();
        }
        self.literal();
        self.put("{");
        for _ in 0..self.choices.below(4) {
            match self.choices.below(5) {
                0 => {
                    self.put("allocate");
                    self.name();
                    self.literal();
                    self.put("..=");
                    self.literal();
                }
                1 => {
                    let word = self.choices.one_of(&["reserve", "deprecated"]);
                    self.put(word);
                    self.literal();
                    self.text();
                }
                _ => self.decl(),
            }
        }
        self.put("}");
        self.depth -= 1;
    }

    fn type_decl(&mut self) {
        self.put("type");
        self.name();
        self.put("=");
        match self.choices.below(4) {
            0 => self.type_expr(),
            1 => self.segments(),
            2 => {
                self.text();
                for _ in 0..self.choices.below(8) {
                    self.put("|");
                    self.text();
                }
            }
            _ => {
                for _ in 0..=self.choices.below(4) {
                    self.put("|");
                    self.name();
                    self.segments();
                }
            }
        }
    }

    fn segments(&mut self) {
        for _ in 0..=self.choices.below(5) {
            self.segment();
        }
    }

    fn segment(&mut self) {
        match self.choices.below(9) {
            0 | 1 => self.literal(),
            6 => self.hashed_literal(),
            7 => self.derived(),
            8 if self.depth < 3 => {
                self.depth += 1;
                self.put("wrap");
                self.plain_name();
                self.put("(");
                self.segments();
                self.put(")");
                self.depth -= 1;
            }
            2 if self.depth < 3 => {
                self.depth += 1;
                self.put("[");
                self.segments();
                if self.choices.often() {
                    self.put("if");
                    self.condition();
                }
                self.put("]");
                self.depth -= 1;
            }
            _ => {
                self.put("{");
                self.name();
                self.was();
                if self.choices.often() {
                    self.put(":");
                    self.type_expr();
                }
                if self.choices.seldom() {
                    self.put("from value");
                    match self.choices.below(3) {
                        0 => {}
                        1 => self.put("each"),
                        _ => self.put("optional"),
                    }
                    if self.choices.often() {
                        self.step();
                        while self.choices.seldom() {
                            self.put(".");
                            self.step();
                        }
                    }
                }
                self.put("}");
            }
        }
    }

    /// Adds a step of a path into a value.
    fn step(&mut self) {
        match self.choices.below(3) {
            0 => self.plain_name(),
            1 => self.put("\"due-date\""),
            _ => self.put("536870911"),
        }
    }

    fn hashed_literal(&mut self) {
        self.plain_name();
        self.put("(");
        self.literal();
        self.put(")");
    }

    fn derived(&mut self) {
        self.put("{ =");
        self.plain_name();
        self.put("(");
        self.name();
        while self.choices.seldom() {
            self.put(",");
            self.name();
        }
        self.put(")");
        if self.choices.seldom() {
            self.put("[");
            self.range();
            self.put("]");
        }
        self.put("}");
    }

    fn condition(&mut self) {
        loop {
            match self.choices.below(5) {
                0 => {
                    self.put("(");
                    self.condition();
                    self.put(")");
                }
                1 => {
                    self.name();
                    self.put("in");
                    self.range();
                }
                2 => {
                    self.name();
                    self.put("is");
                    self.text();
                }
                _ => {
                    self.name();
                    self.put(if self.depth > 1 { "is not" } else { "is" });
                    self.name();
                }
            }
            if self.choices.often() {
                return;
            }
            let word = self.choices.one_of(&["and", "or"]);
            self.put(word);
        }
    }

    fn range(&mut self) {
        let range = self.choices.one_of(&[
            "1",
            "- 7",
            "0 ..= 9",
            ".. 1_000",
            "..= - 2",
            "- 5 .. - 1",
            "3 ..",
            "..",
        ]);
        self.put(range);
    }

    fn type_expr(&mut self) {
        self.plain_name();
        if self.choices.seldom() {
            self.put(".");
            self.name();
        }
        if self.choices.often() && self.depth < 3 {
            self.arguments();
        }
        if self.choices.seldom() {
            self.put("[");
            self.range();
            self.put("]");
        }
        if self.choices.seldom() {
            self.put("in");
            self.range();
        }
        if self.choices.seldom() {
            self.put("shown as");
            self.plain_name();
            if self.choices.often() {
                self.put("(");
                self.literal();
                self.put(")");
            }
        }
    }

    fn arguments(&mut self) {
        self.depth += 1;
        self.put("(");
        for n in 0..self.choices.below(4) {
            if n > 0 {
                self.put(",");
            }
            match self.choices.below(6) {
                0 => self.regex(),
                1 => {
                    self.put("not");
                    self.regex();
                }
                4 => self.put("1e9"),
                2 => {
                    self.put("neg =");
                    self.literal();
                }
                3 => self.literal(),
                _ => self.type_expr(),
            }
        }
        self.put(")");
        self.depth -= 1;
    }

    fn value(&mut self) {
        match self.choices.below(6) {
            0 => self.put("empty"),
            1 => {
                self.put("const");
                self.literal();
            }
            2 => self.put("json"),
            3 => {
                self.put("json");
                self.plain_name();
            }
            4 => {
                self.put("proto");
                self.name();
            }
            _ => self.type_expr(),
        }
    }

    fn keyspace(&mut self) {
        let kind = self.choices.one_of(&KINDS);
        self.put(kind);
        self.name();
        if self.choices.seldom() {
            self.put("of");
            self.name();
        }
        self.was();
        self.put("=");
        self.segments();
        if self.choices.often() {
            self.put("->");
            self.value();
            if self.choices.seldom() {
                self.put("reads");
                self.value();
            }
        }
        for _ in 0..self.choices.below(4) {
            self.clause();
        }
    }

    fn was(&mut self) {
        if self.choices.seldom() {
            self.put("was");
            self.name();
        }
    }

    fn clause(&mut self) {
        match self.choices.below(9) {
            0 | 1 => self.scan(),
            7 => {
                self.put("deprecated");
                self.text();
            }
            2 => {
                self.put("in");
                self.plain_name();
            }
            3 => {
                let clause = self.choices.one_of(&["unique", "counted", "ranked"]);
                self.put(clause);
            }
            4 => {
                let word = self.choices.one_of(&["member", "score"]);
                self.put(word);
                self.type_expr();
            }
            5 => {
                self.put("field");
                self.name();
                self.was();
                self.put("=");
                self.segments();
                self.put("->");
                self.value();
            }
            6 => {
                let start = self.choices.one_of(&["split at", "split at first", "split at last"]);
                self.put(start);
                self.literal();
            }
            _ => {
                self.put("accept KS001");
                if self.choices.seldom() {
                    self.put("scan a . b");
                }
                if self.choices.seldom() {
                    self.put("with b");
                }
                self.text();
            }
        }
    }

    fn scan(&mut self) {
        let start =
            self.choices.one_of(&["scan all", "scan a", "scan index", "scan a . b , owner"]);
        self.put(start);
        if self.choices.seldom() {
            self.put("by a , b");
        }
        if self.choices.seldom() {
            self.put("as");
            self.segments();
            if self.choices.often() {
                self.put("..");
                self.segments();
            }
        }
        if self.choices.seldom() {
            self.put("also a , b");
        }
    }
}

/// Joins tokens with random white space and comments. Returns the text and its comments.
pub(crate) fn scatter(tokens: &[String], choices: &mut Choices) -> (String, Vec<String>) {
    const GAPS: [&str; 10] = [" ", " ", " ", "\t", "\n", "\n\n", "\r\n", "\n \n\n", "  ", " "];
    let (mut text, mut comments) = (String::new(), Vec::new());
    for token in tokens {
        while choices.below(8) == 0 {
            let marker = choices.one_of(&["//", "///", "//!", "////", "// "]);
            let comment = format!("{marker}{}", comments.len());
            text.push_str(choices.one_of(&["", " ", "\n", "\n\n"]));
            text.push_str(&comment);
            text.push_str(choices.one_of(&["\n", "  \r\n", "\n\n"]));
            comments.push(comment);
        }
        text.push_str(token);
        text.push_str(choices.one_of(&GAPS));
    }
    (text, comments)
}
