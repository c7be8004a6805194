//! x
keyscape::layout!("../../layouts/bank/sound.keys");
