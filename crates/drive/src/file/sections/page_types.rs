//! The times of a word line's page types, which share its cells: as a drive file states them one by one, or by how far
//! they are apart.

use super::nand::Nand;
use ftlab_base::Nanos;
use ftlab_timing::MOST_PAGE_TYPES;

/// Sensing a page, by its type.
type Times = [Nanos; MOST_PAGE_TYPES];

/// Share by which a mean in a file may differ from the mean of its parts: files state round figures.
const MEAN_OFF: f64 = 0.01;

/// Number of page types that have times of their own, and those times.
pub(super) fn times(nand: &Nand) -> Result<(u32, Times), String> {
    let read = stated(nand)?;
    let together = nand.pages_per_program();
    if read.is_empty() {
        return spread(nand, together);
    }
    if nand.t_read_spread.is_some() {
        return Err(
            "nand.t_read_spread beside nand.t_read_lsb; leave one of the two out".to_owned(),
        );
    }
    if together > 1 && together as usize != read.len() {
        return Err(format!(
            "nand.pages_per_program: {together} pages at a time, and {} page types have a time to read; both are those \
             of a word line",
            read.len()
        ));
    }
    let mut times = Times::default();
    times[..read.len()].copy_from_slice(&read);
    Ok((read.len() as u32, times))
}

/// The times to read that are stated by type, in their order; none if none is.
fn stated(nand: &Nand) -> Result<Vec<Nanos>, String> {
    let given = [
        &nand.t_read_lsb,
        &nand.t_read_csb,
        &nand.t_read_msb,
        &nand.t_read_tsb,
    ];
    let given = given.map(|time| time.as_ref().map(|time| time.get()));
    let times: Vec<Nanos> = given.into_iter().flatten().collect();
    // These are the keys of cells of two, three and four bits; there may be none of them.
    let of_cells = matches!(
        given.map(|time| time.is_some()),
        [false, false, false, false]
            | [true, false, true, false]
            | [true, true, true, false]
            | [true, true, true, true]
    );
    if !of_cells {
        return Err(
            "nand.t_read_lsb and its like: a cell of two bits has t_read_lsb and t_read_msb, one of three t_read_csb \
             besides, and one of four t_read_tsb, too"
                .to_owned(),
        );
    }
    if !times.is_empty() {
        let sum: u64 = times.iter().map(|time| time.0).sum();
        let is = sum as f64 / times.len() as f64;
        let says = nand.t_read.get().0 as f64;
        if (is - says).abs() > MEAN_OFF * is {
            return Err(format!(
                "nand.t_read: {:.1} us; it is the mean of the page types, which is {:.1} us",
                says / 1e3,
                is / 1e3
            ));
        }
    }
    Ok(times)
}

/// The times of the pages of a word line that are programmed together, from the first one, which is read sooner than the
/// mean, to the last.
fn spread(nand: &Nand, pages: u32) -> Result<(u32, Times), String> {
    let Some(spread) = nand.t_read_spread.as_ref().map(|spread| spread.base) else {
        return Ok((1, Times::default()));
    };
    if pages == 1 || pages as usize > MOST_PAGE_TYPES || spread >= 1.0 {
        return Err(format!(
            "nand.t_read_spread: {spread}; it is a part of nand.t_read, from 0 to below 1, and needs a \
             nand.pages_per_program from 2 to {MOST_PAGE_TYPES}"
        ));
    }
    let mean = nand.t_read.get();
    let step = Nanos((2.0 * spread * mean.0 as f64 / f64::from(pages - 1)) as u64);
    let first = Nanos(mean.0 - (step * u64::from(pages - 1)).0 / 2);
    let time = |page: usize| first + step * page as u64;
    Ok((pages, std::array::from_fn(time)))
}
