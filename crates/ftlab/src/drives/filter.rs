//! Which of the drives `ftlab drives` lists.

use crate::options::choice;
use clap::Args;
use ftlab_drive::{Class, DriveFile, Flash};
use std::ops::RangeInclusive;

/// Several options of one kind list what any of them does; options of different kinds, what all of them do.
#[derive(Debug, Args)]
pub struct Filter {
    /// Drives of a year, or of a range of years with both ends: 2012, 2018.., ..2013, 2009..2011
    #[arg(long, value_name = "YEARS", value_parser = years)]
    year: Option<RangeInclusive<u16>>,
    /// Drives on PCI Express
    #[arg(long)]
    nvme: bool,
    /// Drives on SATA
    #[arg(long)]
    sata: bool,
    /// Drives of one bit a cell
    #[arg(long)]
    slc: bool,
    /// Drives of two bits a cell
    #[arg(long)]
    mlc: bool,
    /// Drives of three bits a cell
    #[arg(long)]
    tlc: bool,
    /// Drives of four bits a cell
    #[arg(long)]
    qlc: bool,
    /// Drives of a class; may be repeated
    #[arg(long = "class", value_name = "CLASS", value_parser = choice(Class::ALL.map(|class| (class.name(), class, ""))))]
    classes: Vec<Class>,
}

impl Filter {
    /// Returns true if the drive is to be listed.
    pub fn lets(&self, file: &DriveFile) -> bool {
        let of_year = |years: &RangeInclusive<u16>| file.year().is_some_and(|y| years.contains(&y));
        self.year.as_ref().is_none_or(of_year)
            && any(&[
                (self.nvme, file.is_nvme()),
                (self.sata, file.sata().is_some()),
            ])
            && any(&[
                (self.slc, file.flash() == Some(Flash::Slc)),
                (self.mlc, file.flash() == Some(Flash::Mlc)),
                (self.tlc, file.flash() == Some(Flash::Tlc)),
                (self.qlc, file.flash() == Some(Flash::Qlc)),
            ])
            && (self.classes.is_empty()
                || file
                    .class()
                    .is_some_and(|class| self.classes.contains(&class)))
    }
}

/// Options of one kind, as (asked for, is so): true if none is asked for, or one is so that is.
fn any(options: &[(bool, bool)]) -> bool {
    options.iter().all(|(asked, _)| !asked) || options.iter().any(|(asked, is)| *asked && *is)
}

/// Reads years: one, or a range that may be open at an end.
fn years(text: &str) -> Result<RangeInclusive<u16>, String> {
    let wrong = || "give a year or a range of years: 2012, 2018.., ..2013 or 2009..2011".to_owned();
    let year = |text: &str, open: u16| match text.trim() {
        "" => Ok(open),
        year if year.len() == 4 => year.parse().map_err(|_| wrong()),
        _ => Err(wrong()),
    };
    let range = match text.split_once("..") {
        None if text.trim().is_empty() => return Err(wrong()),
        None => year(text, 0)?..=year(text, 0)?,
        Some((from, to)) => year(from, 0)?..=year(to.trim_start_matches('='), u16::MAX)?,
    };
    match range.is_empty() {
        true => Err(format!(
            "no year is after {} and before {}: give the earlier one first",
            range.start(),
            range.end()
        )),
        false => Ok(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_one_or_a_range_with_both_ends() {
        for (text, range) in [
            ("2012", 2012..=2012),
            ("2018..", 2018..=u16::MAX),
            ("..2013", 0..=2013),
            ("2009..2011", 2009..=2011),
            ("2009..=2011", 2009..=2011),
            ("..", 0..=u16::MAX),
        ] {
            assert_eq!(years(text), Ok(range), "{text}");
        }
        for text in [
            "",
            "12",
            "new",
            "2018-2020",
            "2018..x",
            "99999..",
            "2018...2020",
        ] {
            assert!(years(text).unwrap_err().contains("give a year"), "{text}");
        }
        assert!(
            years("2020..2018")
                .unwrap_err()
                .contains("the earlier one first")
        );
    }
}
