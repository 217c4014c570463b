//! MQSim: its device in XML (`ssdconfig.xml`), and its loads (`workload.xml`).

mod controller;
mod device;
mod load;

use crate::settings::Settings;
use crate::{ImportError, Imported, Text};
use roxmltree::{Document, Node};

/// What is in its messages and notes.
const PROGRAM: &str = "MQSim";

/// The drive of a device configuration and, where there is a file of loads, a job file for each of its scenarios.
///
/// # Errors
/// Where a file is no XML or another program's, a value cannot be read, or the drive is of a kind that ftlab has not.
pub fn mqsim(config: &Text<'_>, workload: Option<&Text<'_>>) -> Result<Imported, ImportError> {
    let mut draft = device::draft(config)?;
    let jobs = match workload {
        Some(workload) => load::jobs(workload, &mut draft)?,
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
        let why =
            format!("its root is <{name}>; give a file of {PROGRAM}'s whose root is <{root}>");
        return Err(ImportError::new(file.name, why));
    }
    Ok(document)
}

fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// The settings that stand in a node; nodes of the names `inner` are sections, whose settings stand here as well.
fn settings(file: &Text<'_>, node: Node<'_, '_>, inner: &[&str]) -> Settings {
    let mut settings = Settings::new(file, PROGRAM);
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
