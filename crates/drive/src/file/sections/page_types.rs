//! The times of a word line's page types, which share its cells: as a drive file states them one by one, or by how far
//! they are apart.

use super::nand::Nand;
use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Quantity, Time};
use ftlab_timing::MOST_PAGE_TYPES;

/// Sensing and programming a page, by its type.
type Times = [(Nanos, Nanos); MOST_PAGE_TYPES];

/// What is said to be a mean may differ from the mean by this part of it: files state round figures.
const MEAN_OFF: f64 = 0.01;

/// How many page types have times of their own, and those.
pub(super) fn times(nand: &Nand) -> Result<(u32, Times), String> {
    let read = stated(
        "t_read",
        &nand.t_read,
        [
            &nand.t_read_lsb,
            &nand.t_read_csb,
            &nand.t_read_msb,
            &nand.t_read_tsb,
        ],
    )?;
    let program = stated(
        "t_program",
        &nand.t_program,
        [
            &nand.t_program_lsb,
            &nand.t_program_csb,
            &nand.t_program_msb,
            &nand.t_program_tsb,
        ],
    )?;
    let together = nand.pages_per_program();
    if read.is_empty() && program.is_empty() {
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
    if together > 1 && !program.is_empty() {
        return Err(
            "nand.t_program_lsb is for pages that are programmed one after the other; those of \
             nand.pages_per_program take nand.t_program together"
                .to_owned(),
        );
    }
    if !program.is_empty() && program.len() != read.len() {
        return Err(format!(
            "nand.t_program_lsb: {} page types have a time to program, and {} a time to read; give both for all",
            program.len(),
            read.len()
        ));
    }
    let mut times = Times::default();
    for (n, &read) in read.iter().enumerate() {
        let program = program.get(n).copied();
        times[n] = (read, program.unwrap_or(nand.t_program.get()));
    }
    Ok((read.len() as u32, times))
}

/// The times that are stated by type, in their order; none if none is.
fn stated(
    name: &str,
    mean: &Quantity<Time>,
    [lsb, csb, msb, tsb]: [&Option<Quantity<Time>>; MOST_PAGE_TYPES],
) -> Result<Vec<Nanos>, String> {
    let given = [lsb, csb, msb, tsb].map(|time| time.as_ref().map(|time| time.get()));
    let times: Vec<Nanos> = given.into_iter().flatten().collect();
    let of_cells = matches!(
        given.map(|time| time.is_some()),
        [false, false, false, false]
            | [true, false, true, false]
            | [true, true, true, false]
            | [true, true, true, true]
    );
    if !of_cells {
        return Err(format!(
            "nand.{name}_lsb and its like: a cell of two bits has {name}_lsb and {name}_msb, one of three {name}_csb \
             besides, and one of four {name}_tsb, too"
        ));
    }
    if !times.is_empty() {
        let sum: u64 = times.iter().map(|time| time.0).sum();
        let (is, says) = (sum as f64 / times.len() as f64, mean.get().0 as f64);
        if (is - says).abs() > MEAN_OFF * is {
            return Err(format!(
                "nand.{name}: {:.1} us; it is the mean of the page types, which is {:.1} us",
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
    let time = |page: usize| (first + step * page as u64, nand.t_program.get());
    Ok((pages, std::array::from_fn(time)))
}
