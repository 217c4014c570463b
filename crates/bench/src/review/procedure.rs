//! A procedure as a course: act after act on one drive, and an outcome of each job it measures.

use super::cost;
use crate::plan::ClosedForm;
use crate::suites::{Act, Procedure, Span};
use crate::words::words;
use ftlab_base::amount::decimal;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome as Answer, Placement, RootSeed,
    SECTOR_BYTES, SimTime, SubmissionQueue,
};
use ftlab_drive::{Device, DriveFile};
use ftlab_lab::{Cell, Course, LabError, Length, Observer, Outcome};
use ftlab_play::driver::{self, Clock, DriverError, Target};
use ftlab_play::load::Load;
use ftlab_play::record::Record;
use ftlab_play::streams::drive_seed;
use ftlab_play::torture::{Torn, torture};
use ftlab_result::quantity::table;
use ftlab_sheet::SheetError;
use ftlab_states::{State, come_to_rest};
use ftlab_workload::{JobFile, Size};
use std::sync::Arc;

/// Sectors of a write that fills a part of a drive: 1 MiB, as a copy of large files makes them.
const FILL_SECTORS: u64 = 2048;

/// The metric that closed forms give.
const CLOSED_FORM: &str = table::WA_CLOSED_FORM.name;

/// The acts of a procedure.
#[derive(Debug)]
pub struct Acts {
    pub procedure: Arc<Procedure>,
    pub length: Length,
}

impl Course for Acts {
    fn name(&self) -> String {
        self.procedure.slug.clone()
    }

    fn mark(&self) -> String {
        format!("{:?}\n{}", self.length, self.procedure.mark())
    }

    fn costs(&self, cell: &Cell) -> Vec<f64> {
        cost::of_procedure(cell.subject.first(), &self.procedure, self.length)
    }

    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError> {
        let wrong = |error| LabError::Drive {
            drive: cell.subject.slug().to_owned(),
            error,
        };
        let file = self
            .procedure
            .span
            .of(cell.subject.first())
            .map_err(wrong)?;
        let seed = drive_seed(cell.seed, cell.subject.first().slug());
        let device = file.build(&cell.machine, seed).map_err(wrong)?;
        Running::new(self, cell, observer, &file, device).run()
    }
}

/// A procedure under way.
struct Running<'a> {
    acts: &'a Acts,
    cell: &'a Cell,
    observer: Observer<'a>,
    file: &'a DriveFile,
    device: Box<dyn Device>,
    /// The sectors that the acts use, from the drive's start; those behind them are never written.
    sectors: u64,
    steps: Vec<String>,
    /// The state it was brought to.
    has_reached: Option<State>,
    measured: Vec<Outcome>,
}

impl<'a> Running<'a> {
    /// A procedure that begins on `device`, the drive of `file` as new.
    fn new(
        acts: &'a Acts,
        cell: &'a Cell,
        observer: Observer<'a>,
        file: &'a DriveFile,
        device: Box<dyn Device>,
    ) -> Self {
        let mut steps = vec!["The drive as new.".to_owned()];
        let span = acts.procedure.span;
        let sectors = used_sectors(file, span, device.capacity_sectors());
        // A drive of which a percentage is used was built with no more capacity than that (`Span::of`).
        if let Span::UsedPercent(percent) = span {
            steps.push(format!(
                "Only {percent} % of it are used, and the rest is never written."
            ));
        }
        if let Span::SparePercent(_) = span {
            let used = decimal(sectors as f64 * SECTOR_BYTES as f64, "B");
            steps.push(format!("Only its first {used} are used."));
        }
        Running {
            acts,
            cell,
            observer,
            file,
            device,
            sectors,
            steps,
            has_reached: None,
            measured: Vec::new(),
        }
    }

