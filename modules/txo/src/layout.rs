//! The layout, proved when this crate is built.

use crate::values::{Row, Unit};

keyscape::layout!("../../layouts/onesat/sound.keys");
