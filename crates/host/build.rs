//! Embeds the testbed files.

include!("../sheet/embed.rs");

fn main() {
    embed(&[("TESTBEDS", "testbeds"), ("BASES", "testbeds/base")]);
}
