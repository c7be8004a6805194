//~ 10 E0308
// A denomination is not any text.
keyscape::layout!(r#"
store bank
type Denom = text(r"[a-z]{3,9}")
map supply = 0x00 {denom: Denom} -> dec
"#);

fn main() {
    let _ = bank::SupplyKey { denom: "uatom" };
}
