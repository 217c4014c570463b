//! MQSim, by the files that it reads and writes.
//!
//! It is given what `ftlab card --for mqsim` writes. Its own figures are means of a whole run with the time rounded down
//! to seconds; its log of response times, with a period of a nanosecond, has a line for each request, from which rates and
//! percentiles are taken here.

use super::question::Question;
use super::{Answer, Peer, process};
use anyhow::{Context, Result, bail, ensure};
use ftlab_base::CommandKind;
use ftlab_bench::suites::Latencies;
use ftlab_card::{Asked, Planes, Target, Unit, Way};
use ftlab_result::quantity::table;
use ftlab_workload::{JobFile, JobSpec, PatternKind};
use roxmltree::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A run that takes more processor time is one that hangs, and so does one in which no request ends for so much of it.
const LIMIT: (Duration, Duration) = (Duration::from_secs(150), Duration::from_secs(40));
/// How a question is put: where a run ends with an error, stalls or hangs, the next one is tried.
const TRIES: [Try; 3] = [
    Try {
        requests_max: 60_000,
        together: false,
        words: "",
    },
    Try {
        requests_max: 60_000,
        together: true,
        words: "all requests are one flow, since runs of several stopped: latencies of reads and writes are in one flow",
    },
    Try {
        requests_max: 20_000,
        together: false,
        words: "the run ends after 20,000 requests, since a longer one stopped",
    },
];
/// Flows that it can have.
const FLOWS_MAX: usize = 8;
/// Requests that may be lost at the end of a run: it drops a write now and then, which never ends.
const LOST_MAX: f64 = 0.001;
/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

pub struct Mqsim {
    program: PathBuf,
}

impl Mqsim {
    pub fn of(program: &Path) -> Result<Mqsim> {
        let program = program.canonicalize();
        let program = program
            .context("MQSIM: give the path of a program that you built from MQSim's source")?;
        Ok(Mqsim { program })
    }
}

/// A way to put a question.
struct Try {
    /// An overloaded drive takes minutes for more.
    requests_max: u64,
    /// All jobs are one flow, if they have rates: MQSim's collection errs least with one.
    together: bool,
    /// What is said of it.
    words: &'static str,
}

/// A flow as it was run.
struct Flow {
    name: String,
    /// It makes nothing but reads.
    reads: bool,
    /// It makes reads and writes.
    mixed: bool,
    rated: bool,
    bytes: u64,
}

/// A request that ended.
struct Line {
    end_us: f64,
    /// From the flow's queue, or from its arrival where it has a rate.
    latency_us: f64,
}

impl Peer for Mqsim {
    fn name(&self) -> &'static str {
        "MQSim"
    }

    fn version(&self) -> String {
        let folder = self.program.parent().unwrap_or(Path::new("."));
        let mut git = Command::new("git");
        let told = git
            .arg("-C")
            .arg(folder)
            .args(["describe", "--always", "--abbrev=12", "--exclude=*"])
            .output();
        let told = told.ok().filter(|told| told.status.success());
        let commit = told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
        commit.map_or_else(
            || "of an unknown commit".to_owned(),
            |commit| format!("commit {commit}"),
        )
    }

    fn notes(&self) -> &'static [&'static str] {
        &[
            "It is given the files of `ftlab card --for mqsim`. Requests smaller than a page of the flash have `--unit slot`, without \
             which MQSim stops with an error at such writes (`Unlocking an LPA that has not been locked`); others have `--unit page`.",
            "Its drive is filled by its own preconditioning (`Enabled_Preconditioning`), as far as the test uses it, which means 90 % at most \
             for random writes; its model of the steady state takes the place of writing the drive over.",
            "Flows share no addresses in MQSim: each of eight has an eighth of the drive. Jobs without a rate that differ in nothing are \
             one flow with all their requests outstanding. The probe is two flows, one of reads and one of writes, so that their latencies \
             can be separated.",
            "It has `--planes joined`: a die there programs several planes at once only where writes for the same page of each meet in its queue, \
             and these drives always program all planes of a die together. So a die has one plane, as fast as all, which reads one page at a \
             time. There is no parity.",
            "More blocks are kept free than the drive file says, since runs stop without an end otherwise; each flow costs some.",
            "Percentiles and rates are taken from its log of response times with a period of a nanosecond, in whole microseconds, to which half \
             of one is added. Its own rates divide by whole seconds.",
            "Runs end after 60,000 requests at most, since an overloaded drive takes minutes for more. At high rates they are shorter than ftlab's, and a p99.9 is of \
             few requests. Where a run ends with an error, stalls or hangs (its collection does with several flows), all requests at a rate are one flow, and others end \
             after 20,000; the first reason stands with what is left without an answer. Times \
             and memory are of the run that ended.",
        ]
    }

    fn never(&self, metric: &str) -> Option<&'static str> {
        let of_cache = ["slc_", "direct_tlc_", "fold_", "full_speed_"];
        if of_cache.iter().any(|begin| metric.starts_with(begin)) {
            return Some("it has no cache of SLC");
        }
        metric
            .contains("p99999")
            .then_some("a run of 60,000 requests has no such percentile")
    }

    fn ask(&self, question: &Question, folder: &Path) -> Result<Answer> {
        // What a long run stops at, a shorter one may not reach.
        let mut stopped = String::new();
        for (of, nth) in TRIES.iter().zip(0..) {
            let rated = question.jobs.jobs.iter().all(|job| rate(job).is_some());
            if nth > 0 && rated != of.together {
                continue;
            }
            let folder = folder.join(nth.to_string());
            std::fs::create_dir(&folder)?;
            match self.run(question, of, &folder) {
                Ok(mut answer) => {
                    if nth > 0 {
                        answer.remarks.push(of.words.to_owned());
                        answer.why = format!("{stopped}; {}", of.words);
                    }
                    return Ok(answer);
                }
                Err(error) if stopped.is_empty() => stopped = format!("{error:#}"),
                Err(_) => {}
            }
        }
        bail!("{stopped}")
    }
}

