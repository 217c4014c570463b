//! The drives that come with ftlab, and those in the user's own files.

use super::drive_file::DriveFile;
use super::embedded::DRIVES;
use super::own::OwnPolicies;
use super::removed::RemovedKey;
use ftlab_sheet::SheetError;
use ftlab_sheet::file::{is_path, made_of, stem, text_of};
use ftlab_sheet::names::{self, Named};
use std::path::Path;

/// Finds drives by name or path and reads their files, which may name the policies that it was made with. By default there
/// are none but those that come along.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    own: OwnPolicies,
}

impl Catalog {
    /// A catalogue whose drives know policies of their reader's own: no other catalogue does.
    #[must_use]
    pub fn with(own: OwnPolicies) -> Catalog {
        Catalog { own }
    }

    /// The policies that it was made with.
    #[must_use]
    pub fn policies(&self) -> &OwnPolicies {
        &self.own
    }

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
    pub fn load(&self, name: &str, settings: &[String]) -> Result<DriveFile, SheetError> {
        let of_file = || made_of(name, |text| self.parse(&stem(name), text, settings));
        if is_path(name) && text_of(DRIVES, name).is_none() {
            return of_file();
        }
        match self.known(name, settings) {
            Err(SheetError::Unknown { .. }) if Path::new(name).exists() => of_file(),
            found => found,
        }
    }

    /// Loads a drive that comes with ftlab by slug, alias or a part of them, and applies `key=value` settings. No file is
    /// looked for.
    ///
    /// # Errors
    /// As [`Catalog::load`].
    pub fn known(&self, name: &str, settings: &[String]) -> Result<DriveFile, SheetError> {
        if let Some(text) = text_of(DRIVES, name) {
            return self.parse(name, text, settings);
        }
        let named = |&(slug, text): &(&'static str, &str)| {
            let file = self.parse(slug, text, &[])?;
            let others = file.aliases().iter().map(String::as_str);
            let others = others.chain([file.name()]).map(str::to_owned).collect();
            Ok(Named { slug, others })
        };
        let known = DRIVES.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let hint = "`ftlab drives` lists them all, and a path to a .toml file works too";
        let slug = names::find("drive", name, &known, hint.to_owned())?;
        let text = text_of(DRIVES, slug).expect("it was found there");
        self.parse(slug, text, settings)
    }

    /// Reads the text of a drive file and applies `key=value` settings. `slug` names it in errors.
    ///
    /// # Errors
    /// When the text is not TOML, a key is unknown or missing, or a value is impossible.
    pub fn parse(
        &self,
        slug: &str,
        text: &str,
        settings: &[String],
    ) -> Result<DriveFile, SheetError> {
        DriveFile::parse(slug, text, settings, &self.own)
    }

    /// Reads the text of a drive file that an earlier version has taken. Also gives a line for each key that there is no
    /// more, of those `removed`.
    ///
    /// # Errors
    /// As [`Catalog::parse`].
    pub fn parse_older(
        &self,
        slug: &str,
        text: &str,
        removed: &[RemovedKey],
    ) -> Result<(DriveFile, Vec<String>), SheetError> {
        DriveFile::parse_older(slug, text, removed, &self.own)
    }
}

impl DriveFile {
    /// A catalogue whose drives know the policies that this one knows.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        Catalog::with(self.own.clone())
    }
}
