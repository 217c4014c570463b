//! A job file as MQSim's loads: the jobs that run together are a scenario, and each of them is a flow.

use crate::draft::{Draft, Dropped};
use crate::geometry::Geometry;
use crate::{Asked, CardError};
use ftlab_base::{CommandKind, SECTOR_BYTES};
use ftlab_workload::{Distribution, JobFile, JobSpec, PatternKind, Size};

/// Submission queues that there are beside that of the administrator.
const FLOWS_MAX: usize = 8;

/// Requests a second that stand where a flow has no rate: MQSim divides by them even then.
const WITHOUT_RATE: f64 = 1.0;

/// Words that are about the host, the output, or what flows do anyway.
const WITHOUT_TIME: &[&str] = &[
    "description",
    "direct",
    "disable_lat",
    "filename",
    "group_reporting",
    "ioengine",
    "iomem",
    "log_avg_msec",
    "loops",
    "name",
    "norandommap",
    "numjobs",
    "percentile_list",
    "random_generator",
    "randrepeat",
    "thread",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
];

/// Words that become keys, or decide whether there can be a flow.
const TAKEN: &[&str] = &[
    "allow_mounted_write",
    "blockalign",
    "bs",
    "io_size",
    "iodepth",
    "number_ios",
    "randseed",
    "ramp_time",
    "random_distribution",
    "rate_iops",
    "rate_process",
    "runtime",
    "rw",
    "rwmixread",
    "size",
    "stonewall",
    "time_based",
    "offset",
];

/// The most flows that run at a time.
pub fn most(jobs: &JobFile) -> u32 {
    let groups = jobs.groups().into_iter().map(|group| group.len());
    groups.max().unwrap_or(1) as u32
}

/// The most requests that a job has outstanding.
pub fn deepest(jobs: &JobFile) -> u32 {
    let depths = jobs.jobs.iter().map(|job| job.submission.iodepth);
    // MQSim counts the places of a queue by 16 bits.
    depths.max().unwrap_or(1).min(u32::from(u16::MAX) - 1)
}

/// The text of `workload.xml`; what is different goes to `draft`.
pub fn workload(
    asked: &Asked<'_>,
    name: &str,
    jobs: &JobFile,
    shape: &Geometry,
    draft: &mut Draft,
) -> Result<String, CardError> {
    let mut scenarios = String::new();
    for group in jobs.groups() {
        if group.len() > FLOWS_MAX {
            return Err(CardError::new(
                name,
                format!(
                    "{} jobs run at a time, and MQSim has queues for {FLOWS_MAX} flows; put `stonewall` before some, or lower numjobs",
                    group.len()
                ),
            ));
        }
        let flows = group.iter().enumerate();
        let flows = flows.map(|(nth, &job)| flow(asked, (&jobs.jobs[job], nth), shape, draft));
        let flows: String = flows.collect::<Result<_, _>>()?;
        scenarios += &format!("  <IO_Scenario>\n{flows}  </IO_Scenario>\n");
        if group.len() > 1 {
            once(draft, "flows have equal parts of the drive there, each its own; here jobs share all of it".to_owned());
        }
    }
    jobs.jobs.iter().for_each(|job| drop_words(job, draft));
    let notes = format!(
        "{name}: loads of `ftlab card`, for the drive of ssdconfig.xml, where the notes are."
    );
    let notes = notes.replace("--", "- -");
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- {notes} -->\n<MQSim_IO_Scenarios>\n{scenarios}</MQSim_IO_Scenarios>\n"
    ))
}

fn once(draft: &mut Draft, remark: String) {
    if !draft.remarks.contains(&remark) {
        draft.remarks.push(remark);
    }
}

/// Lists the words of a job that became nothing.
fn drop_words(job: &JobSpec, draft: &mut Draft) {
    for (word, value) in job.options.global.iter().chain(&job.options.own) {
        let key = format!("{}: {word}", job.name);
        let is_known =
            TAKEN.contains(&word.as_str()) || draft.dropped.iter().any(|row| row.key == key);
        if !is_known {
            let harmless = WITHOUT_TIME.contains(&word.as_str());
            draft.dropped.push(Dropped {
                key,
                value: value.clone(),
                decides_speed: !harmless,
                why: match harmless {
                    true => "about the host or its output, or so anyway",
                    false => "a flow has no key for it",
                }
                .to_owned(),
            });
        }
    }
}

/// A number of the region in percent of the drive.
fn percent(size: Size, capacity: u64) -> f64 {
    match size {
        Size::Percent(percent) => f64::from(percent),
        Size::Bytes(bytes) => 100.0 * bytes as f64 / capacity as f64,
    }
}

/// Reads in a hundred, and requests a second where a job has a rate.
struct Mix {
    reads_percent: f64,
    rate: Option<f64>,
}

