//! SimpleSSD 2's configuration in sections of keys (`*.cfg`), and the load generator of SimpleSSD-Standalone.

use crate::draft::{Draft, Job};
use crate::settings::{Known, Settings, one_line};
use crate::table::Table;
use crate::{ImportError, Imported, Text};
use std::collections::BTreeMap;

/// The drive of a configuration. A file of SimpleSSD-Standalone with a `[generator]`, which may be the same file or another,
/// gives a job as well.
///
/// # Errors
/// Where a line is no setting, a value cannot be read, the drive is of a kind that ftlab has not, or no file has one.
pub fn simplessd(file: &Text<'_>, other: Option<&Text<'_>>) -> Result<Imported, ImportError> {
    let table = Table::of(include_str!("../tables/simplessd.toml"));
    let mut all = vec![(*file, read(file)?)];
    if let Some(other) = other {
        all.push((*other, read(other)?));
    }
    let holds = |section: &str| all.iter().position(|(_, said)| said.any(section));
    // Either of the two files may be the drive's: what they hold decides, not their order.
    let (flash, load) = (holds("pal."), holds("generator."));
    let Some(flash) = flash else {
        let runs = load.is_some() || holds("global.").is_some();
        let why = match runs {
            true => {
                "it says how SimpleSSD-Standalone runs, and describes no drive: no file has a [pal]. Give the drive's file \
                 behind it, the second that simplessd-standalone is given, such as simplessd/config/sample.cfg"
            }
            false => {
                "it has neither [pal], which describes the flash, nor [generator]; give a .cfg of SimpleSSD 2"
            }
        };
        return Err(ImportError::new(file.name, why));
    };
    let (file, said) = &mut all[flash];
    let mut draft = Draft::new(&table.program, file.name);
    let named = superblock(said)?;
    table.apply(said, &mut draft, named)?;
    let mut jobs = Vec::new();
    if let Some(load) = load {
        let (file, said) = &mut all[load];
        jobs.push(job(file, said, &mut draft)?);
    }
    for (_, said) in all {
        table.leave(said, &mut draft);
    }
    Ok(draft.finish(jobs))
}

/// The `[generator]` of SimpleSSD-Standalone, which has fio's words for most of it.
fn job(file: &Text<'_>, said: &mut Settings, draft: &mut Draft) -> Result<Job, ImportError> {
    let table = Table::of(include_str!("../tables/simplessd-generator.toml"));
    let lines = table.apply(said, draft, BTreeMap::new())?;
    let text = format!(
        "# The generator of SimpleSSD's {}, taken over by `ftlab import`.\n\n[generator]\nioengine=libaio\ndirect=1\n\
         filename=/dev/ftlab0\nnorandommap\nrandrepeat=0\n{lines}",
        one_line(file.name)
    );
    Ok(Job {
        suffix: String::new(),
        text,
        wraps: false,
    })
}

/// Keys with their sections before them: `pal.Channel`.
fn read(file: &Text<'_>) -> Result<Settings, ImportError> {
    let mut said = Settings::new(file, "SimpleSSD");
    let mut section = None;
    for (text, line) in file.text.lines().zip(1..) {
        let text = text.split('#').next().unwrap_or("").trim();
        if text.is_empty() {
            continue;
        }
        // XML looks like a row without `=`, so it is named before the general error.
        if text.starts_with('<') {
            let why = "this is XML; SimpleSSD 2.1 and later are not read. Give a .cfg of sections and keys, as SimpleSSD 2.0 has";
            return Err(ImportError::new(said.place(line), why));
        }
        if let Some(name) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = Some(name.trim().to_owned());
            continue;
        }
        let Some((key, value)) = text.split_once('=') else {
            let why = format!("`{text}` is neither [section] nor key = value");
            return Err(ImportError::new(said.place(line), why));
        };
        let Some(section) = &section else {
            let why = format!("{} stands before any [section]", key.trim());
            return Err(ImportError::new(said.place(line), why));
        };
        said.push(&format!("{section}.{}", key.trim()), value, line);
    }
    Ok(said)
}

/// The word that says what a superblock takes all of, and its letters: 1 or 0 each.
fn superblock(said: &mut Settings) -> Result<BTreeMap<String, Known>, ImportError> {
    // Both names were in use.
    let key = ["pal.SuperblockSize", "pal.Superblock"]
        .into_iter()
        .find(|key| said.has(key));
    let key = key.unwrap_or("pal.SuperblockSize");
    let known = said.word(key, "");
    let word = known.word.clone().unwrap_or_default();
    if word.contains(|letter| !"CWDP".contains(letter)) {
        let why = format!("`{word}` is none of: C, W, D, P and several of them, as in CW");
        return Err(ImportError::new(said.place_of(key), why));
    }
    let letters = [("channels", 'C'), ("packages", 'W'), ("dies", 'D')];
    let mut named = BTreeMap::from(letters.map(|(of, letter)| {
        let value = f64::from(u8::from(word.contains(letter)));
        let known = Known {
            value,
            ..Known::default()
        };
        (format!("all_{of}"), known)
    }));
    let superblock = Known {
        value: 1.0,
        ..known
    };
    named.insert("superblock".to_owned(), superblock);
    Ok(named)
}
