//! Typed access to a hand-written keyspace that looks as generated ones do.

#[expect(unreachable_pub, reason = "documentation examples include it as well")]
mod shop;
