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
        ..
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

/// A key that nobody sets is a mechanism that nobody has asked for.
#[test]
fn every_key_is_set_by_a_drive_or_shown_to_users() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let texts_in = |folder: &str, ext: &str| {
        let files = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        let paths = files.map(|file| file.expect("it can be listed").path());
        let own = paths.filter(|path| path.extension().is_some_and(|of| of == ext));
        let texts = own.map(|path| std::fs::read_to_string(path).expect("it can be read"));
        texts.collect::<Vec<String>>()
    };
    let drives = [texts_in("drives", "toml"), texts_in("drives/base", "toml")].concat();
    let drives: Vec<toml::Table> = drives
        .iter()
        .map(|text| text.parse().expect("TOML"))
        .collect();
    let mut shown = ["docs", "docs/guides"].map(|folder| texts_in(folder, "md").concat());
    let own_tables = shown[1].find(BEGIN).zip(shown[1].find(END));
    let (begin, end) = own_tables.expect("the guide has its tables");
    shown[1].replace_range(begin..end, "");
    let shown = [
        shown.concat(),
        texts_in("reference", "toml").concat(),
        texts_in("crates/import/tables", "toml").concat(),
    ]
    .concat();
    for sheet in [Kind::Ssd, Kind::Disk, Kind::Ram]
        .into_iter()
        .flat_map(sections)
    {
        for key in sheet.keys {
            let is_set = |drive: &toml::Table| {
                let section = drive.get(sheet.name).and_then(toml::Value::as_table);
                section.is_some_and(|section| section.contains_key(key.name))
            };
            let path = format!("{}.{}", sheet.name, key.name);
            assert!(
                drives.iter().any(is_set) || shown.contains(&path),
                "no drive sets {path}, and nothing shows it to users"
            );
        }
    }
}
