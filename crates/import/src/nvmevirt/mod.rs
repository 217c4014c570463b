//! NVMeVirt: the drives that its `ssd_config.h` describes.

mod header;

use crate::draft::Draft;
use crate::settings::{Known, Settings};
use crate::table::Table;
use crate::{ImportError, Imported, Text};
use header::Header;
use std::collections::BTreeMap;

/// Choices that the header leaves to whoever builds and loads the module.
#[derive(Debug, Clone, Copy)]
pub struct Nvmevirt<'a> {
    /// `BASE_SSD`; it may be left out of a header that describes one drive.
    pub base: Option<&'a str>,
    /// Memory that the module is given, in bytes.
    pub capacity_bytes: u64,
}

/// Names of numbers, which describe nothing.
const NAMES: &[&str] = &["SSD_TYPE_", "CELL_MODE_", "ALLOCATOR_TYPE_"];

/// The drive of `BASE_SSD` in an `ssd_config.h`.
///
/// # Errors
/// Where the header cannot be read, a number of the drive is missing, or the drive is of a kind that ftlab has not.
pub fn nvmevirt(file: &Text<'_>, asked: Nvmevirt<'_>) -> Result<Imported, ImportError> {
    let table = Table::of(include_str!("../../tables/nvmevirt.toml"));
    let bases = header::bases(file.text);
    let base = base(file, asked.base, &bases)?;
    let header = Header::of(file, base)?;
    let kind = header.text("NS_SSD_TYPE_0").unwrap_or("");
    if kind != "SSD_TYPE_CONV" {
        let why = format!(
            "the first namespace of `{base}` is `{kind}`; only SSD_TYPE_CONV, a drive with a translation layer, is taken over"
        );
        return Err(ImportError::new(file.name, why));
    }
    let mut said = Settings::new(file, &table.program);
    for (name, value, line) in header.definitions() {
        if name == base
            || bases.iter().any(|other| other == name)
            || NAMES.iter().any(|start| name.starts_with(start))
        {
            continue;
        }
        match value {
            Ok(value) => said.push(name, &value.to_string(), line),
            // It does not matter where no number of the drive follows from it.
            Err(why) => said.push_wrong(name, header.text(name).unwrap_or(""), line, why),
        }
    }
    let source = match base {
        "" => file.name.to_owned(),
        base => format!("{base} of {}", file.name),
    };
    let mut draft = Draft::new(&table.program, &source);
    let capacity = Known::of(asked.capacity_bytes as f64, "--capacity".to_owned());
    let named = BTreeMap::from([("capacity".to_owned(), capacity)]);
    table.apply(&mut said, &mut draft, named)?;
    table.leave(said, &mut draft);
    Ok(draft.finish(Vec::new()))
}

/// The base SSD that is meant, of those that the header tells apart; empty where it describes one drive without a name.
fn base<'a>(
    file: &Text<'_>,
    asked: Option<&'a str>,
    bases: &'a [String],
) -> Result<&'a str, ImportError> {
    let why = match (asked, bases) {
        (Some(base), _) if bases.iter().any(|known| known == base) => return Ok(base),
        (None, [only]) => return Ok(only),
        (None, []) => return Ok(""),
        (Some(base), []) => {
            format!("it has no condition on BASE_SSD, so no `{base}`; leave out --base-ssd")
        }
        (Some(base), _) => format!(
            "no BASE_SSD is called `{base}`; it has {}",
            bases.join(", ")
        ),
        (None, _) => format!(
            "it describes several drives; choose one with --base-ssd: {}",
            bases.join(", ")
        ),
    };
    Err(ImportError::new(file.name, why))
}
