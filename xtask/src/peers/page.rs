//! The page: nothing on it is typed in but what the programs are and how they were asked.

use super::question::BYTES_MAX;
use super::{Asked, Peer, SHRINK_TO, Took};
use anyhow::Result;
use ftlab_base::amount::decimal;
use ftlab_drive::Catalog;
use ftlab_result::Figure;
use ftlab_result::quantity::table;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Up to this factor a figure counts as met.
const NEAR: f64 = 1.15;
const ROUGHLY: f64 = 1.3;

/// A figure with what both make of it.
struct Row<'a> {
    figure: &'a Figure,
    published: f64,
    theirs: Option<f64>,
    /// Reason why there is none.
    why: String,
    /// A number of the drive file was worked out from it.
    is_named: bool,
}

impl Row<'_> {
    /// |ln(simulated / published)| of both, where both have one and the source gives a number and no bound.
    fn errors(&self) -> Option<[f64; 2]> {
        let is_number = ["eq", "approx"].contains(&self.figure.qualifier.as_str());
        let error = |value: f64| (value / self.published).ln().abs();
        let (own, theirs) = (self.figure.simulated?, self.theirs?);
        let are_above_0 = own > 0.0 && theirs > 0.0 && self.published > 0.0;
        (is_number && are_above_0).then(|| [error(own), error(theirs)])
    }
}

/// Draws the page of all peers.
pub fn render(sections: &[(&dyn Peer, Vec<Asked>)], too_large: &[String]) -> Result<String> {
    let mut page = format!(
        "# Peers\n\nftlab beside other simulators, on the same published figures (`reference/modern.csv`), drawn by\n\n\
         ```sh\nMQSIM=/path/to/MQSim cargo run --release -p xtask -- docs peers\n```\n\n\
         All are configured from the same drive files and run the same jobs, those of the suite `modern`; drives are taken in forms \
         of about {}, with smaller blocks, by all alike. Nothing on this page is typed in but what the programs are and how they were \
         asked. An error says how far a value is above or below what was published: in percent, and past half and double as a factor. \
         Medians take both directions alike.\n\n\
         Two things speak for ftlab from the start. Its drive files were made with it: some of their numbers were worked out from \
         figures that stand here, which is why the figures that no number was worked out from have a line of their own. And they say \
         more of a drive than another program has keys for; `ftlab card` lists what is lost.\n",
        decimal(SHRINK_TO as f64, "B")
    );
    if !too_large.is_empty() {
        let drives = too_large.iter().map(|drive| format!("`{drive}`"));
        let drives: Vec<String> = drives.collect();
        let _ = write!(
            page,
            "\nNot asked about: {}, whose smallest form is larger than {}, which other simulators fill for minutes before a run.\n",
            drives.join(", "),
            decimal(BYTES_MAX as f64, "B")
        );
    }
    for (peer, asked) in sections {
        section(&mut page, *peer, asked)?;
    }
    page += "\n## How a simulator is added\n\n\
             A file of `crates/card/src/` writes its configuration from a drive file and a job (a `Target`, and a line in `TARGETS`). A file of \
             `xtask/src/peers/` runs it and reads what it says (a `Peer`, and a line in `peers`): `mqsim.rs` is one. The questions, ftlab's side, the \
             measuring and this page are there for all of them.\n";
    Ok(page)
}

fn section(page: &mut String, peer: &dyn Peer, asked: &[Asked]) -> Result<()> {
    let rows = rows(peer, asked)?;
    let name = peer.name();
    let _ = write!(
        page,
        "\n## {name}\n\n{name}, {}. How it was asked:\n\n",
        peer.version()
    );
    for note in peer.notes() {
        let _ = writeln!(page, "- {note}");
    }
    summary(page, name, asked, &rows);
    kinds(page, name, &rows);
    better(page, name, &rows);
    unanswered(page, name, &rows);
    runs(page, name, asked);
    every_figure(page, name, &rows);
    Ok(())
}

fn rows<'a>(peer: &dyn Peer, asked: &'a [Asked]) -> Result<Vec<Row<'a>>> {
    let mut named: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for drive in asked.iter().map(|asked| asked.drive.as_str()) {
        if !named.contains_key(drive) {
            let parameters = Catalog::default().load(drive, &[])?.parameters();
            named.insert(
                drive,
                parameters.into_iter().flat_map(|row| row.from).collect(),
            );
        }
    }
    let mut rows = Vec::new();
    for asked in asked {
        for figure in &asked.own.figures {
            let Ok(published) = figure.published.parse::<f64>() else {
                continue;
            };
            let never = peer.never(&figure.metric);
            let theirs = asked.theirs.values.get(&figure.metric).copied();
            let theirs = theirs.filter(|_| never.is_none());
            let why = match (theirs, never) {
                (Some(_), _) => String::new(),
                (None, Some(why)) => why.to_owned(),
                (None, None) => asked.theirs.why.clone(),
            };
            rows.push(Row {
                figure,
                published,
                theirs,
                why,
                is_named: named[asked.drive.as_str()].contains(&figure.id),
            });
        }
    }
    rows.sort_by(|a, b| a.figure.id.cmp(&b.figure.id));
    Ok(rows)
}

