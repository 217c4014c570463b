//! `ftlab man`: the manual, a page for ftlab and one for each command, for those who make packages.

use crate::cli;
use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use clap::builder::PossibleValue;
use clap::{Arg, Args};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::path::PathBuf;

/// The line of help that begins text to be shown as it stands.
const EXAMPLES: &str = "Examples:";

#[derive(Debug, Args)]
pub struct Options {
    /// Directory of the pages: ftlab.1, ftlab-run.1 and so on
    #[arg(value_name = "DIR")]
    out: PathBuf,
}

pub fn command(options: &Options) -> Outcome {
    let mut pages = Vec::new();
    let mut ftlab = cli::command().disable_help_subcommand(true);
    ftlab.build();
    draw(&ftlab, &mut pages).map_err(|error| Failure::Running(error.to_string()))?;
    let pages: Vec<(&str, &[u8])> = pages
        .iter()
        .map(|(name, page)| (&**name, &**page))
        .collect();
    Ok(Folder::ready_for(&options.out, "DIR")?.write(&pages)?)
}

/// Draws the page of a command, and those of the commands below it.
fn draw(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let shown = command.clone().mut_args(with_values_in_line);
    let man = Man::new(shown.override_usage(usage))
        // Where others have a date: a page is the same bytes whenever it is drawn.
        .date(concat!("ftlab ", env!("CARGO_PKG_VERSION")))
        .source("ftlab");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let help = command.get_after_help().map(ToString::to_string);
    after(&help.unwrap_or_default()).to_writer(&mut page)?;
    if command.get_name() != command.get_bin_name().unwrap_or_default() {
        let mut others = Roff::new();
        others.control("SH", ["SEE ALSO"]);
        others.text([bold("ftlab"), roman("(1)")]);
        others.to_writer(&mut page)?;
    }
    pages.push((man.get_filename(), page));
    let below = command.get_subcommands();
    for command in below.filter(|command| !command.is_hide_set()) {
        draw(command, pages)?;
    }
    Ok(())
}

/// An option whose values say nothing of themselves, with their names behind its help instead of a line each.
fn with_values_in_line(option: Arg) -> Arg {
    let values = option.get_possible_values();
    let has_list = values.iter().any(|value| value.get_help().is_some());
    let (Some(help), false) = (option.get_help(), values.is_empty() || has_list) else {
        return option;
    };
    if option.is_hide_possible_values_set() {
        return option;
    }
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let help = format!("{help}: {}", names.join(", "));
    option.help(help).hide_possible_values(true)
}

/// Renders the part of help behind the options: paragraphs, of which indented lines stay as they stand.
fn after(help: &str) -> Roff {
    let mut page = Roff::new();
    let mut has_notes = false;
    for paragraph in help.split("\n\n").filter(|text| !text.is_empty()) {
        let examples = paragraph.strip_prefix(EXAMPLES);
        match examples {
            Some(_) => page.control("SH", ["EXAMPLES"]),
            None if has_notes => page.control("PP", []),
            None => page.control("SH", ["NOTES"]),
        };
        has_notes |= examples.is_none();
        let lines: Vec<&str> = examples
            .unwrap_or(paragraph)
            .trim_matches('\n')
            .lines()
            .collect();
        // Indented lines are commands or tables, which roff would fill to paragraphs.
        for alike in lines.chunk_by(|one, next| one.starts_with(' ') == next.starts_with(' ')) {
            let stands = alike[0].starts_with(' ');
            if stands {
                page.control("nf", []);
            }
            for line in alike {
                page.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
            if stands {
                page.control("fi", []);
            }
        }
    }
    page
}
