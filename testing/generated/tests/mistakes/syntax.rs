// A syntax error.
keyscape::layout!(r#"
store shop
map orders = "o/" {order u64be} -> empty
"#);

fn main() {}
