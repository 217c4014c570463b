//! FEMU: the properties of its device on QEMU's command line (`-device femu,…`), which may stand in a shell script.

use crate::draft::Draft;
use crate::settings::Settings;
use crate::shell::expanded;
use crate::table::Table;
use crate::{ImportError, Imported, Text};
use std::collections::BTreeMap;

/// The drive of `-device femu,KEY=VALUE,…`, with QEMU's other words around it or without, or in a script that starts QEMU.
///
/// # Errors
/// Where there is no such device, a property cannot be read, or the drive is of a kind that ftlab has not.
pub fn femu(file: &Text<'_>) -> Result<Imported, ImportError> {
    let table = Table::of(include_str!("../tables/femu.toml"));
    let mut said = read(file)?;
    let mut draft = Draft::new(&table.program, file.name);
    table.apply(&mut said, &mut draft, BTreeMap::new())?;
    table.leave(said, &mut draft);
    Ok(draft.finish(Vec::new()))
}

/// The properties: of the device `femu` where other words stand around it.
fn read(file: &Text<'_>) -> Result<Settings, ImportError> {
    let mut said = Settings::new(file, "FEMU");
    // One word alone is the list of properties, whatever a shell would make of it.
    let is_list = file.text.split_whitespace().count() == 1;
    let text = match is_list {
        true => file.text.to_owned(),
        false => expanded(file.text),
    };
    let mut words = text.split_whitespace();
    // Older versions have their properties at the device nvme.
    let is_device = |word: &&str| {
        word.starts_with("femu,")
            || *word == "femu"
            || (word.starts_with("nvme,") && word.contains("femu_mode="))
    };
    let mut list = words.clone().find(is_device);
    if list.is_none() && words.clone().count() == 1 {
        list = words.next().filter(|word| word.contains('='));
    }
    let Some(list) = list else {
        let why = "there is no `-device femu,…` in it; give that, the script with it, or its properties as key=value,key=value";
        return Err(ImportError::new(file.name, why));
    };
    for pair in list
        .split(',')
        .filter(|pair| !["femu", "nvme"].contains(pair) && !pair.is_empty())
    {
        if pair.contains('$') {
            let why = format!(
                "`{pair}` is of a variable that nothing here sets, or of a command; write its value there"
            );
            return Err(ImportError::new(file.name, why));
        }
        let Some((key, value)) = pair.split_once('=') else {
            return Err(ImportError::new(
                file.name,
                format!("`{pair}` is no key=value"),
            ));
        };
        said.push(key.trim(), value, 1);
    }
    Ok(said)
}
