// KS004: decimals do not sort as numbers.
keyscape::layout!(r#"
store shop
map orders = "o/" {order: dec(u64)} -> empty
    scan all by order
"#);

fn main() {}
