//! Embeds the testbed files.

include!("embed.rs");

fn main() {
    embed(&[
        ("TESTBEDS", "testbeds", "toml"),
        ("BASES", "testbeds/base", "toml"),
    ]);
}