impl Mqsim {
    /// Runs a question of at most so many requests.
    fn run(&self, question: &Question, of: &Try, folder: &Path) -> Result<Answer> {
        let mut remarks = Vec::new();
        let jobs = match of.together {
            true => one_flow(question, of)?,
            false => flows_of(question, of.requests_max, &mut remarks)?,
        };
        remarks.extend(write_files(question, &jobs, folder)?);
        let mut command = Command::new(&self.program);
        command.args(["-i", "ssdconfig.xml", "-w", "workload.xml"]);
        let ended = process::run(&mut command, folder, LIMIT)?;
        let result = std::fs::read_to_string(folder.join("workload_scenario_1.xml"));
        let Ok(result) = result else {
            bail!(
                "it stopped: {}",
                complaint(&ended.printed, &ended.status.to_string())
            );
        };
        let result = Document::parse(&result).context("its result is no XML")?;
        let flows: Vec<Flow> = jobs.jobs.iter().map(flow).collect();
        let served = served(&result, &flows)?;
        let logs = (0..flows.len()).map(|nth| log(folder, nth, flows[nth].rated));
        let logs = logs.collect::<Result<Vec<Vec<Line>>>>()?;
        let run = Run {
            question,
            flows,
            served,
            logs,
        };
        Ok(Answer {
            values: run.values(&result),
            why: "its run has too few requests for the percentile".to_owned(),
            remarks,
            took: ended.took,
        })
    }
}

/// Writes what MQSim reads, and returns what is different there.
fn write_files(question: &Question, jobs: &JobFile, folder: &Path) -> Result<Vec<String>> {
    let bytes = jobs.jobs.iter().map(|job| job.sizes.bs.read);
    let is_small = bytes.min().unwrap_or(0) < page_bytes(question)?;
    let asked = Asked {
        drive: &question.drive,
        load: Some((&question.test.step.slug, jobs)),
        filled: !question.is_new,
        unit: if is_small { Unit::Slot } else { Unit::Page },
        planes: Planes::Joined,
        off: &[],
    };
    let Some(Way::Drive { write, .. }) = Target::named("mqsim").map(|target| target.way) else {
        bail!("ftlab-card has no MQSim");
    };
    let card = write(&asked)?;
    for (name, text) in &card.files {
        std::fs::write(folder.join(name), logged(text))?;
    }
    Ok(card.remarks)
}

/// Bytes of a page of the drive's flash.
fn page_bytes(question: &Question) -> Result<u64> {
    let rows = question.drive.parameters();
    let page = rows.iter().find(|row| row.key == "nand.page");
    let page = page.context("the drive has no pages")?;
    let pages: f64 = page.value.parse()?;
    Ok(match page.unit.as_str() {
        "KiB" => pages * 1024.0,
        _ => pages,
    } as u64)
}