/// The share of errors within a factor.
fn within(errors: &[f64], factor: f64) -> String {
    let near = errors.iter().filter(|&&error| error <= factor.ln()).count();
    match errors.len() {
        0 => "–".to_owned(),
        all => ftlab_report::percent(near as f64 / all as f64),
    }
}

fn median(errors: &[f64]) -> String {
    let mut sorted = errors.to_vec();
    sorted.sort_by(f64::total_cmp);
    ftlab_result::median(&sorted).map_or_else(|| "–".to_owned(), ftlab_report::error)
}

/// Errors of both over the same rows: of the one, and of the other.
fn errors<'a>(rows: impl Iterator<Item = &'a Row<'a>>) -> [Vec<f64>; 2] {
    let (own, theirs) = rows
        .filter_map(Row::errors)
        .map(|[own, theirs]| (own, theirs))
        .unzip();
    [own, theirs]
}

/// All that a program took: seconds together, and the most memory of one run.
fn took(all: impl Iterator<Item = Took>) -> [String; 2] {
    let (seconds, bytes) = all.fold((0.0, 0), |(seconds, bytes): (f64, u64), took| {
        (seconds + took.cpu_seconds, bytes.max(took.memory_bytes))
    });
    [format!("{seconds:.0} s"), decimal(bytes as f64, "B")]
}

fn summary(page: &mut String, name: &str, asked: &[Asked], rows: &[Row<'_>]) {
    let [own, theirs] = errors(rows.iter());
    let [own_unnamed, theirs_unnamed] = errors(rows.iter().filter(|row| !row.is_named));
    let answers = |has: fn(&Row<'_>) -> bool| rows.iter().filter(|row| has(row)).count();
    let nearer = rows
        .iter()
        .filter_map(Row::errors)
        .filter(|[own, theirs]| own < theirs)
        .count();
    let further = rows
        .iter()
        .filter_map(Row::errors)
        .filter(|[own, theirs]| own > theirs)
        .count();
    let [own_seconds, own_memory] = took(asked.iter().map(|asked| asked.own.took));
    let [their_seconds, their_memory] = took(asked.iter().map(|asked| asked.theirs.took));
    let unnamed = own_unnamed.len();
    let lines = [
        (
            "figures asked".to_owned(),
            [rows.len().to_string(), rows.len().to_string()],
        ),
        (
            "answered".to_owned(),
            [
                answers(|row| row.figure.simulated.is_some()).to_string(),
                answers(|row| row.theirs.is_some()).to_string(),
            ],
        ),
        (
            "scored, of those that both answer".to_owned(),
            [own.len().to_string(), theirs.len().to_string()],
        ),
        (
            "median error of these".to_owned(),
            [median(&own), median(&theirs)],
        ),
        (
            "within 15 %".to_owned(),
            [within(&own, NEAR), within(&theirs, NEAR)],
        ),
        (
            "within 30 %".to_owned(),
            [within(&own, ROUGHLY), within(&theirs, ROUGHLY)],
        ),
        (
            "nearer than the other".to_owned(),
            [nearer.to_string(), further.to_string()],
        ),
        (
            format!(
                "median error of the {unnamed} that no number of a drive file was worked out from"
            ),
            [median(&own_unnamed), median(&theirs_unnamed)],
        ),
        (
            "processor time of all runs, preparation included".to_owned(),
            [own_seconds, their_seconds],
        ),
        (
            "most memory of a run".to_owned(),
            [own_memory, their_memory],
        ),
    ];
    let _ = write!(page, "\n| | ftlab | {name} |\n|---|--:|--:|\n");
    for (what, [own, theirs]) in lines {
        let _ = writeln!(page, "| {what} | {own} | {theirs} |");
    }
}

/// The kind of a figure, as a reader sorts them.
fn kind(figure: &Figure) -> &'static str {
    const RATES: [&str; 2] = [table::WRITE_MIB_S.name, table::WRITES_PER_S.name];
    const READS: [&str; 2] = [table::IOPS.name, table::LAT_AVG_US.name];
    let metric = figure.metric.as_str();
    let is_of_fill = metric.ends_with("_mb_s") || metric.contains("_gb");
    match metric {
        _ if metric == table::WRITE_AMP.name => "write amplification",
        _ if metric == table::SERVED_WRITES_PER_S.name => "writes served at an offered rate",
        _ if RATES.contains(&metric) => "random writes as fast as they go",
        _ if READS.contains(&metric) => "random reads, rate and mean",
        _ if is_of_fill => "an empty drive filled in order",
        _ if metric.starts_with("read_lat") => "latencies of reads beside writes",
        _ if metric.starts_with("write_lat") => "latencies of writes",
        _ => "others",
    }
}

fn kinds(page: &mut String, name: &str, rows: &[Row<'_>]) {
    let names: BTreeSet<&str> = rows.iter().map(|row| kind(row.figure)).collect();
    let _ = write!(
        page,
        "\n### By kind\n\n| figures | asked | scored | median error, ftlab | {name} | ftlab nearer | {name} nearer |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
    );
    for of in names {
        let those = || rows.iter().filter(|row| kind(row.figure) == of);
        let [own, theirs] = errors(those());
        let wins = own
            .iter()
            .zip(&theirs)
            .filter(|(own, theirs)| own < theirs)
            .count();
        let losses = own
            .iter()
            .zip(&theirs)
            .filter(|(own, theirs)| own > theirs)
            .count();
        let _ = writeln!(
            page,
            "| {of} | {} | {} | {} | {} | {wins} | {losses} |",
            those().count(),
            own.len(),
            median(&own),
            median(&theirs)
        );
    }
}

fn better(page: &mut String, name: &str, rows: &[Row<'_>]) {
    let those: Vec<&Row<'_>> = (rows.iter())
        .filter(|row| row.errors().is_some_and(|[own, theirs]| theirs < own))
        .collect();
    let _ = write!(page, "\n### Where {name} is nearer\n\n");
    if those.is_empty() {
        page.push_str("Nowhere.\n");
        return;
    }
    let _ = write!(
        page,
        "{} of the figures that both answer.\n\n| id | drive | test | metric | published | ftlab | error | {name} | error |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|\n",
        those.len()
    );
    those.iter().for_each(|row| line(page, row));
}

fn unanswered(page: &mut String, name: &str, rows: &[Row<'_>]) {
    let mut why: BTreeMap<String, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.theirs.is_none()) {
        why.entry(without_numbers(&row.why)).or_default().push(row);
    }
    let own = rows
        .iter()
        .filter(|row| row.figure.simulated.is_none())
        .count();
    let _ = write!(
        page,
        "\n### What {name} does not answer\n\nftlab leaves {own} without an answer.\n\n| why | figures | of which ftlab answers | tests |\n|---|--:|--:|---|\n"
    );
    for rows in why.into_values() {
        let answers = rows
            .iter()
            .filter(|row| row.figure.simulated.is_some())
            .count();
        let tests: BTreeSet<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.figure.model, row.figure.test))
            .collect();
        let tests = match tests.len() {
            0..=4 => tests.into_iter().collect::<Vec<_>>().join(", "),
            more => format!("{more} tests"),
        };
        // Reasons that differ in numbers alone are one, told by the first.
        let why = cell(&rows[0].why);
        let _ = writeln!(page, "| {why} | {} | {answers} | {tests} |", rows.len());
    }
}

fn runs(page: &mut String, name: &str, asked: &[Asked]) {
    let _ = write!(
        page,
        "\n### Seconds and memory\n\nProcessor time and the most resident memory of each run: of both programs all that it takes from nothing to the \
         figures. Two runs are at work at a time.\n\n| drive | test | ftlab | memory | {name} | memory |\n|---|---|--:|--:|--:|--:|\n"
    );
    let cells = |took: &Took| match took.memory_bytes {
        0 => "– | –".to_owned(),
        bytes => format!("{:.1} s | {}", took.cpu_seconds, decimal(bytes as f64, "B")),
    };
    for asked in asked {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            asked.drive,
            asked.test,
            cells(&asked.own.took),
            cells(&asked.theirs.took)
        );
    }
    let mut remarks: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for remark in asked.iter().flat_map(|asked| &asked.theirs.remarks) {
        let (_, times) = remarks
            .entry(without_numbers(remark))
            .or_insert((remark, 0));
        *times += 1;
    }
    let _ = write!(
        page,
        "\nWhat `ftlab card` and the runner say of these runs, and of how many; where only numbers differ, those of the first:\n\n"
    );
    for (remark, times) in remarks.into_values() {
        let _ = writeln!(page, "- {} ({times})", cell(remark));
    }
}

