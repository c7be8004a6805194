// Neither a path nor a layout.
keyscape::layout!(store shop);

fn main() {}
