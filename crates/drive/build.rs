//! Embeds the drive files.

include!("embed.rs");

fn main() {
    embed(&[
        ("DRIVES", "drives", "toml"),
        ("BASES", "drives/base", "toml"),
    ]);
}
