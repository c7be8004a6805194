// KS002: a key has two readings.
keyscape::layout!(r#"
store shop
map orders = {user: text(r"[a-z/]+")} "/" {order: text(r"[a-z/]+")} -> empty
"#);

fn main() {}