/// The last words of a program that stopped.
fn complaint(printed: &str, status: &str) -> String {
    let mut lines = printed.lines().rev();
    let error = lines.find(|line| line.contains("ERROR"));
    error
        .unwrap_or(status)
        .trim()
        .trim_start_matches("ERROR:")
        .to_owned()
}

/// A configuration that logs each request.
fn logged(text: &str) -> String {
    text.replace(
        "<Enable_ResponseTime_Logging>false<",
        "<Enable_ResponseTime_Logging>true<",
    )
    .replace(
        "<ResponseTime_Logging_Period_Length>1000000<",
        "<ResponseTime_Logging_Period_Length>1<",
    )
}

/// The test's jobs as flows that tell what is asked of them: reads and writes of a mix with rates apart, copies of a job
/// without a rate as one, and no more of them than there can be.
fn flows_of(question: &Question, requests_max: u64, remarks: &mut Vec<String>) -> Result<JobFile> {
    let mut jobs: Vec<JobSpec> = Vec::new();
    for job in &question.jobs.jobs {
        let rates = &job.pace.rate_iops;
        if job.pattern.kind == PatternKind::ReadWrite
            && rates.read.is_some()
            && rates.write.is_some()
        {
            jobs.extend(
                [(PatternKind::Read, "reads"), (PatternKind::Write, "writes")].map(
                    |(kind, what)| {
                        let mut part = job.clone();
                        part.pattern.kind = kind;
                        part.name = format!("{}-{what}", job.name);
                        part
                    },
                ),
            );
            continue;
        }
        let rated = rate(job).is_some();
        let same = jobs
            .iter_mut()
            .find(|other| !rated && other.source == job.source && other.name == job.name);
        match same {
            Some(other) => other.submission.iodepth += job.submission.iodepth,
            None => jobs.push(job.clone()),
        }
    }
    let probe = match &question.test.step.latencies {
        Latencies::Of(name) => name.as_str(),
        Latencies::OfAll | Latencies::Unread => "",
    };
    while jobs.len() > FLOWS_MAX {
        let candidates = jobs
            .iter()
            .enumerate()
            .filter(|(_, job)| probe.is_empty() || !job.name.starts_with(probe));
        let least = candidates.min_by_key(|(_, job)| rate(job).unwrap_or(u64::MAX));
        let (n, _) = least.context("all jobs are of the probe")?;
        let job = jobs.remove(n);
        remarks.push(format!(
            "job {} is left out, since MQSim has {FLOWS_MAX} flows",
            job.name
        ));
    }
    let all: u64 = jobs.iter().filter_map(rate).sum();
    for job in &mut jobs {
        shorten(job, question.used_percent, (all, requests_max));
    }
    Ok(JobFile {
        jobs,
        ignored: Vec::new(),
    })
}

/// All jobs with rates as one: a mix of reads and writes, as many of each as all of them make.
fn one_flow(question: &Question, of: &Try) -> Result<JobFile> {
    let jobs = &question.jobs.jobs;
    let sum = |kind, has: PatternKind| -> u64 {
        let of_kind = jobs
            .iter()
            .filter(|job| [has, PatternKind::ReadWrite].contains(&job.pattern.kind));
        of_kind.filter_map(|job| job.pace.rate_iops.of(kind)).sum()
    };
    let reads = sum(CommandKind::Read, PatternKind::Read);
    let writes = sum(CommandKind::Write, PatternKind::Write);
    let mut job = jobs.first().context("the test has no jobs")?.clone();
    job.name = "all".to_owned();
    job.pattern.kind = PatternKind::ReadWrite;
    job.pace.rate_iops.read = Some(reads);
    job.pace.rate_iops.write = Some(writes);
    job.submission.iodepth = jobs.iter().map(|job| job.submission.iodepth).sum();
    shorten(
        &mut job,
        question.used_percent,
        (reads + writes, of.requests_max),
    );
    Ok(JobFile {
        jobs: vec![job],
        ignored: Vec::new(),
    })
}

/// Requests a second, if the job has a rate.
fn rate(job: &JobSpec) -> Option<u64> {
    let kind = match job.pattern.kind {
        PatternKind::Read => CommandKind::Read,
        _ => CommandKind::Write,
    };
    job.pace.rate_iops.of(kind)
}