    /// Does all acts in order, and returns an outcome of each measurement.
    fn run(mut self) -> Result<Vec<Outcome>, LabError> {
        for act in &self.acts.procedure.acts {
            match act {
                Act::SecureErase => self.secure_erase()?,
                Act::FillFrom(bytes, data) => self.fill_from(*bytes, *data)?,
                Act::Trim(bytes) => self.trim(*bytes)?,
                Act::Measure(job, state) => {
                    self.measure(job, state)?;
                    (self.observer.part)(&self.label(job, state))?;
                }
                Act::Torture(job) => self.torture(job)?,
                Act::Reach(state) => self.reach(*state)?,
                Act::Overwrite(job, times) => self.overwrite(job, *times)?,
            }
        }
        Ok(self.measured)
    }

    fn label(&self, job: &Load, state: &str) -> String {
        format!("{} {} ({state})", self.file.slug(), job.name())
    }

    fn failed(&self, job: &Load, state: &str, error: DriverError) -> LabError {
        LabError::Run {
            run: self.label(job, state),
            error: Box::new(error),
        }
    }

    fn secure_erase(&mut self) -> Result<(), LabError> {
        self.device
            .secure_erase()
            .map_err(|error| self.refused(&error.to_string()))?;
        self.steps.push("Secure erase.".to_owned());
        Ok(())
    }

    fn refused(&self, why: &str) -> LabError {
        LabError::Course {
            drive: self.file.slug().to_owned(),
            course: self.acts.procedure.slug.clone(),
            why: why.to_owned(),
        }
    }

    fn fill_from(&mut self, bytes: u64, data: Content) -> Result<(), LabError> {
        let first = bytes / SECTOR_BYTES;
        for lba in (first..self.sectors).step_by(FILL_SECTORS as usize) {
            let sectors = FILL_SECTORS.min(self.sectors - lba);
            self.apply(CommandKind::Write, lba, sectors, data)?;
        }
        let place = match bytes {
            0 => "Every sector".to_owned(),
            _ => format!("All but the first {} GiB", bytes >> 30),
        };
        let of = if data == Content::ZEROS {
            " of zeros"
        } else {
            ""
        };
        (self.steps).push(format!(
            "{place} written once, in order, in writes of 1 MiB{of}."
        ));
        Ok(())
    }

    fn trim(&mut self, bytes: Option<u64>) -> Result<(), LabError> {
        let sectors = bytes.map_or(self.sectors, |bytes| {
            (bytes / SECTOR_BYTES).min(self.sectors)
        });
        // A file system trims in ranges; a command's count of sectors has 32 bits.
        for lba in (0..sectors).step_by(1 << 24) {
            let sectors = (sectors - lba).min(1 << 24);
            self.apply(CommandKind::Trim, lba, sectors, Content::RANDOM)?;
        }
        self.steps.push(match bytes {
            None => "TRIM of everything.".to_owned(),
            Some(bytes) => format!("TRIM of the first {} GiB.", bytes >> 30),
        });
        Ok(())
    }

    fn apply(
        &mut self,
        kind: CommandKind,
        lba: u64,
        sectors: u64,
        content: Content,
    ) -> Result<(), LabError> {
        let outcome = self.device.apply(Command {
            id: CommandId(0),
            kind,
            lba: Lba(lba),
            sectors: sectors as u32,
            content,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        });
        match outcome {
            Answer::Good => Ok(()),
            Answer::WriteFault | Answer::Unrecoverable | Answer::Gone => {
                let why = self.device.fault();
                Err(self.refused(&why.unwrap_or_else(|| "it gives no reason".into())))
            }
        }
    }

    /// The job over the part of the drive in use.
    fn job_file(&self, job: &Load) -> JobFile {
        let file = job.job_file().expect("a suite reads nothing else here");
        let mut file = self.acts.length.of_procedure(file.clone());
        let is_part = self.sectors < self.device.capacity_sectors();
        for spec in file.jobs.iter_mut().filter(|_| is_part) {
            spec.region.size = Some(match spec.region.size {
                Some(Size::Bytes(bytes)) => Size::Bytes(bytes.min(self.sectors * SECTOR_BYTES)),
                _ => Size::Bytes(self.sectors * SECTOR_BYTES),
            });
        }
        // What was hot before stays so, whatever numbers an act draws.
        file.keep_orders(self.cell.seed);
        file
    }

