//! A run for people: fio's words for what the host saw, then what happened inside the drive.

use super::inside::{self, Inside, Power};
use super::{Finished, errno};
use ftlab_base::amount::{binary, decimal, three_digits};
use ftlab_base::{CommandKind, LatencyHistogram, Nanos};
use ftlab_play::driver::{Direction, JobReport};
use ftlab_play::record;
use ftlab_workload::JobSpec;
use std::fmt::Write;

const PERCENTILES: [f64; 8] = [1.0, 5.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99];
const PERCENTILES_A_LINE: usize = 4;

/// The longest line of a sentence behind its name.
const SENTENCE_COLUMNS: usize = 90;

const KINDS: [(&str, CommandKind); 3] = [
    ("read", CommandKind::Read),
    ("write", CommandKind::Write),
    ("trim", CommandKind::Trim),
];

/// The run as text that ends with a newline.
pub fn render(run: &Finished) -> String {
    let mut out = String::new();
    for (spec, report) in run.reported() {
        job(&mut out, spec, &report).expect("writing to a string succeeds");
    }
    let told = Inside::of(run);
    inside(&mut out, run, &told).expect("writing to a string succeeds");
    out
}

fn job(out: &mut String, spec: &JobSpec, report: &JobReport) -> std::fmt::Result {
    let rw = options(spec, "rw").unwrap_or("read");
    let (name, group, depth) = (&report.name, report.group, report.iodepth);
    writeln!(
        out,
        "{name}: (groupid={group}): rw={rw}, iodepth={depth}, err={}",
        errno(report)
    )?;
    for (word, kind) in KINDS {
        let direction = report.direction(kind);
        if direction.ios > 0 {
            traffic(out, word, direction, report.measured)?;
        }
    }
    let flushes = report.direction(CommandKind::Flush);
    if let Some(latency) = flushes.latency() {
        writeln!(out, "  flush: {} in all", flushes.ios)?;
        latencies(out, latency)?;
    }
    Ok(())
}

fn options<'a>(spec: &'a JobSpec, key: &str) -> Option<&'a str> {
    let given = spec.global_options.iter().chain(&spec.job_options).rev();
    let mut given = given.filter(|(name, _)| name == key);
    given.next().map(|(_, value)| value.as_str())
}

fn traffic(
    out: &mut String,
    word: &str,
    direction: &Direction,
    measured: Nanos,
) -> std::fmt::Result {
    let totals = record::traffic(direction, measured);
    let moved = binary(totals.bytes as f64, "B");
    let Some(latency) = direction.latency() else {
        return writeln!(out, "  {word}: {} commands, {moved}, untimed", totals.ios);
    };
    let bw = binary(totals.bytes_per_s, "B/s");
    let as_sold = decimal(totals.bytes_per_s, "B/s");
    let iops = count(totals.iops);
    writeln!(
        out,
        "  {word}: IOPS={iops}, BW={bw} ({as_sold}) ({moved} in {measured})"
    )?;
    latencies(out, latency)
}

