//! Opens databases.

use crate::{Options, Tikv};
use keyscape_store::{Db, Layout, LayoutError, Spaces, StoreError};

keyscape_store_remote::openers!(Tikv, "keyscape_store_tikv", "tikv://127.0.0.1:2379/shop");