    /// The seed of a job's requests. One that is measured again goes elsewhere: writes to the same slots in the same
    /// order would find the drive as the first ones did.
    fn seed_of(&self, job: &Load) -> RootSeed {
        let before = self.measured.iter();
        let times = before
            .filter(|measured| measured.load == job.name())
            .count();
        match times {
            0 => job.seed(self.cell.seed),
            times => job.seed(self.cell.seed).derive(&format!("again/{times}")),
        }
    }

    fn measure(&mut self, job: &Load, state: &str) -> Result<(), LabError> {
        let file = self.job_file(job);
        let seed = self.seed_of(job);
        let mut target = Target::one(self.device.as_mut());
        let run = driver::run_on(&file, &mut target, Clock::Timed, seed, self.observer.watch);
        let report = run.map_err(|error| self.failed(job, state, error))?;
        self.rest(SimTime::ZERO + report.simulated)?;
        let mut record = Record::of_jobs(&file, &report).on([self.device.as_ref()]);
        if let Some(wa) = self.closed_form(job) {
            record.run.metrics.insert(CLOSED_FORM.to_owned(), wa);
        }
        let mut outcome = Outcome::of_record(self.cell, job.name(), state, record);
        outcome.run.steps.clone_from(&self.steps);
        job.data().clone_into(&mut outcome.run.data);
        self.measured.push(outcome.on(self.cell, None));
        let state = state.replace('-', " ");
        (self.steps).push(format!("{}, measured ({state}).", words(&file).join("; ")));
        Ok(())
    }

    /// Write amplification by the closed form, of a drive that was brought to a steady state.
    fn closed_form(&self, job: &Load) -> Option<f64> {
        let is_steady = |state: &State| matches!(state, State::Steady | State::SteadyFast);
        self.has_reached.filter(is_steady)?;
        let form = ClosedForm::of(job, self.file, self.device.as_ref())?;
        form.wa(self.file.spare()?)
    }

    fn rest(&mut self, now: SimTime) -> Result<(), LabError> {
        come_to_rest(self.device.as_mut(), now).map_err(|error| LabError::Prepare {
            drive: self.file.slug().to_owned(),
            error,
        })
    }

    fn reach(&mut self, state: State) -> Result<(), LabError> {
        let seed = drive_seed(self.cell.seed, self.file.slug());
        let way = (State::New, state);
        let prepared = ftlab_states::prepare_with(
            self.device.as_mut(),
            way,
            seed,
            Content::RANDOM,
            self.observer.watch,
        );
        let settling = prepared.map_err(|error| LabError::Prepare {
            drive: self.file.slug().to_owned(),
            error,
        })?;
        let steps = ftlab_states::steps(self.file.kind(), state, settling.as_ref());
        self.steps.extend(steps);
        self.has_reached = Some(state);
        Ok(())
    }

    /// Repeats the writes of the first of a job's clones until it has written the used space `times` over.
    fn overwrite(&mut self, job: &Load, times: u32) -> Result<(), LabError> {
        let mut file = self.job_file(job);
        file.jobs.truncate(1);
        for spec in &mut file.jobs {
            (spec.length.runtime, spec.length.time_based) = (None, false);
            (spec.length.number_ios, spec.length.io_size) = (None, None);
            spec.length.loops = u64::from(times);
        }
        let seed = job.seed(self.cell.seed).derive("overwrite");
        let mut target = Target::one(self.device.as_mut());
        let run = driver::run_on(
            &file,
            &mut target,
            Clock::Untimed,
            seed,
            self.observer.watch,
        );
        run.map_err(|error| self.failed(job, "overwrite", error))?;
        self.steps.push(format!(
            "{}, without time, until what is used was written {times} times.",
            words(&file).join("; ")
        ));
        Ok(())
    }

