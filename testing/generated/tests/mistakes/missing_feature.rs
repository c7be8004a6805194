keyscape::layout!(
    r#"
store shop
map orders = "o/" {user: u64be} -> proto Order
"#
);

fn main() {}
