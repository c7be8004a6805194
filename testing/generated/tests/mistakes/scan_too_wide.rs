// KS003: the scan stops before the separator.
keyscape::layout!(r#"
store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> empty
    scan user as "o/" {user}
"#);

fn main() {}
