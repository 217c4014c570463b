//! Embeds the testbed files.

include!("../sheet/embed.rs");

fn main() {
    embed(&[
        ("TESTBEDS", "testbeds", "toml"),
        ("BASES", "testbeds/base", "toml"),
    ]);
}
