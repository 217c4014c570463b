//! Embeds the drive files.

include!("../sheet/embed.rs");

fn main() {
    embed(&[
        ("DRIVES", "drives", "toml"),
        ("BASES", "drives/base", "toml"),
    ]);
}