fn latencies(out: &mut String, latency: &LatencyHistogram) -> std::fmt::Result {
    let nanos = |ns: f64| Nanos(ns.round() as u64);
    let (min, max) = (latency.min(), latency.max());
    let (avg, stdev) = (nanos(latency.mean_ns()), nanos(latency.stddev_ns()));
    writeln!(
        out,
        "    lat: min={min}, max={max}, avg={avg}, stdev={stdev}"
    )?;
    writeln!(out, "    lat percentiles:")?;
    for line in PERCENTILES.chunks(PERCENTILES_A_LINE) {
        write!(out, "     |")?;
        for &percent in line {
            let value = latency.percentile(percent).to_string();
            write!(out, " {percent:5.2}th=[{value:>8}]")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn inside(out: &mut String, run: &Finished, inside: &Inside) -> std::fmt::Result {
    writeln!(out, "ftlab:")?;
    let mut row = |name: &str, value: String| writeln!(out, "  {name:<20}{value}");
    let (slug, name, state) = (&inside.drive, run.prepared.drive.name(), &inside.state);
    row(
        "drive",
        format!("{slug} ({name}), {state}, seed {}", inside.seed),
    )?;
    let steps = inside.steps.iter().flat_map(|step| lines(step));
    for (n, line) in steps.enumerate() {
        row(if n == 0 { "prepared" } else { "" }, line)?;
    }
    if let Some(file) = &inside.from_state {
        row("loaded from", format!("{file}, seed {}", inside.state_seed))?;
    }
    if inside.nand_programs > 0 {
        let steady = |wa| format!(", {wa:.3} in the steady window");
        let steady = inside.wa_steady.map(steady).unwrap_or_default();
        let wa = format!("{:.3} over the run{steady}", inside.wa);
        row("write amplification", wa)?;
    }
    if inside.nand_programs + inside.nand_reads > 0 {
        let (programs, reads) = (inside.nand_programs, inside.nand_reads);
        let erases = inside.nand_erases;
        row(
            "NAND",
            format!("{programs} programs, {reads} reads, {erases} erases"),
        )?;
        row(
            "GC share",
            format!("{:.1} % of the programs", 100.0 * inside.gc_share),
        )?;
        if inside.map_programs + inside.map_reads > 0 {
            let (programs, reads) = (inside.map_programs, inside.map_reads);
            row("of the map", format!("{programs} programs, {reads} reads"))?;
        }
        row("buffer stalls", inside.buffer_stalls.to_string())?;
    }
    if let Some(power) = &inside.power {
        row("power", watts(power))?;
    }
    if let Some(wear) = inside.wear.as_ref().filter(|wear| wear.erases_max > 0) {
        let (min, mean, max) = (wear.erases_min, wear.erases_mean, wear.erases_max);
        let over_worn = 100.0 * wear.over_worn_share;
        row(
            "erases of a block",
            format!("{min} to {max}, mean {mean:.2}, {over_worn:.1} % of the blocks over-worn"),
        )?;
    }
    let trims = inside::void_trims(run);
    for (n, line) in trims.iter().flat_map(|said| lines(said)).enumerate() {
        row(if n == 0 { "trims" } else { "" }, line)?;
    }
    row("speed", speed(run, inside))?;
    let keys: Vec<&str> = run
        .file
        .ignored
        .iter()
        .map(|ignored| ignored.key.as_str())
        .collect();
    if !keys.is_empty() {
        row("without effect", keys.join(", "))?;
    }
    for warning in &run.warnings {
        for (n, line) in lines(&warning.to_string()).into_iter().enumerate() {
            row(if n == 0 { "warning" } else { "" }, line)?;
        }
    }
    Ok(())
}

/// Mean watts and where they went, largest first, what the drive takes at rest, and joules a GB.
fn watts(power: &Power) -> String {
    let joules = &power.joules;
    let mut parts = [
        ("NAND", joules.nand),
        ("bus", joules.bus),
        ("controller", joules.controller),
        ("link", joules.link),
        ("DRAM", joules.dram),
        ("mechanics", joules.mechanics),
    ];
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = parts.iter().map(|(_, joules)| joules).sum();
    let shares = parts.iter().filter(|(_, joules)| *joules > 0.0);
    let share = |(part, joules): &(&str, f64)| format!("{part} {:.0} %", 100.0 * joules / total);
    let shares: Vec<String> = shares.map(share).collect();
    let mut text = format!(
        "{:.3} W on average ({}), {:.3} W at rest",
        power.watts,
        shares.join(", "),
        power.idle_watts
    );
    if let Some(joules) = power.joules_per_gb {
        write!(text, ", {joules:.2} J a GB").expect("writing to a string succeeds");
    }
    text
}

/// A sentence in lines of some length.
fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= SENTENCE_COLUMNS {
            last.extend([" ", word]);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn speed(run: &Finished, inside: &Inside) -> String {
    // A run can be shorter than the clock's resolution.
    let wall = inside.wall_seconds.max(1e-9);
    let rate = count(inside.completed as f64 / wall);
    if !run.is_timed() {
        return format!("{wall:.3} s, {rate} commands a second, without a clock");
    }
    let simulated = inside.simulated_seconds;
    let times = count(simulated / wall);
    format!(
        "{simulated:.3} s simulated in {wall:.3} s, {times} times real time, {rate} commands a second"
    )
}

/// A number with three significant digits and fio's suffix.
fn count(value: f64) -> String {
    let (scaled, suffix) = match value {
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e4 => (v / 1e3, "k"),
        v => (v, ""),
    };
    three_digits(scaled) + suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_cut_between_words() {
        let text = "word ".repeat(40);
        let cut = lines(&text);
        assert_eq!(cut.len(), 3);
        assert!(cut.iter().all(|line| line.len() <= SENTENCE_COLUMNS));
        assert_eq!(cut.join(" "), text.trim_end());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(count(4.06), "4.06");
        assert_eq!(count(106.9), "107");
        assert_eq!(count(11_171.0), "11.2k");
        assert_eq!(count(2_500_000.0), "2.50M");
    }
}
