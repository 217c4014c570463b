//! The tables of sections and keys in the guide to drive files are what the sections say of themselves.
//!
//! With `FTLAB_REDRAW_GUIDES` set the test draws them again, as `make guides` does.

use ftlab_drive::Kind;
use ftlab_drive::file::{Key, Sheet, sections};
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- keys: begin; drawn by `make guides` -->\n";
const END: &str = "<!-- keys: end -->\n";

/// A sentence of a doc comment, whose lines begin with a space.
fn sentence(about: &str) -> String {
    about.trim().replace('|', "\\|")
}

fn draw(sheet: &Sheet) -> String {
    let Sheet { name, scheme, .. } = sheet;
    let with = scheme.map_or(String::new(), |scheme| {
        format!(", `map.scheme = \"{scheme}\"`")
    });
    let mut text = format!("\n**`[{name}]`**{with}: {}\n\n", sentence(sheet.about));
    text += "| key | takes | |\n|---|---|---|\n";
    for Key {
        name,
        about,
        takes,
        optional,
    } in sheet.keys
    {
        let name = if *optional {
            format!("`{name}`?")
        } else {
            format!("`{name}`")
        };
        writeln!(text, "| {name} | {takes} | {} |", sentence(about)).expect("to a string");
    }
    text
}

#[test]
fn the_guide_lists_every_section_and_key() {
    let mut drawn = String::new();
    for (title, kind) in [
        ("Sections of an SSD", Kind::Ssd),
        ("Sections of a hard disk", Kind::Disk),
        ("Sections of a RAM disk", Kind::Ram),
    ] {
        drawn += &format!("\n### {title}\n");
        drawn.extend(sections(kind).iter().map(draw));
    }
    drawn += "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/add-a-drive.md");
    let guide = std::fs::read_to_string(&path).expect("the guide is there");
    let (before, rest) = guide.split_once(BEGIN).expect("it has a begin");
    let (shown, after) = rest.split_once(END).expect("it has an end");
    if std::env::var_os("FTLAB_REDRAW_GUIDES").is_some() {
        let text = [before, BEGIN, &drawn, END, after].concat();
        return std::fs::write(path, text).expect("it can be written");
    }
    assert!(
        shown == drawn,
        "the keys of drive files have changed: draw them again with `make guides`\n{drawn}"
    );
}

#[test]
fn every_key_says_what_it_means() {
    for kind in [Kind::Ssd, Kind::Disk, Kind::Ram] {
        for sheet in sections(kind) {
            for about in sheet.keys.iter().map(|key| key.about).chain([sheet.about]) {
                assert!(
                    about.trim().len() > 5 && about.ends_with('.'),
                    "{}: {about}",
                    sheet.name
                );
            }
        }
    }
}
