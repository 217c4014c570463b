//! fio's own files, and those of fio-plot's `bench-fio`, which runs fio over depths, jobs and block sizes.

use crate::error::ReadingError;
use crate::fio::{Files, Measured, measured};
use crate::left::Ledger;
use crate::load::{Load, sheet};
use crate::object::Object;
use crate::readings::{Device, Modelled, Reading, Readings, test_name};
use crate::source::Source;
use ftlab_result::Run;

const TEXT: &str = "Jobs of fio that were run elsewhere, and imported.";

/// Where a test has its name from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// The file, as `ftlab run` names a load.
    File,
    /// What its jobs do: the files of different folders have the same names.
    Load,
}

/// Reads files of fio's.
///
/// # Errors
/// When one is none.
pub fn read(sources: &[Source], names: Names) -> Result<Readings, ReadingError> {
    let mut readings = Readings::default();
    let mut files = Files::default();
    for source in sources {
        files.add(source, &mut readings.left)?;
    }
    for of in measured(files, &mut readings.left)? {
        let mut reading = reading(&of, names);
        if let Some(beside) = &of.ftlab {
            modelled(&of.source, beside, &mut reading, &mut readings.left)?;
        }
        readings.each.push(reading);
        facts(&of, &mut readings.device);
    }
    Ok(readings)
}

/// A measurement as a test and its run.
pub fn reading(of: &Measured, names: Names) -> Reading {
    let count = of.run.jobs.iter().map(|job| job.clones).sum();
    let load = Load::of(&of.jobs, &of.global, count);
    let name = match (&load, names) {
        (Some(load), Names::Load) => load.name(),
        _ => of.name.clone(),
    };
    let (title, step) = match &load {
        Some(load) => (load.title(), load.step()),
        None => (of.name.clone(), String::new()),
    };
    let block_bytes = load.as_ref().and_then(Load::block_bytes);
    let mut sheet = sheet(title, step, block_bytes, TEXT);
    sheet.test = test_name(&name);
    let mut notes = vec![match &of.version {
        Some(version) => format!("Imported from {}, which {version} wrote.", of.source.name),
        None => format!("Imported from {}.", of.source.name),
    }];
    notes.extend(of.run.notes.clone());
    if load.as_ref().is_none_or(|load| load.depth == 0) && of.global.is_empty() {
        notes.push(
            "The options of its jobs are not known, so neither is their queue depth.".to_owned(),
        );
    }
    let run = Run {
        notes,
        ..of.run.clone()
    };
    Reading::measured(sheet, run)
}

/// What a measurement says of the device and the program.
pub fn facts(of: &Measured, device: &mut Device) {
    device.fact(
        "bench.fio",
        of.version.as_deref().unwrap_or_default(),
        "",
        &of.source,
    );
    for job in &of.jobs {
        for key in ["filename", "directory", "ioengine"] {
            let said = crate::fio::option(job, &of.global, &[key]);
            device.fact(
                &format!("bench.{key}"),
                said.unwrap_or_default(),
                "",
                &of.source,
            );
        }
        device.fact(
            "machine.host",
            job.host.as_deref().unwrap_or_default(),
            "",
            &of.source,
        );
    }
}

/// Takes over what ftlab says of a run of a model beside what fio says.
fn modelled(
    source: &Source,
    beside: &serde_json::Value,
    reading: &mut Reading,
    ledger: &mut Ledger,
) -> Result<(), ReadingError> {
    let wrong = |why: String| ReadingError::new(&source.name, why);
    let mut object = Object::of("ftlab", beside.clone()).map_err(wrong)?;
    let mut text = |key: &str| object.text(key).unwrap_or_default();
    let run = &mut reading.run;
    (run.state, run.data, run.link) = (text("state"), text("data"), text("link"));
    run.testbed = text("testbed");
    reading.sheet.test = test_name(&text("test"));
    let (drive, version) = (text("drive"), text("version"));
    text("run");
    run.seconds = object
        .number("simulated_seconds")
        .map_err(wrong)?
        .unwrap_or(run.seconds);
    let count = |object: &mut Object, key: &str| object.count(key).map_err(wrong);
    reading.modelled = Some(Modelled {
        drive,
        testbed: run.testbed.clone(),
        version,
        model_version: count(&mut object, "model_version")?.unwrap_or(0) as u32,
        seed: count(&mut object, "seed")?.unwrap_or(0),
    });
    if let Some(metrics) = object.object("metrics").map_err(wrong)? {
        run.metrics = metrics.numbers();
    }
    for key in object.rest() {
        let why = "what ftlab says beside fio's keys; the results.json of the run has it";
        ledger.note(&format!("ftlab.{key}"), &source.name, why);
    }
    Ok(())
}
