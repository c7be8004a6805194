// A mistake of syntax.
keyscape::layout!(r#"
store shop
map orders = "o/" {order u64be} -> empty
"#);

fn main() {}
