//! A drive file fitted to a few figures of a real drive, or made from what its data sheet announces.
//!
//! Each figure fits one number, in an order in which the later ones lean on the earlier. Write amplification against
//! the used space fits the amount of flash, by the closed form; so does the rate of random writes, by the model. The
//! speed of writes in order fits the time of a program. Rates of reads fit the link and the controller's time for a
//! command, the latencies of a read and of a write by itself its time beside that. The model, made small, runs the
//! measured job with another number each time, until it gives the figure.

mod announced;
mod bench;
mod draft;
mod flash;
mod kind;
mod measured;
mod numbers;
mod remarks;
mod sheet;
mod solve;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_sheets;
mod text;
mod types;

pub use announced::{from_sheet, shown};
pub use kind::Kind;
pub use measured::Measured;
pub use sheet::Sheet;
pub use text::of as in_sections;
pub use types::{CalibrateError, Calibrated, Fitted, MeasuredWa, Pinned, PinnedBy};

use bench::{Bench, Fit};
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use toml::Table;

/// Fits a drive file to figures of a drive.
///
/// # Errors
/// When a figure is there twice, fits no number of such a drive, or lies beyond what it can give.
pub fn calibrate(
    base: &DriveFile,
    name: &str,
    wa: Option<MeasuredWa>,
    figures: &[Measured],
    testbed: &Testbed,
) -> Result<Calibrated, CalibrateError> {
    let mut figures: Vec<&Measured> = figures.iter().collect();
    figures.sort_by_key(|figure| figure.kind);
    if let Some(twice) = figures.windows(2).find(|two| two[0].kind == two[1].kind) {
        return Err(CalibrateError::Input(format!(
            "{} and {} measure the same: give one of them",
            twice[0].source, twice[1].source
        )));
    }
    let mut file = base.clone();
    let mut fitted = Vec::new();
    if let Some(wa) = wa {
        let (next, row) = flash::for_wa(&file, wa)?;
        (file, fitted) = (next, vec![row]);
    }
    for figure in &figures {
        let row = match (Bench { testbed, figure }).fit(&file)? {
            Fit::At(row) => row,
            Fit::Short { why, .. } => return Err(CalibrateError::Input(why)),
        };
        file = file.with(&[bench::setting(figure.kind.number(), row.is)])?;
        fitted.push(row);
    }
    // The figures of the drive as it is now.
    for row in &mut fitted {
        let figure = figures
            .iter()
            .find(|f| Some(&f.source) == row.source.as_ref());
        row.model[1] = match (figure, wa) {
            (Some(figure), _) => Bench { testbed, figure }.shown(&file)?,
            (None, Some(wa)) => flash::closed_form(&file, wa)?.1,
            (None, None) => unreachable!("it is from a figure"),
        };
    }
    let mut table: Table = file.text().parse().expect("it was read");
    table.insert("name".to_owned(), name.into());
    text::put(&mut table, &fitted, text::MEASURED);
    let text = text::of(&table);
    let slug = format!("the fit of {}", base.slug());
    let file = base.catalog().parse(&slug, &text, &[])?;
    Ok(Calibrated {
        file,
        text,
        fitted,
        contradictions: Vec::new(),
        remarks: Vec::new(),
        pinned: Vec::new(),
    })
}