    fn torture(&mut self, job: &Load) -> Result<(), LabError> {
        let file = self.job_file(job);
        let before = self.device.counters().host_bytes_written;
        let seed = job.seed(self.cell.seed);
        torture(&file, self.device.as_mut(), seed, self.observer.watch).map_err(
            |torn| match torn {
                Torn::Run(error) => self.failed(job, "torture", error),
                Torn::Rest(error) => LabError::Prepare {
                    drive: self.file.slug().to_owned(),
                    error,
                },
            },
        )?;
        let written = self.device.counters().host_bytes_written - before;
        self.steps.push(format!(
            "{}: {}, in each minute the first second with time and the rest without, as many \
             bytes a second.",
            words(&file).join("; "),
            decimal(written as f64, "B")
        ));
        Ok(())
    }
}

impl Span {
    /// The drive that a procedure runs on: one that is used in part is one that is sold with as much, as what was
    /// never written is spare.
    pub fn of(self, file: &DriveFile) -> Result<DriveFile, SheetError> {
        let Span::UsedPercent(percent) = self else {
            return Ok(file.clone());
        };
        // The spare area of a drive without flash is none, and its procedures are refused before.
        let spare = file.spare().unwrap_or(0.0);
        file.with_spare((1.0 + spare) * 100.0 / f64::from(percent) - 1.0)
    }
}

/// Sectors that a procedure uses: whole MiB.
fn used_sectors(file: &DriveFile, span: Span, capacity: u64) -> u64 {
    let Span::SparePercent(spare) = span else {
        return capacity;
    };
    let raw = file.raw_bytes().unwrap_or(0) / SECTOR_BYTES;
    let used = (raw as f64 * (1.0 - f64::from(spare) / 100.0)) as u64;
    (used / FILL_SECTORS * FILL_SECTORS).min(capacity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::Catalog;
    use ftlab_host::Testbed;
    use ftlab_lab::{Subject, Work};
    use ftlab_play::load::What;
    use ftlab_states::watch::nobody;
    use ftlab_workload::{JobStream, Request};
    use std::collections::BTreeSet;

    #[test]
    fn acts_that_draw_other_numbers_come_to_the_same_hot_blocks() {
        let file = Catalog::default()
            .load("generic-mlc-8", &["nand.blocks_per_die=64".to_owned()])
            .unwrap();
        let procedure = Procedure {
            slug: "hot".to_owned(),
            span: Span::Whole,
            acts: Vec::new(),
        };
        let acts = Acts {
            procedure: Arc::new(procedure),
            length: Length::Full,
        };
        let cell = Cell {
            subject: Arc::new(Subject::from(file.clone())),
            work: Work::Course(Arc::new(Acts {
                procedure: Arc::clone(&acts.procedure),
                length: Length::Full,
            })),
            machine: Arc::new(Testbed::load("anandtech-2008").unwrap()),
            seed: RootSeed(5),
        };
        let observer = Observer {
            watch: &nobody,
            part: &|_| Ok(()),
        };
        let device = file.build(&cell.machine, cell.seed).unwrap();
        let running = Running::new(&acts, &cell, observer, &file, device);
        // All of its requests are of the hot zone.
        let text = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios=20000\nshuffle=shared\n\
                    random_distribution=zoned:100/1:0/99\n";
        let job = Load::of_text("hot.fio", text, 1, What::job(text, "hot.fio").unwrap());
        let places = |seed: u64| -> BTreeSet<u64> {
            let file = running.job_file(&job);
            let resolved = file.jobs[0].resolve(running.file.capacity_bytes()).unwrap();
            let places = JobStream::new(&resolved, RootSeed(seed));
            places.map(|request: Request| request.lba.0).collect()
        };
        let (overwritten, measured) = (places(1), places(2));
        let both = overwritten.intersection(&measured).count();
        let most = overwritten.len().max(measured.len());
        assert!(both * 10 > most * 9, "{both} of {most} are hot in both");
    }
}
