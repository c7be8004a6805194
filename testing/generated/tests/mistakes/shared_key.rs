// KS001: two keyspaces share keys.
keyscape::layout!(r#"
store shop
map orders = "o/" {id: text[1..=8]} -> empty
map open_orders = "o/open/" {id: u8} -> empty
"#);

fn main() {}
