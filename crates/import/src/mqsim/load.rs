//! MQSim's loads as job files in fio's words: a file for each scenario, a job for each flow.

use super::{document, settings};
use crate::draft::{Draft, Job, Left};
use crate::settings::Settings;
use crate::{ImportError, Text};
use std::fmt::Write;

const SYNTHETIC: &str = "IO_Flow_Parameter_Set_Synthetic";
const TRACE: &str = "IO_Flow_Parameter_Set_Trace_Based";

/// Keys that a job has nothing for.
const LEFT: &[(&str, &str)] = &[
    ("Type", "said by the section"),
    (
        "Priority_Class",
        "a modelled drive serves all requests alike",
    ),
    (
        "Device_Level_Data_Caching_Mode",
        "the write buffer is there for all loads: buffer.size",
    ),
    ("Channel_IDs", "all flows share all dies"),
    ("Chip_IDs", "all flows share all dies"),
    ("Die_IDs", "all flows share all dies"),
    ("Plane_IDs", "all flows share all dies"),
];

/// The job files of `workload`; what they cannot say goes to `draft`.
pub fn jobs(workload: &Text<'_>, draft: &mut Draft) -> Result<Vec<Job>, ImportError> {
    let document = document(workload, "MQSim_IO_Scenarios")?;
    let scenarios: Vec<_> = document
        .root_element()
        .children()
        .filter(|node| node.has_tag_name("IO_Scenario"))
        .collect();
    if scenarios.is_empty() {
        return Err(ImportError::new(
            workload.name,
            "it has no <IO_Scenario>; give a file of loads",
        ));
    }
    let mut jobs = Vec::new();
    for (n, scenario) in scenarios.iter().enumerate() {
        let flows: Vec<_> = scenario
            .children()
            .filter(|node| node.has_tag_name(SYNTHETIC) || node.has_tag_name(TRACE))
            .collect();
        if flows.is_empty() {
            let place = format!("{}, line {}", workload.name, super::line(*scenario));
            return Err(ImportError::new(
                place,
                format!("the scenario has no flow; give it a <{SYNTHETIC}> or <{TRACE}>"),
            ));
        }
        let mut text = format!(
            "# Scenario {} of MQSim's {}, taken over by `ftlab import`. Flows have equal parts of the drive, as MQSim gives them.\n\n\
             [global]\nioengine=libaio\ndirect=1\nfilename=/dev/ftlab0\nnorandommap\nrandrepeat=0\n",
            n + 1,
            crate::settings::one_line(workload.name)
        );
        for (m, flow) in flows.iter().enumerate() {
            let mut said = settings(workload, *flow, &[]);
            let part = Part {
                index: m,
                of: flows.len(),
            };
            match flow.has_tag_name(SYNTHETIC) {
                true => synthetic(&mut said, &mut text, &part, draft)?,
                false => trace(&mut said, &mut text, &part, draft)?,
            }
            said.leave(LEFT, &mut draft.left);
            said.rest(&mut draft.left);
        }
        jobs.push(Job {
            suffix: if scenarios.len() > 1 {
                format!("-{}", n + 1)
            } else {
                String::new()
            },
            text,
            wraps: flows.iter().any(|flow| flow.has_tag_name(TRACE)),
        });
    }
    same_once(&mut draft.left);
    Ok(jobs)
}

/// Keeps one of several rows that say the same of flows of one file.
fn same_once(left: &mut Vec<Left>) {
    let mut kept: Vec<Left> = Vec::new();
    for row in left.drain(..) {
        let is_same =
            |other: &Left| other.key == row.key && other.value == row.value && other.why == row.why;
        if !kept.iter().any(is_same) {
            kept.push(row);
        }
    }
    *left = kept;
}

/// Which flow of how many it is: flows share the addresses of the drive out among them.
struct Part {
    index: usize,
    of: usize,
}

/// A share in percent, from 1 to 100.
fn percent(said: &mut Settings, key: &str, default: f64) -> Result<f64, ImportError> {
    let value = said.number(key, default)?.value;
    match value <= 100.0 {
        true => Ok(value),
        false => Err(ImportError::new(
            said.place_of(key),
            format!("{key} is {value}; give percent, up to 100"),
        )),
    }
}

