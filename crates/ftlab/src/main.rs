//! The `ftlab` command line.
fn main() {}
