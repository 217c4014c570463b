//! A run for people, from its result: fio's words for what the host saw, then what happened inside the drive.

use crate::health::{nvme_logs, smart_table};
use crate::screen;
use ftlab_base::Nanos;
use ftlab_base::amount::{binary, decimal, three_digits};
use ftlab_export::fio::{Wall, errno};
use ftlab_result::quantity::table;
use ftlab_result::{
    At, Directions, HandleTraffic, Inside, Job, Joules, ResultSet, Run, SteadyState, Traffic,
};
use std::fmt::{Result, Write};

const PERCENTILES: [f64; 8] = [1.0, 5.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99];
const PERCENTILES_A_LINE: usize = 4;

/// The longest line of a sentence behind its name.
const SENTENCE_COLUMNS: usize = 90;

/// The `rw` of a job that replays a recorded trace.
const REPLAY: &str = "replay";

/// The run as text that ends with a newline.
pub fn render(set: &ResultSet, run: &Run, wall: &Wall) -> String {
    let mut out = String::new();
    let written = match run.jobs.first() {
        Some(job) if !job.rw.is_empty() => of_jobs(&mut out, set, run, wall),
        Some(job) if job.process.is_some() => of_programs(&mut out, set, run, wall),
        _ => of_trace(&mut out, set, run, wall),
    };
    written.expect("writing to a string succeeds");
    out
}

/// A row of the block `ftlab:`.
fn row(out: &mut String, name: &str, value: &str) -> Result {
    writeln!(out, "  {name:<20}{value}")
}

/// Writes sentences as rows, the first of them behind the name.
fn sentences<'a>(out: &mut String, name: &str, sentences: impl Iterator<Item = &'a str>) -> Result {
    for (n, line) in sentences.flat_map(lines).enumerate() {
        row(out, if n == 0 { name } else { "" }, &line)?;
    }
    Ok(())
}

/// Erases of a block from which on their spread is wear levelling and not chance, as it is after seconds.
const UNEVEN_FROM: f64 = 10.0;

fn of_jobs(out: &mut String, set: &ResultSet, run: &Run, wall: &Wall) -> Result {
    for of in &run.jobs {
        job(out, of)?;
    }
    of_drive(out, set, run)?;
    if run.jobs.iter().any(|job| job.rw == REPLAY) {
        let sheet = set.tests.iter().find(|sheet| sheet.test == run.test);
        sentences(out, "trace", sheet.iter().map(|sheet| sheet.text.as_str()))?;
    }
    sentences(out, "prepared", run.steps.iter().map(String::as_str))?;
    if let Some(saved) = &run.saved_state {
        let loaded = format!("{}, seed {}", saved.file, saved.seed);
        row(out, "loaded from", &loaded)?;
    }
    if let Some(inside) = run.inside() {
        flash(out, inside)?;
    }
    if run.seconds > 0.0 {
        row(out, "host", &run.testbed)?;
    }
    let at_work = at_work(run);
    if !at_work.is_empty() {
        row(out, "at work", &at_work)?;
    }
    if let Some(joules) = run.joules() {
        row(out, "power", &watts(run, &joules))?;
    }
    if let Some(celsius) = table::CELSIUS_MAX.of(run) {
        let throttled = metric(run, table::THROTTLED_S.name);
        let mut words = format!("{celsius:.1} C at most");
        if throttled > 0.0 {
            write!(words, ", throttled for {throttled:.1} s")?;
        }
        row(out, "temperature", &words)?;
    }
    let erases = run.only().and_then(|only| only.erases.as_ref());
    if let Some(erases) = erases.filter(|erases| erases.erases_max > 0) {
        let (min, mean, max) = (erases.erases_min, erases.erases_mean, erases.erases_max);
        let mut words = format!("{min} to {max}, mean {mean:.2}");
        // After fewer erases the spread is chance, and its share would look like bad levelling.
        if mean >= UNEVEN_FROM {
            let uneven = 100.0 * erases.over_worn_share;
            write!(
                words,
                ", {uneven:.1} % of the blocks more than a tenth above the median"
            )?;
        }
        row(out, "erases of a block", &words)?;
    }
    devices(out, run)?;
    row(out, "speed", &speed(run, wall))?;
    let keys: Vec<&str> = run.ignored.iter().map(|of| of.key.as_str()).collect();
    if !keys.is_empty() {
        row(out, "without effect", &keys.join(", "))?;
    }
    warnings(out, run)
}

/// Writes the warnings of the run, a row each.
fn warnings(out: &mut String, run: &Run) -> Result {
    for warning in &run.warnings {
        let words = warning.to_string();
        sentences(out, "warning", std::iter::once(words.as_str()))?;
    }
    Ok(())
}