fn synthetic(
    said: &mut Settings,
    text: &mut String,
    part: &Part,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let _ = write!(text, "\n[flow-{}]\n", part.index);
    let reads = percent(said, "Read_Percentage", 100.0)?;
    let how = said.word("Address_Distribution", "UNIFORM_RANDOM");
    let (is_random, is_skewed) = match how.value.as_str() {
        "STREAMING" => (false, false),
        "UNIFORM_RANDOM" | "RANDOM_UNIFORM" => (true, false),
        "HOTCOLD_RANDOM" | "RANDOM_HOTCOLD" => (true, true),
        _ => {
            return Err(how.unknown(
                "STREAMING, RANDOM_UNIFORM (UNIFORM_RANDOM), RANDOM_HOTCOLD (HOTCOLD_RANDOM)",
            ));
        }
    };
    let kind = match (reads, is_random) {
        (0.0, true) => "randwrite",
        (0.0, false) => "write",
        (100.0, true) => "randread",
        (100.0, false) => "read",
        (_, true) => "randrw",
        (_, false) => "rw",
    };
    let _ = writeln!(text, "rw={kind}");
    if reads != 0.0 && reads != 100.0 {
        let _ = writeln!(text, "rwmixread={reads:.0}");
    }
    let hot = percent(said, "Percentage_of_Hot_Region", 0.0)?;
    if is_skewed {
        if hot <= 0.0 || hot >= 100.0 {
            let place = said.place_of("Percentage_of_Hot_Region");
            return Err(ImportError::new(
                place,
                "a hot region needs a part of the addresses between 0 and 100 percent",
            ));
        }
        // MQSim's rule: what is hot is small, and has the accesses that its size leaves over.
        let _ = writeln!(
            text,
            "random_distribution=zoned:{}/{hot}:{hot}/{}",
            100.0 - hot,
            100.0 - hot
        );
    }

    let sectors = said.count("Average_Request_Size", 8)?.value;
    let spread = said.number("Variance_Request_Size", 0.0)?.value;
    let sizes = said.word("Request_Size_Distribution", "FIXED");
    match sizes.value.as_str() {
        "FIXED" => {}
        "NORMAL" if spread == 0.0 => {}
        "NORMAL" => draft.remarks.push(format!("{}: all requests have the mean size, {sectors} sectors; MQSim draws them with a deviation of {spread}", sizes.from)),
        _ => return Err(sizes.unknown("FIXED, NORMAL")),
    }
    let _ = writeln!(text, "bs={}", sectors * 512.0);
    // MQSim draws any sector, unless it is told to align.
    let (is_aligned, _) = said.flag("Generated_Aligned_Addresses", false)?;
    let unit = said.count("Address_Alignment_Unit", 16)?.value;
    if is_random {
        let _ = writeln!(
            text,
            "blockalign={}",
            if is_aligned { unit * 512.0 } else { 512.0 }
        );
    }

    let share = percent(said, "Working_Set_Percentage", 100.0)?;
    if share < 1.0 {
        return Err(ImportError::new(
            said.place_of("Working_Set_Percentage"),
            "the working set is empty; give 1 to 100",
        ));
    }
    place(text, part, share);
    pace(said, text, sectors * 512.0, draft)?;

    let stop_ns = said.number("Stop_Time", 0.0)?.value;
    let requests = said.number("Total_Requests_To_Generate", 0.0)?.value;
    if stop_ns > 0.0 {
        let _ = writeln!(
            text,
            "time_based\nruntime={}us",
            (stop_ns / 1e3).round().max(1.0)
        );
    } else if requests >= 1.0 {
        let _ = writeln!(text, "number_ios={requests:.0}");
    } else {
        return Err(ImportError::new(
            said.place_of("Stop_Time"),
            "a flow without Stop_Time and Total_Requests_To_Generate has no requests; give one of them",
        ));
    }
    let seed = said.number("Seed", 1.0)?.value;
    let _ = writeln!(text, "randseed={seed:.0}");
    occupancy(said, draft)
}

