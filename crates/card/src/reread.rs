//! Configurations that `ftlab import` reads again: the drive that comes back says how far they are off.

use crate::load::{Grid, Load};
use crate::{Asked, Card, CardError};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_import::{ImportError, Imported};

/// The loads under which the drive that comes back is compared with the one that it is of.
#[must_use]
pub fn compared() -> Vec<Load> {
    let grid = Grid {
        sizes_bytes: vec![4096, 65_536],
        depths: vec![1, 32],
        reads_pct: vec![0, 50, 100],
    };
    grid.loads()
}

/// The one file of a card.
pub struct Only<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl<'a> Only<'a> {
    pub fn of(card: &'a Card) -> Only<'a> {
        let (name, text) = &card.files[0];
        Only { name, text }
    }

    /// The drive of what was imported.
    pub fn drive(
        name: &str,
        imported: Result<Imported, ImportError>,
    ) -> Result<DriveFile, CardError> {
        let wrong = |why: String| {
            CardError::new(name, format!("`ftlab import` makes no drive of it: {why}"))
        };
        let imported = imported.map_err(|error| wrong(error.to_string()))?;
        let drive = Catalog::default().parse("reread", &imported.drive, &[]);
        drive.map_err(|error| wrong(error.to_string()))
    }
}

/// How the drive that comes back was compared.
pub const REREAD: &str = "How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.\n\
     This is no run of the other program.";

/// The first lines of a card: the drive, and how far the card is off if that is known, with words on how it was found.
pub fn head(asked: &Asked<'_>, found: &str) -> String {
    let drive = asked.drive;
    let set: Vec<String> = drive
        .settings()
        .iter()
        .map(|set| format!(" --set {set}"))
        .collect();
    let mut text = format!(
        "{}{}: {}, written by `ftlab card`.\n",
        drive.slug(),
        set.concat(),
        drive.name()
    );
    if !asked.off.is_empty() {
        text += &format!("\n{found}\n");
        for off in asked.off {
            text += &format!("  {}\n", off.line());
        }
    }
    text
}

/// Lines as a comment.
pub fn commented(text: &str, mark: &str) -> String {
    let lines = text.lines();
    lines
        .map(|line| format!("{mark}{line}").trim_end().to_owned() + "\n")
        .collect()
}
