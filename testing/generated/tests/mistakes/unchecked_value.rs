//~ 10 E0603
// Values are made by what checks them.
keyscape::layout!(r#"
store bank
type Uptime = dec(u8) in 0..=5
map uptimes = 0x00 {uptime: Uptime} -> empty
"#);

fn main() {
    let _ = bank::Uptime(6);
}