/// Lets a job end after as many requests as MQSim stands, on the part of the drive that is used; `all` is the rate of
/// all jobs.
fn shorten(job: &mut JobSpec, used_percent: u8, (all, requests_max): (u64, u64)) {
    if used_percent < 100 {
        job.region.size = Some(ftlab_workload::Size::Percent(used_percent));
    }
    let length = &mut job.length;
    if let (Some(runtime), true) = (length.runtime.as_mut(), all > 0) {
        let most = requests_max as f64 / all as f64 * 1e9;
        runtime.0 = runtime.0.min(most as u64);
    }
    if let (None, Some(number)) = (length.runtime, length.number_ios.as_mut()) {
        *number = (*number).min(requests_max);
    }
    // It counts all of a run, so that a ramp is only more of the same.
    length.ramp_time.0 = 0;
}

fn flow(job: &JobSpec) -> Flow {
    Flow {
        name: job.name.clone(),
        reads: job.pattern.kind == PatternKind::Read,
        mixed: job.pattern.kind == PatternKind::ReadWrite,
        rated: rate(job).is_some(),
        bytes: job.sizes.bs.read,
    }
}

/// Requests of each flow that ended. An error says that some did not.
fn served(result: &Document<'_>, flows: &[Flow]) -> Result<Vec<f64>> {
    let nodes = result
        .descendants()
        .filter(|node| node.has_tag_name("Host.IO_Flow"));
    let number = |node: roxmltree::Node<'_, '_>, key: &str| -> Result<f64> {
        let child = node.children().find(|child| child.has_tag_name(key));
        let text = child.and_then(|child| child.text());
        let text = text.with_context(|| format!("its result has no {key}"))?;
        text.trim()
            .parse()
            .with_context(|| format!("its {key} is no number: {text}"))
    };
    let mut served = Vec::new();
    let (mut asked, mut ended) = (0.0, 0.0);
    for (node, flow) in nodes.zip(flows) {
        asked += number(node, "Request_Count")?;
        let bytes = number(node, "Bytes_Transferred")?;
        ended += bytes / flow.bytes as f64;
        // Of a mix its writes count, which are what is asked of it.
        let counts = match flow.mixed {
            true => number(node, "Bytes_Transferred_Write")?,
            false => bytes,
        };
        served.push(counts / flow.bytes as f64);
    }
    ensure!(
        served.len() == flows.len(),
        "its result has {} flows of {}",
        served.len(),
        flows.len()
    );
    ensure!(
        ended > 0.0 && asked - ended <= (asked * LOST_MAX).max(1.0),
        "it stalled: of {asked:.0} requests {ended:.0} ended"
    );
    Ok(served)
}

/// The log of a flow.
fn log(folder: &Path, nth: usize, rated: bool) -> Result<Vec<Line>> {
    let path = folder.join(format!("workload.IO_Flow.No_{nth}.log"));
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("it wrote no log of flow {nth}"))?;
    let line = |line: &str| {
        let mut numbers = line.split('\t').map(|number| number.trim().parse::<f64>());
        let (Some(Ok(end_us)), Some(Ok(device)), Some(Ok(all))) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            bail!("its log has a line that is none: {line}");
        };
        Ok(Line {
            end_us,
            latency_us: if rated { all } else { device } + 0.5,
        })
    };
    text.lines().skip(1).map(line).collect()
}

struct Run<'a> {
    question: &'a Question,
    flows: Vec<Flow>,
    served: Vec<f64>,
    logs: Vec<Vec<Line>>,
}