fn mix(job: &JobSpec, wrong: &dyn Fn(String) -> CardError) -> Result<Mix, CardError> {
    let rates = &job.pace.rate_iops;
    let (reads, writes) = (rates.of(CommandKind::Read), rates.of(CommandKind::Write));
    let (shares, rate) = match job.pattern.kind {
        PatternKind::Read => (100.0, reads),
        PatternKind::Write => (0.0, writes),
        PatternKind::ReadWrite => match (reads, writes) {
            (Some(reads), Some(writes)) => {
                let all = reads + writes;
                (100.0 * reads as f64 / all.max(1) as f64, Some(all))
            }
            _ => (f64::from(job.pattern.rwmixread), None),
        },
        PatternKind::Trim | PatternKind::TrimWrite => {
            return Err(wrong(
                "rw: MQSim has no trims; give reads or writes".to_owned(),
            ));
        }
    };
    Ok(Mix {
        reads_percent: shares,
        rate: rate.map(|rate| rate as f64),
    })
}

/// The law of addresses: its name there, and the hot part in percent.
fn addresses(
    job: &JobSpec,
    wrong: &dyn Fn(String) -> CardError,
) -> Result<(&'static str, u8), CardError> {
    if !job.pattern.random {
        return Ok(("STREAMING", 0));
    }
    let zones = match &job.pattern.random_distribution {
        Distribution::Random => return Ok(("RANDOM_UNIFORM", 0)),
        Distribution::Zoned(zones) => zones.get(CommandKind::Write).as_slice(),
        _ => &[],
    };
    let hot = zones
        .iter()
        .map(|zone| zone.size_percent)
        .min()
        .unwrap_or(0);
    let are_so = zones.len() == 2
        && zones
            .iter()
            .all(|zone| zone.access_percent == 100 - zone.size_percent);
    are_so.then_some(("RANDOM_HOTCOLD", hot)).ok_or_else(|| {
        wrong(
            "random_distribution: MQSim has uniform addresses, or two zones of which the smaller has the accesses that its size \
             leaves over; give random, or zoned:60/40:40/60"
                .to_owned(),
        )
    })
}

/// The end of a flow: nanoseconds, or a number of requests.
fn end(job: &JobSpec, region_bytes: f64, bytes: u64) -> (u64, u64) {
    let length = &job.length;
    let all = match length.io_size {
        Some(Size::Bytes(bytes)) => bytes as f64,
        Some(Size::Percent(percent)) => region_bytes * f64::from(percent) / 100.0,
        None => region_bytes,
    };
    let requests = length.number_ios.unwrap_or((all / bytes as f64) as u64);
    match length.runtime {
        Some(runtime) => (runtime.0 + length.ramp_time.0, 0),
        None => (0, requests.max(1)),
    }
}

/// Refuses a job whose requests no flow makes.
fn refuse(job: &JobSpec, wrong: &dyn Fn(String) -> CardError) -> Result<u64, CardError> {
    let sizes = &job.sizes;
    let bytes = sizes.bs.read;
    let of_kind = |kind| (*sizes.bs.get(kind), *sizes.bs_max.get(kind));
    if [CommandKind::Read, CommandKind::Write].map(of_kind) != [(bytes, bytes); 2] {
        return Err(wrong(
            "bs: all requests of a flow have one size there; give one, without bsrange and bssplit"
                .to_owned(),
        ));
    }
    if !bytes.is_multiple_of(SECTOR_BYTES) {
        return Err(wrong(format!(
            "bs: {bytes} bytes; give whole sectors of {SECTOR_BYTES} bytes"
        )));
    }
    if job.replay.file.is_some() {
        return Err(wrong("read_iolog: traces are not written for MQSim; `ftlab trace convert` makes a file that it replays".to_owned()));
    }
    Ok(bytes)
}

