//! What is to be known of a drive that was made from a sheet: what the sheet does not pin, and what its life asks of the flash.

use super::flash;
use super::kind::Kind;
use super::measured::Measured;
use super::numbers::count_of;
use super::sheet::Sheet;
use super::types::{Fitted, MeasuredWa};
use ftlab_drive::DriveFile;

/// What a die may have beside its nominal size: makers put in a few percent for bad blocks.
const DIE_SHARE_MAX: f64 = 1.12;

const GIB: f64 = (1_u64 << 30) as f64;

/// A sheet of a drive with a cache announces the cache.
pub fn on_cache(sheet: &Sheet, file: &DriveFile, figures: &[Measured]) -> Vec<String> {
    if !flash::has_cache(file) {
        return Vec::new();
    }
    let is_told = figures
        .iter()
        .any(|figure| figure.kind == Kind::PastCacheWrite);
    let past = match (is_told, sheet.year) {
        (true, _) => "",
        (false, Some(_)) => {
            ". The sheet does not say how fast it goes past it: nand.t_program is that of dies of its year"
        }
        (false, None) => {
            ". The sheet does not say how fast it goes past it: nand.t_program is the class's; with `year` it would be that of dies of \
             its time"
        }
    };
    let mut remarks = vec![format!(
        "writes: the drive has a cache of SLC, so what is announced of writes pins the cache and its controller, not the flash behind \
         it{past}"
    )];
    if sheet.cache_bytes().is_none() {
        let unknown = "cache: the sheet does not tell its size; its part of the flash is the class's, and those of drives of one class differ by \
                       more than a factor of three, by controller: give `cache`, or slc.free_share";
        remarks.push(unknown.to_owned());
    }
    remarks
}

/// Flash that random writes need and dies of this size do not have.
pub fn on_flash(
    sheet: &Sheet,
    file: &DriveFile,
    fitted: &[Fitted],
    die_bytes: u64,
) -> Option<String> {
    fitted.iter().find(|row| row.key == flash::KEY)?;
    let of_a_die = file.raw_bytes()? as f64 / f64::from(count_of(file, "map.stripe_dies")?);
    let share = of_a_die / die_bytes as f64;
    (share > DIE_SHARE_MAX).then(|| {
        format!(
            "{}: random writes and writes in order together need {:.0} GiB of each die, {:.0} % more than its nominal size: there are more \
             dies (`dies`), or one of the two was announced of another state",
            sheet.source,
            of_a_die / GIB,
            100.0 * (share - 1.0)
        )
    })
}

/// What the promised writes ask of the flash: a witness of how much of it there is. Then the contradiction, if cells of the
/// class do not bear it.
pub fn on_life(sheet: &Sheet, file: &DriveFile) -> (Option<String>, Option<String>) {
    let (Some((bytes, years)), Some(raw)) = (sheet.written(), file.raw_bytes()) else {
        return (None, None);
    };
    // Drives without a cache are rated for random writes.
    let at = MeasuredWa { wa: 1.0, used: 1.0 };
    let wa = flash::closed_form(file, at).ok().map(|(_, now)| now);
    let cycles = bytes * wa.unwrap_or(1.0) / raw as f64;
    let how = match wa {
        Some(wa) => format!("written at random (write amplification {wa:.2})"),
        None => "without what the drive itself adds".to_owned(),
    };
    let of_class = |key: &str| count_of(file, &format!("reliability.{key}"));
    let rated = of_class("rated_cycles").map_or(String::new(), |rated| {
        format!("; cells of the class are rated for {rated}")
    });
    let remark = format!(
        "life: {:.0} TB in {years} years, {how}, are {cycles:.0} cycles of each block{rated}",
        bytes / 1e12
    );
    let median = of_class("median_cycles").filter(|median| cycles > f64::from(*median));
    let beyond = median.map(|median| {
        format!(
            "{}: the life that is promised takes {cycles:.0} cycles of each block, and half of the cells of the class have {median}: there \
             is more flash than random and sequential writes tell, or the promise is of other writes",
            sheet.source
        )
    });
    (Some(remark), beyond)
}