fn every_figure(page: &mut String, name: &str, rows: &[Row<'_>]) {
    let _ = write!(
        page,
        "\n### Every figure\n\n| id | drive | test | metric | published | ftlab | error | {name} | error |\n|---|---|---|---|--:|--:|--:|--:|--:|\n"
    );
    let answered = rows
        .iter()
        .filter(|row| row.figure.simulated.is_some() || row.theirs.is_some());
    answered.for_each(|row| line(page, row));
}

fn line(page: &mut String, row: &Row<'_>) {
    let figure = row.figure;
    let is_number = ["eq", "approx"].contains(&figure.qualifier.as_str());
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), ftlab_report::number);
    let error = |value: Option<f64>| match value {
        Some(value) if is_number && value > 0.0 => {
            let error = (value / row.published).ln().abs();
            ftlab_report::signed_error(error, &figure.published, Some(value))
        }
        _ => String::new(),
    };
    let published = ftlab_report::published(&figure.published, &figure.qualifier);
    let _ = writeln!(
        page,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        figure.id,
        cell(&figure.model),
        cell(&figure.test),
        figure.metric,
        cell(&ftlab_report::with_unit(&published, &figure.unit)),
        value(figure.simulated),
        error(figure.simulated),
        value(row.theirs),
        error(row.theirs),
    );
}

/// A text in which all numbers are alike.
fn without_numbers(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if is_number { "#" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Text within a table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