/// A flow of a job, which is the `nth` of its scenario.
fn flow(
    asked: &Asked<'_>,
    (job, nth): (&JobSpec, usize),
    shape: &Geometry,
    draft: &mut Draft,
) -> Result<String, CardError> {
    let wrong = |why: String| CardError::new(format!("{}, job {}", job.source, job.name), why);
    let bytes = refuse(job, &wrong)?;
    let capacity = asked.drive.capacity_bytes();
    let Mix {
        reads_percent,
        rate,
    } = mix(job, &wrong)?;
    let (law, hot) = addresses(job, &wrong)?;
    let part = job
        .region
        .size
        .map_or(100.0, |size| percent(size, capacity));
    let part = part.clamp(1.0, 100.0).round();
    let (stop_ns, requests) = end(job, capacity as f64 * part / 100.0, bytes);
    let bandwidth = rate.unwrap_or(WITHOUT_RATE) * bytes as f64;
    if let Some(why) = too_much(requests, bandwidth) {
        return Err(wrong(why));
    }
    remarks(job, (reads_percent, rate, stop_ns), draft);
    let sectors = bytes / SECTOR_BYTES;
    let align = job
        .sizes
        .blockalign
        .of(CommandKind::Write)
        .map_or(sectors, |align| (align / SECTOR_BYTES).max(1));
    let occupancy = if asked.filled { part } else { 0.0 };
    let generator = match rate {
        Some(_) => "BANDWIDTH",
        None => "QUEUE_DEPTH",
    };
    let keys = [
        ("Initial_Occupancy_Percentage", occupancy.to_string()),
        ("Working_Set_Percentage", part.to_string()),
        ("Synthetic_Generator_Type", generator.to_owned()),
        ("Read_Percentage", reads_percent.round().to_string()),
        ("Address_Distribution", law.to_owned()),
        ("Percentage_of_Hot_Region", hot.to_string()),
        ("Generated_Aligned_Addresses", "true".to_owned()),
        ("Address_Alignment_Unit", align.to_string()),
        ("Request_Size_Distribution", "FIXED".to_owned()),
        ("Average_Request_Size", sectors.to_string()),
        ("Variance_Request_Size", "0".to_owned()),
        ("Seed", (1 + 10 * nth).to_string()),
        (
            "Average_No_of_Reqs_in_Queue",
            job.submission.iodepth.to_string(),
        ),
        ("Bandwidth", bandwidth.to_string()),
        ("Stop_Time", stop_ns.to_string()),
        ("Total_Requests_To_Generate", requests.to_string()),
    ];
    let keys = resources(shape).into_iter().chain(keys);
    let keys: String = keys
        .map(|(key, value)| format!("      <{key}>{value}</{key}>\n"))
        .collect();
    Ok(format!(
        "    <IO_Flow_Parameter_Set_Synthetic>\n{keys}    </IO_Flow_Parameter_Set_Synthetic>\n"
    ))
}

/// Where a flow's data may lie, which is everywhere.
fn resources(shape: &Geometry) -> [(&'static str, String); 6] {
    let list = |count: u32| {
        let ids: Vec<String> = (0..count).map(|id| id.to_string()).collect();
        ids.join(",")
    };
    [
        ("Priority_Class", "HIGH".to_owned()),
        ("Device_Level_Data_Caching_Mode", "WRITE_CACHE".to_owned()),
        ("Channel_IDs", list(shape.channels)),
        ("Chip_IDs", list(shape.dies_per_channel)),
        ("Die_IDs", list(1)),
        ("Plane_IDs", list(shape.planes)),
    ]
}

/// Says which number is more than MQSim's types hold.
fn too_much(requests: u64, bandwidth: f64) -> Option<String> {
    if u32::try_from(requests).is_err() {
        return Some(format!(
            "{requests} requests are more than MQSim counts; give a runtime, or a smaller number_ios"
        ));
    }
    (bandwidth > f64::from(u32::MAX)).then(|| {
        format!(
            "rate_iops: {bandwidth} bytes a second are more than MQSim can have; give at most {}",
            u32::MAX
        )
    })
}

/// What a flow does otherwise than its job.
fn remarks(
    job: &JobSpec,
    (reads_percent, rate, stop_ns): (f64, Option<f64>, u64),
    draft: &mut Draft,
) {
    let name = &job.name;
    if reads_percent.fract() != 0.0 {
        once(
            draft,
            format!(
                "{name}: {reads_percent:.2} % of the requests are reads, and whole percents there"
            ),
        );
    }
    if rate.is_some() && !job.pace.rate_poisson {
        once(
            draft,
            format!("{name}: requests come at random there, not at even distances"),
        );
    }
    if rate.is_none() && (job.pace.rate_iops.read.or(job.pace.rate_iops.write)).is_some() {
        once(
            draft,
            format!("{name}: the rate is left out; give one to reads and to writes"),
        );
    }
    if job.length.ramp_time.0 > 0 {
        once(
            draft,
            format!("{name}: what comes in ramp_time counts there"),
        );
    }
    if stop_ns > 0 && !job.length.time_based {
        once(
            draft,
            format!(
                "{name}: it runs for all of runtime there, and begins anew where it has done its amount"
            ),
        );
    }
    if job.pattern.random && !job.pattern.norandommap {
        once(
            draft,
            format!("{name}: random addresses may come twice there before all have come"),
        );
    }
    if !job.pattern.random {
        once(
            draft,
            format!("{name}: requests in order begin at a random address there"),
        );
    }
    if job.region.offset != Size::default() {
        once(
            draft,
            format!("{name}: offset; a flow begins where MQSim has it"),
        );
    }
}
