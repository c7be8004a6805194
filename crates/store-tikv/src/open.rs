//! Opens databases with layouts.

use crate::Options;
use keyscape_store::{Db, Layout, LayoutError};

keyscape_store_remote::openers!("keyscape_store_tikv", "tikv://127.0.0.1:2379/shop");
