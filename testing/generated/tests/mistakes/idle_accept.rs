// An acceptance that accepts nothing.
keyscape::layout!(r#"
store shop
map orders = "o/" {order: u64be} -> empty
    scan all by order
    accept KS004 scan all "decimals"
"#);

fn main() {}
