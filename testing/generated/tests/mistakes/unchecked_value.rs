//~ 10 E0603
// Only a checking constructor creates values.
keyscape::layout!(r#"
store bank
type Uptime = dec(u8) in 0..=5
map uptimes = 0x00 {uptime: Uptime} -> empty
"#);

fn main() {
    let _ = bank::Uptime(6);
}