/// The addresses of a flow: its part of the drive, and of that its working set.
fn place(text: &mut String, part: &Part, working_set: f64) {
    let each = 100.0 / part.of as f64;
    let whole = |share: f64| share.floor();
    if part.index > 0 {
        let _ = writeln!(text, "offset={}%", whole(each * part.index as f64));
    }
    let _ = writeln!(text, "size={}%", whole(each * working_set / 100.0).max(1.0));
}

/// Closed at a depth, or open at a rate.
fn pace(
    said: &mut Settings,
    text: &mut String,
    bytes: f64,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let generator = said.word("Synthetic_Generator_Type", "QUEUE_DEPTH");
    let depth = said.count("Average_No_of_Reqs_in_Queue", 1)?.value;
    let rate = match said.number_if("Bandwidth")? {
        Some(rate) => Some(rate),
        None => said.number_if("Intensity")?,
    };
    match (generator.value.as_str(), rate) {
        ("QUEUE_DEPTH", _) => {
            let _ = writeln!(text, "iodepth={depth}");
        }
        ("BANDWIDTH" | "ARRIVAL_RATE", Some(rate)) if rate.value >= bytes => {
            let _ = writeln!(
                text,
                "rate_iops={:.0}\nrate_process=poisson\niodepth=1024",
                rate.value / bytes
            );
            draft.remarks.push(format!("{}: bytes a second as requests of the mean size, up to 1024 outstanding; MQSim has no such limit", rate.from.join(", ")));
        }
        ("BANDWIDTH" | "ARRIVAL_RATE", Some(rate)) => {
            let why = format!(
                "{} bytes a second are less than a request of {bytes} bytes; give more",
                rate.value
            );
            return Err(ImportError::new(said.place_of("Bandwidth"), why));
        }
        ("BANDWIDTH" | "ARRIVAL_RATE", None) => {
            return Err(generator.refused("it needs Bandwidth, in bytes a second; add it"));
        }
        _ => return Err(generator.unknown("QUEUE_DEPTH, BANDWIDTH (ARRIVAL_RATE)")),
    }
    Ok(())
}

fn occupancy(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let filled = percent(said, "Initial_Occupancy_Percentage", 0.0)?;
    if filled > 0.0 {
        let remark = format!(
            "Initial_Occupancy_Percentage {filled}: what a drive holds before a run is an option, --state, and fills all of it"
        );
        if !draft.remarks.contains(&remark) {
            draft.remarks.push(remark);
        }
    }
    Ok(())
}

fn trace(
    said: &mut Settings,
    text: &mut String,
    part: &Part,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let Some(path) = said.text_if("File_Path") else {
        return Err(ImportError::new(
            said.place_of("File_Path"),
            "a flow of a trace has no File_Path; add it",
        ));
    };
    let unit = said.word("Time_Unit", "NANOSECOND");
    match unit.value.as_str() {
        "NANOSECOND" => {}
        "PICOSECOND" | "MICROSECOND" => draft.remarks.push(format!("{}: times of MQSim's traces are read as nanoseconds; multiply the column first, or replay with --pace scaled", unit.from)),
        _ => return Err(unit.unknown("PICOSECOND, NANOSECOND, MICROSECOND")),
    }
    let _ = write!(
        text,
        "\n[flow-{}]\nread_iolog={}\n",
        part.index,
        path.replace('\\', "/")
    );
    let (share, times) = (
        percent(said, "Percentage_To_Be_Executed", 100.0)?,
        said.count("Relay_Count", 1)?.value,
    );
    if share < 100.0 || times > 1.0 {
        draft.remarks.push(format!("the trace {path} is replayed whole and once; MQSim would take {share} percent of it, {times} times"));
    }
    if part.of > 1 {
        draft.remarks.push(format!(
            "the trace {path} runs alone: leave the other flows out of its job file"
        ));
    }
    occupancy(said, draft)
}
