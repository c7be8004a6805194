//! Fenced blocks of a Markdown page.

/// A fenced block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The words after the opening fence.
    pub(crate) info: Vec<String>,
    /// The text between the fences.
    pub(crate) text: String,
    /// The line of the page at which the text begins, counted from one.
    pub(crate) line: usize,
}

/// Returns the fenced blocks of a page in order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let info = info.split_whitespace().map(str::to_owned).collect();
                open = Some(Block { info, text: String::new(), line: index + 2 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}