fn job(out: &mut String, job: &Job) -> Result {
    let clones = match job.clones {
        1 => String::new(),
        many => format!(", jobs={many}"),
    };
    writeln!(
        out,
        "{}: (groupid={}{clones}): rw={}, iodepth={}, err={}",
        job.name,
        job.group,
        job.rw,
        job.iodepth,
        errno(job)
    )?;
    let each = [
        ("read", &job.read),
        ("write", &job.write),
        ("trim", &job.trim),
    ];
    let mixed = [("mixed", &job.mixed)];
    let directions = match job.reporting.as_ref().map(|of| of.directions) {
        None | Some(Directions::Apart) => each.to_vec(),
        Some(Directions::Mixed) => mixed.to_vec(),
        Some(Directions::Both) => [&each[..], &mixed].concat(),
    };
    // A direction without requests has no line, as in fio's own text.
    for (word, moved) in directions {
        if !moved.is_none() {
            traffic(out, word, moved, job)?;
        }
    }
    if !job.flush.lat_ns_percentiles.is_empty() {
        writeln!(out, "  flush: {} in all", job.flush.ios)?;
        latencies(out, &job.flush, job)?;
    }
    if let Some(failures) = job.failures.filter(|&failures| failures > 0) {
        writeln!(out, "  errors: {failures} commands failed")?;
    }
    if let Some(steady) = &job.steady {
        steady_state(out, steady)?;
    }
    Ok(())
}

/// Writes the steady state that a job attained or not, as fio says it.
fn steady_state(out: &mut String, of: &SteadyState) -> Result {
    let sign = if of.in_percent { "%" } else { "" };
    let (measure, criterion, limit) = (&of.measure, of.criterion, of.limit);
    let is_attained = if of.is_attained {
        "attained"
    } else {
        "not attained"
    };
    writeln!(
        out,
        "  steadystate: {is_attained}, {measure} {criterion:.3}{sign} in {} s, limit {limit}{sign}",
        of.duration_s
    )
}

fn traffic(out: &mut String, word: &str, of: &Traffic, job: &Job) -> Result {
    let measured = Nanos(job.measured_ns);
    let moved = binary(of.bytes as f64, "B");
    if of.lat_ns_percentiles.is_empty() {
        return writeln!(out, "  {word}: {} commands, {moved}, untimed", of.ios);
    }
    let bw = binary(of.bytes_per_s, "B/s");
    let as_sold = decimal(of.bytes_per_s, "B/s");
    let iops = count(of.iops);
    writeln!(
        out,
        "  {word}: IOPS={iops}, BW={bw} ({as_sold}) ({moved} in {measured})"
    )?;
    latencies(out, of, job)
}

