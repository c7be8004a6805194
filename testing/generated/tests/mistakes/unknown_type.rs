// A type that does not exist.
keyscape::layout!(r#"
store shop
type Denom = text(r"[a-z]{3,9}")
map balances = 0x02 {denom: Demon} -> dec
"#);

fn main() {}