impl Run<'_> {
    /// Requests a second of the flows that count, over all the time until the last of them ended.
    fn rate(&self, counts: impl Fn(&Flow) -> bool) -> Option<f64> {
        let of = || (0..self.flows.len()).filter(|&n| counts(&self.flows[n]));
        let served: f64 = of().map(|n| self.served[n]).sum();
        let ends = of()
            .filter_map(|n| self.logs[n].last())
            .map(|line| line.end_us);
        let seconds = ends.fold(0.0, f64::max) / 1e6;
        (served > 0.0 && seconds > 0.0).then(|| served / seconds)
    }

    /// Latencies that the test asks for, the shortest first.
    fn latencies(&self, reads: bool) -> Vec<f64> {
        let probe = match &self.question.test.step.latencies {
            Latencies::Of(name) => name.as_str(),
            Latencies::OfAll | Latencies::Unread => "",
        };
        let flows = self.flows.iter().zip(&self.logs);
        let flows = flows
            .filter(|(flow, _)| !flow.mixed && flow.reads == reads && flow.name.starts_with(probe));
        let mut latencies: Vec<f64> = flows
            .flat_map(|(_, log)| log.iter().map(|line| line.latency_us))
            .collect();
        latencies.sort_by(f64::total_cmp);
        latencies
    }

    /// Pages that were programmed for one that the host wrote.
    fn write_amplification(&self, result: &Document<'_>) -> Option<f64> {
        let ftl = result
            .descendants()
            .find(|node| node.has_tag_name("SSDDevice.FTL"))?;
        let number = |key: &str| ftl.attribute(key)?.parse::<f64>().ok();
        let collections = number("Total_GC_Executions")?;
        let moved = match collections {
            0.0 => 0.0,
            _ => collections * number("Average_Page_Movement_For_GC")?,
        };
        let written: f64 = (self.flows.iter().zip(&self.served))
            .filter(|(flow, _)| !flow.reads)
            .map(|(_, served)| served)
            .sum();
        (written > 0.0).then(|| 1.0 + moved / written)
    }

    fn values(&self, result: &Document<'_>) -> BTreeMap<String, f64> {
        let bytes = self.flows.first().map_or(0, |flow| flow.bytes) as f64;
        let writes = self.rate(|flow| !flow.reads);
        let mb_s = writes.map(|rate| rate * bytes / 1e6);
        let is_slot = bytes == self.question.drive.slot_bytes().unwrap_or(0) as f64;
        let named = [
            (table::IOPS.name, self.rate(|_| true)),
            (table::SERVED_WRITES_PER_S.name, writes),
            (table::WRITES_PER_S.name, writes),
            (
                table::WRITE_MIB_S.name,
                writes.map(|rate| rate * bytes / MIB),
            ),
            (table::MEAN_MB_S.name, mb_s),
            // Without a cache there is one rate, before and after.
            (table::AFTER_MB_S.name, mb_s),
            (
                table::WRITE_AMP.name,
                self.write_amplification(result).filter(|_| is_slot),
            ),
        ];
        let named = named.map(|(name, value)| (name.to_owned(), value));
        let values = named.into_iter().chain(self.times());
        values
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// Latencies of reads and of writes, and of all where there are no others.
    fn times(&self) -> Vec<(String, Option<f64>)> {
        let mut values = Vec::new();
        for (kind, reads) in [("read_", true), ("write_", false)] {
            let latencies = self.latencies(reads);
            let is_only = self
                .flows
                .iter()
                .all(|flow| !flow.mixed && flow.reads == reads);
            for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)] {
                let value = percentile(&latencies, share);
                values.push((format!("{kind}lat_{name}_us"), value));
                if is_only {
                    values.push((format!("lat_{name}_us"), value));
                }
            }
            if is_only && !latencies.is_empty() {
                let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
                values.push((table::LAT_AVG_US.name.to_owned(), Some(mean)));
            }
        }
        values
    }
}

/// The least latency within which a share of the requests lies; none where fewer than three lie beyond.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    let beyond = sorted.len().checked_sub(rank)?;
    (beyond >= 3).then(|| sorted[rank.max(1) - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_has_its_share_below_and_some_beyond() {
        let values: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), Some(500.0));
        assert_eq!(percentile(&values, 0.99), Some(990.0));
        assert_eq!(percentile(&values, 0.999), None);
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn what_stalled_is_no_run() {
        let xml = |served: &str| {
            format!(
                "<MQSim_Results><Host><Host.IO_Flow><Request_Count>1000</Request_Count><Bytes_Transferred>{served}\
                 </Bytes_Transferred></Host.IO_Flow></Host></MQSim_Results>"
            )
        };
        let flows = [Flow {
            name: "a".to_owned(),
            reads: false,
            mixed: false,
            rated: false,
            bytes: 4096,
        }];
        let of = |served: &str| super::served(&Document::parse(&xml(served)).unwrap(), &flows);
        assert_eq!(of("4096000.0").unwrap(), [1000.0]);
        let stalled = of("40960.0").unwrap_err().to_string();
        assert_eq!(stalled, "it stalled: of 1000 requests 10 ended");
        assert!(of("nothing").is_err());
    }

    #[test]
    fn the_last_error_says_why_a_program_stopped() {
        let said = "started\nERROR:Unlocking an LPA that has not been locked!\n\n";
        assert_eq!(
            complaint(said, "signal 6"),
            "Unlocking an LPA that has not been locked!"
        );
        assert_eq!(complaint("started\n", "signal 6"), "signal 6");
    }
}