fn latencies(out: &mut String, of: &Traffic, job: &Job) -> Result {
    let own = job.reporting.as_ref();
    if own.is_some_and(|own| own.without_clat && own.without_lat) {
        return Ok(());
    }
    let nanos = |ns: f64| Nanos(ns.round() as u64);
    let (min, max) = (Nanos(of.lat_ns_min), Nanos(of.lat_ns_max));
    let (avg, stdev) = (nanos(of.lat_ns_mean), nanos(of.lat_ns_stddev));
    writeln!(
        out,
        "    lat: min={min}, max={max}, avg={avg}, stdev={stdev}"
    )?;
    // A job may switch percentiles off and keep the extremes.
    if own.is_some_and(|own| !own.of_clat && !own.of_lat) {
        return Ok(());
    }
    writeln!(out, "    lat percentiles:")?;
    let asked = own.map_or(&[][..], |own| &own.percentiles);
    let asked = if asked.is_empty() {
        &PERCENTILES
    } else {
        asked
    };
    let shown = |(percent, _): &&(f64, u64)| asked.contains(percent);
    let shown: Vec<&(f64, u64)> = of.lat_ns_percentiles.iter().filter(shown).collect();
    for line in shown.chunks(PERCENTILES_A_LINE) {
        write!(out, "     |")?;
        for (percent, ns) in line {
            let value = Nanos(*ns).to_string();
            write!(out, " {percent:5.2}th=[{value:>8}]")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn of_drive(out: &mut String, set: &ResultSet, run: &Run) -> Result {
    let sheet = set.drives.iter().find(|sheet| sheet.drive == run.drive);
    let name = sheet.map_or("", |sheet| &sheet.name);
    let words = format!(
        "{} ({name}), {}, seed {}",
        run.drive, run.state, set.origin.seed
    );
    writeln!(out, "ftlab:")?;
    row(out, "drive", &words)
}

fn flash(out: &mut String, inside: &Inside) -> Result {
    let (programs, reads) = (inside.nand_programs, inside.nand_reads);
    if programs > 0 {
        let steady = |wa| format!(", {wa:.3} in the steady window");
        let steady = inside.wa_steady.map(steady).unwrap_or_default();
        let wa = format!("{:.3} over the run{steady}", inside.wa);
        row(out, "write amplification", &wa)?;
    }
    // Without operations of flash, as on a disk, the rows below would be zeros.
    if programs + reads == 0 {
        return Ok(());
    }
    let erases = inside.nand_erases;
    let operations = format!("{programs} programs, {reads} reads, {erases} erases");
    row(out, "NAND", &operations)?;
    if let Some(share) = inside.gc_share {
        let share = format!("{:.1} % of the programs", 100.0 * share);
        row(out, "GC share", &share)?;
    }
    let (programs, reads) = (inside.map_programs, inside.map_reads);
    if programs + reads > 0 {
        row(
            out,
            "mapping table",
            &format!("{programs} programs, {reads} reads"),
        )?;
    }
    for (number, handle) in inside.handles.iter().enumerate() {
        if *handle != HandleTraffic::default() {
            let bytes = |bytes: u64| decimal(bytes as f64, "B");
            let (host, copied) = (bytes(handle.host_bytes_written), bytes(handle.copied_bytes));
            let words = format!("{host} from the host, {copied} copied");
            row(out, &format!("handle {number}"), &words)?;
        }
    }
    row(out, "buffer stalls", &inside.buffer_stalls.to_string())
}

/// Writes a table of the counts inside each of several drives.
fn devices(out: &mut String, run: &Run) -> Result {
    if run.several().is_empty() {
        return Ok(());
    }
    let mut table = screen::table(&[
        "drive", "model", "I/Os", "written", "WA", "GC share", "erases",
    ]);
    for at in run.several() {
        let Some(inside) = &at.inside else { continue };
        let none = || "–".to_owned();
        let wa = match inside.nand_programs {
            0 => none(),
            _ => format!("{:.3}", inside.wa),
        };
        let share = |share: f64| format!("{:.1} %", 100.0 * share);
        let gc_share = inside.gc_share.map_or_else(none, share);
        let written = decimal(inside.host_bytes_written as f64, "B");
        let (ios, erases) = (inside.host_ios.to_string(), inside.nand_erases.to_string());
        table.add_row([&at.name, &at.drive, &ios, &written, &wa, &gc_share, &erases]);
    }
    let lines = screen::lines(table);
    lines.lines().try_for_each(|line| writeln!(out, "  {line}"))
}

/// Renders the attributes or logs that each drive reported after the run.
pub fn smart(run: &Run) -> String {
    let says = |at: &At| {
        let name = match &at.name[..] {
            "" => String::new(),
            name => format!("{name}:\n"),
        };
        let logs = at.nvme.as_ref();
        let told = logs.map_or_else(|| smart_table(&at.smart), nvme_logs);
        format!("\n{name}{told}")
    };
    run.at.iter().map(says).collect()
}

/// Mean watts and where they went, largest first, what the drive takes at rest, and joules a GB.
fn watts(run: &Run, joules: &Joules) -> String {
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
        metric(run, table::WATTS.name),
        shares.join(", "),
        metric(run, table::IDLE_WATTS.name)
    );
    if let Some(joules) = table::JOULES_PER_GB.of(run) {
        write!(text, ", {joules:.2} J a GB").expect("writing to a string succeeds");
    }
    text
}

/// In what share of the time the parts of the drive and its host worked, and commands waited for a limit; empty where nothing is
/// known of it.
fn at_work(run: &Run) -> String {
    let parts = [
        ("dies", table::DIES_BUSY_PCT.name),
        ("channels", table::CHANNELS_BUSY_PCT.name),
        ("arm", table::ARM_BUSY_PCT.name),
        ("link", table::LINK_BUSY_PCT.name),
        ("core", table::CORE_BUSY_PCT.name),
        ("host", table::HOST_BUSY_PCT.name),
        ("limit", table::LIMIT_HELD_PCT.name),
    ];
    let share = |(part, name): (&str, &str)| {
        let percent = run.metric_in(name, 0)?;
        Some(format!("{part} {percent:.0} %"))
    };
    let shares: Vec<String> = parts.into_iter().filter_map(share).collect();
    match shares.as_slice() {
        [] => String::new(),
        shares => shares.join(", ") + " of the time",
    }
}

/// A figure as the first of the repeats gave it: all of the text is of that.
fn metric(run: &Run, name: &str) -> f64 {
    run.metric_in(name, 0).unwrap_or_default()
}

fn of_programs(out: &mut String, set: &ResultSet, run: &Run, wall: &Wall) -> Result {
    writeln!(out, "{}", title(set, run))?;
    for job in &run.jobs {
        let longest = Nanos(job.read.lat_ns_max.max(job.write.lat_ns_max));
        let moved = |traffic: &Traffic| decimal(traffic.bytes as f64, "B");
        // The operating system's own writes are of no process: they have no start and no end.
        let Some(process) = &job.process else {
            let (writes, bytes) = (job.write.ios, moved(&job.write));
            writeln!(
                out,
                "{}: {writes} writes, {bytes}, longest {longest}",
                job.name
            )?;
            continue;
        };
        write!(out, "{}: ", job.name)?;
        match process.took_ns {
            Some(ns) => write!(out, "{:.2} s", Nanos(ns).as_secs())?,
            None => write!(out, "in the background")?,
        }
        if process.start_ns > 0 {
            write!(out, ", started at {}", Nanos(process.start_ns))?;
        }
        for (word, bytes) in [
            ("read", process.read_bytes),
            ("wrote", process.written_bytes),
        ] {
            if bytes > 0 {
                write!(out, ", {word} {}", decimal(bytes as f64, "B"))?;
            }
        }
        writeln!(out, ", longest request {longest}")?;
    }
    let longest = Nanos((metric(run, table::LONGEST_PAUSE_S.name) * 1e9).round() as u64);
    writeln!(
        out,
        "pauses: {} longer than {}, the longest time without progress {longest}",
        metric(run, table::PAUSES.name),
        Nanos(run.pause_ns)
    )?;
    of_machine(out, set, run)?;
    let dirty = decimal(1e6 * metric(run, table::DIRTY_MAX_MB.name), "B");
    row(out, "dirty at most", &dirty)?;
    of_played(out, run, wall)
}

fn of_trace(out: &mut String, set: &ResultSet, run: &Run, wall: &Wall) -> Result {
    let rate = |name: &str| decimal(1e6 * metric(run, name), "B/s");
    writeln!(out, "{}", title(set, run))?;
    // Reads and writes overlap: their busy times do not add up to that of all.
    for (name, traffic, of, busy) in [
        (
            "reads",
            &run.read,
            table::READ_MB_S.name,
            table::BUSY_READS_S.name,
        ),
        (
            "writes",
            &run.write,
            table::WRITE_MB_S.name,
            table::BUSY_WRITES_S.name,
        ),
    ] {
        writeln!(
            out,
            "{name}: {} of {}, {}, busy with them for {:.2} s, the longest {}",
            traffic.ios,
            decimal(traffic.bytes as f64, "B"),
            rate(of),
            metric(run, busy),
            Nanos(traffic.lat_ns_max)
        )?;
    }
    let busy = metric(run, table::BUSY_S.name);
    writeln!(out, "all: {}, busy for {busy:.2} s", rate(table::MB_S.name))?;
    of_machine(out, set, run)?;
    of_played(out, run, wall)
}

fn title<'a>(set: &'a ResultSet, run: &'a Run) -> &'a str {
    let sheet = set.tests.iter().find(|sheet| sheet.test == run.test);
    sheet.map_or(&run.test, |sheet| &sheet.title)
}

fn of_machine(out: &mut String, set: &ResultSet, run: &Run) -> Result {
    of_drive(out, set, run)?;
    row(out, "host", &run.testbed)
}

/// Writes the rows that end the text of programs and of traces.
fn of_played(out: &mut String, run: &Run, wall: &Wall) -> Result {
    if let Some(inside) = run.inside().filter(|inside| inside.nand_programs > 0) {
        let wa = format!("{:.3} over the run", inside.wa);
        row(out, "write amplification", &wa)?;
    }
    let speed = format!("{:.3} s simulated in {:.3} s", run.seconds, wall.seconds);
    row(out, "speed", &speed)?;
    warnings(out, run)
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

fn speed(run: &Run, wall: &Wall) -> String {
    // A run can be shorter than the clock's resolution.
    let wall = wall.seconds.max(1e-9);
    let rate = count(run.completed as f64 / wall);
    let simulated = run.seconds;
    if simulated == 0.0 {
        return format!("{wall:.3} s, {rate} commands a second, without a clock");
    }
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

/// A table below what is reported of the first; nothing for a run that was made once.
pub fn repeats(set: &ResultSet, run: &Run) -> String {
    if run.spread.is_empty() {
        return String::new();
    }
    let mut table = screen::table(&["metric", "mean", "standard deviation"]);
    for (name, spread) in &run.spread {
        let stddev = match (spread.depends_on_seed, spread.stddev) {
            (false, _) => "the same for every seed".to_owned(),
            (true, Some(stddev)) => format!("{stddev:.3e}"),
            (true, None) => "–".to_owned(),
        };
        let mean = ftlab_report::mean(run.metrics[name], spread.ci95_half_width);
        table.add_row([name.clone(), mean, stddev]);
    }
    let seeds: Vec<String> = set.origin.seeds.iter().map(u64::to_string).collect();
    format!(
        "\n{} repeats: means ± half of their 95 % confidence intervals; all above is of the first\n{}seeds: {}\n",
        seeds.len(),
        screen::lines(table),
        seeds.join(", ")
    )
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
