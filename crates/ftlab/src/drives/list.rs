//! `ftlab drives`: the drives that come with ftlab.

use super::filter::Filter;
use crate::failure::{Failure, Outcome};
use crate::screen;
use clap::{Args, ValueEnum};
use comfy_table::{Cell, CellAlignment};
use ftlab_bench::figures::{HeldTo, Standing, held_to, standings};
use ftlab_drive::{Catalog, DriveFile};
use serde::Serialize;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab drives
  ftlab drives --year 2018.. --nvme
  ftlab drives --qlc --class client --output-format json")]
pub struct Options {
    #[command(flatten)]
    filter: Filter,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Normal)]
    output_format: Format,
}

/// The form of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Normal,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

/// A drive on the list.
#[derive(Debug, Serialize)]
struct Row {
    /// The name that commands take.
    drive: String,
    name: String,
    year: Option<u16>,
    /// As data sheets name it.
    interface: Option<String>,
    /// `SLC`, `MLC`, `TLC`, `QLC`; none without flash.
    flash: Option<&'static str>,
    class: Option<&'static str>,
    capacity_bytes: u64,
    /// Published figures that the model is held to.
    judged: usize,
    /// Those of them that no number was fitted to, of the reviews up to 2013.
    unseen: usize,
    /// The median of their |ln(simulated / published)|.
    unseen_error: Option<f64>,
    /// The tests that the figures are of.
    held_to: Vec<String>,
    aliases: Vec<String>,
}

/// The figures that are no row of the table of tests of today.
const REVIEWS: &str = "reviews";

impl Row {
    fn of(file: &DriveFile, standings: &[Standing], modern: &[HeldTo]) -> Row {
        let standing = standings.iter().find(|row| row.drive == file.slug());
        let of_reviews = standing.map_or(0, |row| row.judged);
        let modern = || modern.iter().filter(|held| held.drive == file.slug());
        let reviews = (of_reviews > 0).then(|| REVIEWS.to_owned());
        Row {
            drive: file.slug().to_owned(),
            name: file.name().to_owned(),
            year: file.year(),
            interface: file.interface(),
            flash: file.flash().map(|flash| flash.name()),
            class: file.class().map(|class| class.name()),
            capacity_bytes: file.capacity_bytes(),
            judged: of_reviews + modern().map(|held| held.figures).sum::<usize>(),
            unseen: standing.map_or(0, |row| row.unseen),
            unseen_error: standing.and_then(|row| row.unseen_error),
            held_to: reviews
                .into_iter()
                .chain(modern().map(|held| held.test.clone()))
                .collect(),
            aliases: file.aliases().to_vec(),
        }
    }
}

pub fn command(options: &Options) -> Outcome {
    let (standings, modern) = (standings(), held_to());
    let mut rows = Vec::new();
    for slug in Catalog::drives() {
        let file = Catalog::default().load(slug, &[])?;
        if options.filter.lets(&file) {
            rows.push(Row::of(&file, &standings, &modern));
        }
    }
    // Those of no year, which are generic or of clouds, come last.
    rows.sort_by_key(|row| (row.year.unwrap_or(u16::MAX), row.drive.clone()));
    screen::print(&match options.output_format {
        Format::Normal => normal(&rows),
        Format::Json => screen::json(&rows)?,
        Format::Csv => csv(&rows)?,
    })
}

const NOTHING: &str = "–";

fn normal(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "no drive is like that; `ftlab drives` without options lists them all\n".to_owned();
    }
    let mut table = screen::table(&[
        "drive",
        "year",
        "interface",
        "flash",
        "class",
        "capacity",
        "judged",
        "unseen",
        "held to",
        "name",
    ]);
    for row in rows {
        let or_nothing = |text: Option<&str>| text.unwrap_or(NOTHING).to_owned();
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let year = row.year.map(|year| year.to_string());
        let flash = match row.class {
            Some("disk") => Some("HDD"),
            _ => row.flash,
        };
        let held_to = row.held_to.join(", ");
        table.add_row([
            Cell::new(&row.drive),
            Cell::new(or_nothing(year.as_deref())),
            Cell::new(or_nothing(row.interface.as_deref())),
            Cell::new(or_nothing(flash)),
            Cell::new(or_nothing(row.class)),
            right(screen::capacity(row.capacity_bytes)),
            right(row.judged.to_string()),
            right(
                row.unseen_error
                    .map_or_else(|| NOTHING.to_owned(), ftlab_report::error),
            ),
            Cell::new(if held_to.is_empty() {
                NOTHING
            } else {
                &held_to
            }),
            Cell::new(&row.name),
        ]);
    }
    format!("{}\n{ABOUT}\n", screen::lines(table))
}

const ABOUT: &str = "\
judged: published figures of the drive that the model is held to, by the tests named under \"held to\"; unseen: the median
error of those from reviews up to 2013 that no number was fitted to. docs/accuracy.md lists all of the reviews.";

/// A line for each drive; what is several has spaces or, where words have spaces, semicolons between.
fn csv(rows: &[Row]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |why: csv::Error| Failure::Running(why.to_string());
    let header = [
        "drive",
        "name",
        "year",
        "interface",
        "flash",
        "class",
        "capacity_bytes",
        "judged",
        "unseen",
        "unseen_error",
        "held_to",
        "aliases",
    ];
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
        writer
            .write_record([
                row.drive.clone(),
                row.name.clone(),
                row.year.map(|year| year.to_string()).unwrap_or_default(),
                text(row.interface.as_deref()),
                text(row.flash),
                text(row.class),
                row.capacity_bytes.to_string(),
                row.judged.to_string(),
                row.unseen.to_string(),
                row.unseen_error
                    .map(|error| error.to_string())
                    .unwrap_or_default(),
                row.held_to.join(" "),
                row.aliases.join(" "),
            ])
            .map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .expect("memory takes all that is written");
    Ok(String::from_utf8(bytes).expect("it was text"))
}
