//! `ftlab accuracy`: how near a review's figures are to the published ones.

use crate::failure::{Failure, Outcome};
use crate::files::{self, NewFile};
use crate::{results, screen};
use clap::Args;
use std::path::{Path, PathBuf};

/// Between these a page has what is quoted of the figures.
const QUOTE: [&str; 2] = ["<!-- accuracy -->", "<!-- /accuracy -->"];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab review --all --out out/all
  ftlab accuracy out/all
  ftlab accuracy out/all --out docs/accuracy.md --standing reference/standing.csv \\
    --quote README.md --quote docs/how-accurate.md")]
pub struct Options {
    /// What `ftlab review` wrote: its directory, or the results.json in it
    results: PathBuf,
    /// Write the page here instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write here, as CSV, what stands behind each drive: what `ftlab drives` tells of them
    #[arg(long, value_name = "FILE")]
    standing: Option<PathBuf>,
    /// Say in this page, between `<!-- accuracy -->` and `<!-- /accuracy -->`, how far to trust the model; may be repeated
    #[arg(long = "quote", value_name = "FILE")]
    quotes: Vec<PathBuf>,
}

pub fn command(options: &Options) -> Outcome {
    let ready = |path: &Option<PathBuf>, option| {
        let path = path.as_deref();
        path.map(|path| NewFile::ready(path, option)).transpose()
    };
    let out = ready(&options.out, "--out")?;
    let standing = ready(&options.standing, "--standing")?;
    let quoted = |path: &PathBuf| Ok((NewFile::ready(path, "--quote")?, Quoting::read(path)?));
    let quotes: Vec<_> = options
        .quotes
        .iter()
        .map(quoted)
        .collect::<Result<_, Failure>>()?;
    let set = results::read(&options.results)?;
    if let Some(file) = standing {
        file.write(ftlab_report::accuracy::standing(&set).as_bytes())?;
    }
    let sentence = ftlab_report::accuracy::in_short(&set);
    for (file, page) in quotes {
        file.write(page.quoting(&sentence).as_bytes())?;
    }
    let page = ftlab_report::accuracy::render(&set);
    match out {
        Some(file) => Ok(file.write(page.as_bytes())?),
        None => screen::print(&page),
    }
}

/// A page that quotes.
struct Quoting {
    before: String,
    after: String,
}

impl Quoting {
    fn read(path: &Path) -> Result<Quoting, Failure> {
        let text = files::read(path, "a page")?;
        Quoting::of(&text).ok_or_else(|| {
            let [begin, end] = QUOTE;
            Failure::Input(format!(
                "{} does not say where to quote: write {begin} and {end} there, once and in this order",
                path.display()
            ))
        })
    }

    fn of(text: &str) -> Option<Quoting> {
        let [begin, end] = QUOTE;
        let (before, rest) = text.split_once(begin)?;
        let (_, after) = rest.split_once(end)?;
        (!after.contains(begin) && !after.contains(end)).then(|| Quoting {
            before: before.to_owned(),
            after: after.to_owned(),
        })
    }

    fn quoting(&self, sentence: &str) -> String {
        let [begin, end] = QUOTE;
        format!("{}{begin}\n{sentence}\n{end}{}", self.before, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_that_quote_say_where() {
        for page in [
            include_str!("../../../README.md"),
            include_str!("../../../docs/how-accurate.md"),
        ] {
            assert!(Quoting::of(page).is_some());
        }
    }

    #[test]
    fn a_quote_takes_the_place_of_the_last_one_and_nothing_else_changes() {
        let page = "# A\n<!-- accuracy -->\nold\n<!-- /accuracy -->\nb\n";
        let once = Quoting::of(page).unwrap().quoting("new");
        assert_eq!(once, page.replace("old", "new"));
        assert_eq!(Quoting::of(&once).unwrap().quoting("new"), once);
        for without in [
            "",
            "<!-- accuracy -->",
            "<!-- /accuracy --><!-- accuracy -->",
        ] {
            assert!(Quoting::of(without).is_none(), "{without}");
        }
        assert!(Quoting::of(&format!("{page}{page}")).is_none());
    }
}
