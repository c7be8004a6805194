//! Opens databases with layouts.

use crate::Options;
use keyscape_store::{Db, Layout, LayoutError};

keyscape_store_remote::openers!("keyscape_store_postgres", "postgres://user@localhost/shop");
