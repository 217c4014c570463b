//! MQSim: its device in XML (`ssdconfig.xml`), and its loads (`workload.xml`), of which each scenario is a job file and each flow
//! a job.

use crate::draft::{Draft, Job, Left};
use crate::settings::{Known, Settings, one_line};
use crate::table::Table;
use crate::{ImportError, Imported, Text};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

const SYNTHETIC: &str = "IO_Flow_Parameter_Set_Synthetic";
const TRACE: &str = "IO_Flow_Parameter_Set_Trace_Based";

/// The drive of a device configuration and, where there is a file of loads, a job file for each of its scenarios.
///
/// # Errors
/// Where a file is no XML or another program's, a value cannot be read, or the drive is of a kind that ftlab has not.
pub fn mqsim(config: &Text<'_>, workload: Option<&Text<'_>>) -> Result<Imported, ImportError> {
    let table = Table::of(include_str!("../tables/mqsim.toml"));
    let sections = [
        "Host_Parameter_Set",
        "Device_Parameter_Set",
        "Flash_Parameter_Set",
    ];
    let document = document(config, "Execution_Parameter_Set")?;
    let mut said = settings(config, document.root_element(), &sections);
    let mut draft = Draft::new(&table.program, config.name);
    table.apply(&mut said, &mut draft, BTreeMap::new())?;
    table.leave(said, &mut draft);
    let jobs = match workload {
        Some(workload) => jobs(workload, &mut draft)?,
        None => Vec::new(),
    };
    Ok(draft.finish(jobs))
}

/// The document of a file, whose root must have the name `root`.
fn document<'a>(file: &Text<'a>, root: &str) -> Result<Document<'a>, ImportError> {
    let document = Document::parse(file.text).map_err(|error| {
        let line = error.pos().row;
        let why = format!("it is not well-formed XML: {error}");
        ImportError::new(format!("{}, line {line}", file.name), why)
    })?;
    let name = document.root_element().tag_name().name();
    if name != root {
        let why = format!("its root is <{name}>; give a file of MQSim's whose root is <{root}>");
        return Err(ImportError::new(file.name, why));
    }
    Ok(document)
}

fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// The settings that stand in a node; nodes of the names `inner` are sections, whose settings stand here as well.
fn settings(file: &Text<'_>, node: Node<'_, '_>, inner: &[&str]) -> Settings {
    let mut settings = Settings::new(file, "MQSim");
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        for child in node.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            if inner.contains(&name) {
                left.push(child);
            } else {
                settings.push(name, child.text().unwrap_or(""), line(child));
            }
        }
    }
    settings
}

/// Returns the job files of `workload`; the rest of it goes to `draft`.
fn jobs(workload: &Text<'_>, draft: &mut Draft) -> Result<Vec<Job>, ImportError> {
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
    for (scenario, number) in scenarios.iter().zip(1..) {
        let suffix = match scenarios.len() {
            1 => String::new(),
            _ => format!("-{number}"),
        };
        jobs.push(Job {
            suffix,
            ..job(workload, *scenario, number, draft)?
        });
    }
    same_once(&mut draft.left);
    Ok(jobs)
}

/// The job file of a scenario.
fn job(
    workload: &Text<'_>,
    scenario: Node<'_, '_>,
    number: usize,
    draft: &mut Draft,
) -> Result<Job, ImportError> {
    let flows: Vec<_> = scenario
        .children()
        .filter(|node| node.has_tag_name(SYNTHETIC) || node.has_tag_name(TRACE))
        .collect();
    if flows.is_empty() {
        let place = format!("{}, line {}", workload.name, line(scenario));
        let why = format!("the scenario has no flow; give it a <{SYNTHETIC}> or <{TRACE}>");
        return Err(ImportError::new(place, why));
    }
    let mut text = format!(
        "# Scenario {number} of MQSim's {}, taken over by `ftlab import`. Flows have equal parts of the drive, as MQSim gives them.\n\n\
         [global]\nioengine=libaio\ndirect=1\nfilename=/dev/ftlab0\nnorandommap\nrandrepeat=0\n",
        one_line(workload.name)
    );
    let synthetic = Table::of(include_str!("../tables/mqsim-synthetic.toml"));
    let trace = Table::of(include_str!("../tables/mqsim-trace.toml"));
    for (n, flow) in flows.iter().enumerate() {
        let mut said = settings(workload, *flow, &[]);
        let table = match flow.has_tag_name(TRACE) {
            true => &trace,
            false => &synthetic,
        };
        // Flows share the addresses of the drive out among them.
        let counted = |number: usize| Known::of(number as f64, String::new());
        let named = [("index", counted(n)), ("flows", counted(flows.len()))];
        let named = named.map(|(name, known)| (name.to_owned(), known));
        let lines = table.apply(&mut said, draft, named.into())?;
        text += &format!("\n[flow-{n}]\n{lines}");
        table.leave(said, draft);
    }
    Ok(Job {
        suffix: String::new(),
        text,
        wraps: flows.iter().any(|flow| flow.has_tag_name(TRACE)),
    })
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
