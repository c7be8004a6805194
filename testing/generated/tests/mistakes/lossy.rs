// KS005: two values have one encoding.
keyscape::layout!(r#"
store shop
map orders = "o/" {order: f64_of(u64)} -> empty
"#);

fn main() {}
