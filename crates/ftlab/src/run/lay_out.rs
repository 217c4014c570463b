//! `ftlab run --lay-out`: the map of the files of jobs on their drives.

use super::{Options, loads, review};
use crate::failure::{Failure, Outcome};
use crate::screen;
use comfy_table::{Cell, CellAlignment};
use ftlab_base::amount::grouped;
use ftlab_drive::Catalog;
use ftlab_lab::Subject;
use ftlab_workload::{FilePlace, JobFile, Layout, Room};
use std::collections::BTreeSet;

/// Prints the map of each load on each drive; without drives, on one that has room for everything.
pub fn show(options: &Options, catalog: &Catalog) -> Outcome {
    let (loads, drives) = match options.drives.is_empty() {
        true => (loads(options)?, Vec::new()),
        false => {
            let review = review(options, catalog)?;
            (review.loads, review.drives)
        }
    };
    let mut parts = Vec::new();
    for own in &loads {
        let Some(file) = own.load.job_file() else {
            return Err(Failure::Input(format!(
                "--lay-out shows the files of jobs, and {} is a {}; leave it out",
                own.load.name(),
                own.load.what().word()
            )));
        };
        let mut part = |drive: &str, rooms: &[Room<'_>]| {
            let on = if drive.is_empty() {
                String::new()
            } else {
                format!(" on {drive}")
            };
            parts.push(format!("{}{on}\n{}", own.name, map(file, rooms)?));
            Ok::<(), Failure>(())
        };
        for subject in &drives {
            part(subject.slug(), &rooms_of(subject))?;
        }
        if drives.is_empty() {
            let endless = Room {
                name: "",
                bytes: u64::MAX,
            };
            part("", &[endless])?;
        }
    }
    screen::print(&format!("{}\n", parts.join("\n\n")))
}

fn rooms_of(subject: &Subject) -> Vec<Room<'_>> {
    let shapes = subject.shapes().into_iter();
    shapes
        .map(|shape| Room {
            name: shape.name,
            bytes: shape.bytes,
        })
        .collect()
}

/// The names of jobs that have a file, each once.
fn jobs_of(file: &JobFile, layout: &Layout, place: FilePlace) -> Option<String> {
    let mut seen = BTreeSet::new();
    let jobs = file.jobs.iter().zip(&layout.of_jobs);
    let names = jobs.filter(|(_, places)| places.contains(&place));
    let names: Vec<&str> = names
        .map(|(job, _)| job.name.as_str())
        .filter(|name| seen.insert(*name))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A table of the files in the order of their bytes, and of the drives that jobs have as a whole.
fn map(file: &JobFile, rooms: &[Room<'_>]) -> Result<String, Failure> {
    let layout = file.lay_out(rooms)?;
    let has_names = rooms.iter().any(|room| !room.name.is_empty());
    let mut columns = vec!["file", "first byte", "size", "jobs"];
    if has_names {
        columns.insert(1, "drive");
    }
    let mut table = screen::table(&columns);
    let mut row = |name: &str, device: usize, numbers: [String; 2], jobs: String| {
        let mut cells = vec![Cell::new(name)];
        if has_names {
            cells.push(Cell::new(rooms[device].name));
        }
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        cells.extend(numbers.map(right));
        cells.push(Cell::new(jobs));
        table.add_row(cells);
    };
    for (device, room) in rooms.iter().enumerate() {
        if let Some(jobs) = jobs_of(file, &layout, FilePlace::Device(device)) {
            let bytes = match room.bytes {
                u64::MAX => "–".to_owned(),
                bytes => grouped(bytes),
            };
            row("(the whole drive)", device, ["0".to_owned(), bytes], jobs);
        }
        for (n, laid) in layout.files.iter().enumerate() {
            if laid.device == device {
                let jobs = jobs_of(file, &layout, FilePlace::File(n)).unwrap_or_default();
                let numbers = [grouped(laid.first_byte), grouped(laid.bytes)];
                row(&laid.name, device, numbers, jobs);
            }
        }
    }
    Ok(screen::lines(table))
}
