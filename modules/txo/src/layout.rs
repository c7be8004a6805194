//! The layout, proved at compile time.

use crate::values::{Row, Unit};

keyscape::layout!("../../layouts/onesat/sound.keys");
