//! `--shrink-to`: a drive with smaller blocks, which is prepared and filled in less time.

use crate::failure::Failure;
use crate::progress::Signs;
use clap::Args;
use ftlab_base::amount::decimal;
use ftlab_drive::DriveFile;
use ftlab_lab::Subject;
use std::collections::BTreeSet;

#[derive(Debug, Args)]
pub struct ShrinkOption {
    /// Take the drive in a form of at most that size, for example 16g: blocks have fewer pages, and the rest is the same. Speeds,
    /// latencies and write amplification are those of the drive, which is prepared in less time
    #[arg(long, value_name = "SIZE", value_parser = size)]
    shrink_to: Option<u64>,
}

/// Reads a size, in fio's words.
fn size(text: &str) -> Result<u64, String> {
    ftlab_workload::bytes(text).map_err(|allowed| format!("give {allowed}"))
}

/// True of a drive whose blocks are no smaller in another form of it. What has no flash has no extent.
fn maps_blocks(drive: &Subject) -> bool {
    let extent = drive.only().map(DriveFile::extent);
    extent.is_some_and(|extent| extent.is_ok_and(|extent| extent.is_block_mapped))
}

/// Refusal of a drive that cannot be made as small as was asked.
fn least(slug: &str, bytes: u64) -> Failure {
    let bytes = decimal(bytes as f64, "B");
    Failure::Input(format!(
        "--shrink-to: {slug} has {bytes} at least, with blocks of few pages"
    ))
}

impl ShrinkOption {
    /// A drive file in the size that was asked for.
    ///
    /// # Errors
    /// When it cannot be made as small.
    pub fn shrunk(&self, file: DriveFile) -> Result<DriveFile, Failure> {
        let Some(most) = self.shrink_to else {
            return Ok(file);
        };
        let (small, _) = file.shrunk_to(most)?;
        let bytes = small.capacity_bytes();
        match bytes > most && file.raw_bytes().is_some() {
            true => Err(least(file.slug(), bytes)),
            false => Ok(small),
        }
    }

    /// Drives in the size that was asked for; without one in `usual` bytes at most, but for those whose blocks decide what a
    /// write costs.
    ///
    /// # Errors
    /// As [`ShrinkOption::fit`].
    pub fn fit_or(
        &self,
        drives: Vec<Subject>,
        usual: u64,
        signs: Signs,
    ) -> Result<Vec<Subject>, Failure> {
        if self.shrink_to.is_some() {
            return self.fit(drives, signs);
        }
        let drives = drives.into_iter().map(|drive| {
            let bytes = (!maps_blocks(&drive)).then_some(usual);
            Subject::fit(vec![drive], bytes)
        });
        let fitted: Vec<Vec<Subject>> = drives.collect::<Result<_, _>>()?;
        Ok(fitted.concat())
    }

    /// Drives in the size that was asked for, which `signs` tell of.
    ///
    /// # Errors
    /// When one cannot be made as small, or would be another drive.
    pub fn fit(&self, drives: Vec<Subject>, signs: Signs) -> Result<Vec<Subject>, Failure> {
        let Some(most) = self.shrink_to else {
            return Ok(drives);
        };
        let wrong = |why: String| Err(Failure::Input(format!("--shrink-to: {why}")));
        for drive in &drives {
            if drive.only().is_none() {
                return wrong("drives that jobs name keep their sizes; leave it out".to_owned());
            }
            if maps_blocks(drive) {
                return wrong(format!(
                    "{} maps whole blocks, whose size decides what a write costs; leave it out",
                    drive.slug()
                ));
            }
        }
        let small = Subject::fit(drives, Some(most))?;
        let too_large = |drive: &&Subject| drive.full().is_some() && drive.capacity_bytes() > most;
        if let Some(drive) = small.iter().find(too_large) {
            return Err(least(drive.slug(), drive.capacity_bytes()));
        }
        // Variants of a drive are as large as it is.
        let mut told = BTreeSet::new();
        for drive in &small {
            if let Some(words) = drive.words_of_size()
                && told.insert((drive.slug().to_owned(), words.clone()))
            {
                signs.tell(&format!("note: {}: {words}\n", drive.slug()));
            }
        }
        Ok(small)
    }
}
