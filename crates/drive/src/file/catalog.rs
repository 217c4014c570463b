//! The drives that come with ftlab, and those in the user's own files.

use super::drive_file::DriveFile;
use super::embedded::DRIVES;
use ftlab_sheet::SheetError;
use ftlab_sheet::file::{is_path, made_of, stem, text_of};
use ftlab_sheet::names::{self, Named};
use std::path::Path;

/// Finds drives by name or path.
pub struct Catalog;

impl Catalog {
    /// The slugs of all drives that come with ftlab, sorted.
    #[must_use]
    pub fn drives() -> Vec<&'static str> {
        DRIVES.iter().map(|(slug, _)| *slug).collect()
    }

    /// Loads a drive by slug, alias or a part of them, or from a path that ends in `.toml`, and applies
    /// `key=value` settings.
    ///
    /// # Errors
    /// When there is no such drive or several, or its file or a setting is wrong.
    pub fn load(name: &str, settings: &[String]) -> Result<DriveFile, SheetError> {
        let of_file = || made_of(name, |text| DriveFile::parse(&stem(name), text, settings));
        if is_path(name) && text_of(DRIVES, name).is_none() {
            return of_file();
        }
        match Catalog::known(name, settings) {
            Err(SheetError::Unknown { .. }) if Path::new(name).exists() => of_file(),
            found => found,
        }
    }

    /// Loads a drive that comes with ftlab by slug, alias or a part of them, and applies `key=value` settings. No file is
    /// looked for.
    ///
    /// # Errors
    /// As [`Catalog::load`].
    pub fn known(name: &str, settings: &[String]) -> Result<DriveFile, SheetError> {
        if let Some(text) = text_of(DRIVES, name) {
            return DriveFile::parse(name, text, settings);
        }
        let named = |&(slug, text): &(&'static str, &str)| {
            let file = DriveFile::parse(slug, text, &[])?;
            let others = file.aliases().iter().map(String::as_str);
            let others = others.chain([file.name()]).map(str::to_owned).collect();
            Ok(Named { slug, others })
        };
        let known = DRIVES.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let hint = "`ftlab drives` lists them all, and a path to a .toml file works too";
        let slug = names::find("drive", name, &known, hint.to_owned())?;
        let text = text_of(DRIVES, slug).expect("it was found there");
        DriveFile::parse(slug, text, settings)
    }
}
