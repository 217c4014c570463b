//! A drive with one spare area: brought to where the load leaves it for good, and timed there.

use super::closed::ClosedForm;
use super::drive::Planner;
use super::pace::DAY_S;
use super::settle::{Settled, settle};
use super::wear::Flash;
use super::{PlanError, subject};
use ftlab_drive::{DriveFile, Kind};
use ftlab_lab::{Devices, How, Length, Subject, data_before, play};
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_play::record::Record;
use ftlab_play::streams::drive_seed;
use ftlab_result::plan::Point;
use ftlab_result::{Run, Traffic};
use ftlab_states::watch::Watch;
use ftlab_states::{State, prepare_with};

/// A drive where the load has left it.
pub struct Brought {
    /// The drive in its own size.
    pub file: DriveFile,
    /// The drive as it is simulated.
    pub subject: Subject,
    devices: Devices,
    /// The end of the repeated load; none for a drive without flash.
    pub settled: Option<Settled>,
    /// The closed form, where one covers drive and load.
    pub closed: Option<ClosedForm>,
}

impl Planner<'_> {
    /// Builds a drive, brings it to its state, and repeats the load until it is steady.
    pub fn bring(&self, file: &DriveFile, watch: &Watch<'_>) -> Result<Brought, PlanError> {
        let small = self.simulated(file)?;
        let subject = subject(&small);
        let root = self.asked.seed;
        let seed = drive_seed(root, file.slug());
        let mut devices: Devices = vec![small.build(self.machine, seed)?];
        let mut settled = None;
        if file.kind() == Kind::Ssd {
            let (from_to, data) = ((State::New, self.state()), data_before(&small, self.load()));
            prepare_with(devices[0].as_mut(), from_to, seed, data, watch)?;
            settled = Some(settle(
                self.load(),
                &subject,
                &mut devices,
                self.machine,
                root,
                watch,
            )?);
        }
        let closed = ClosedForm::of(self.load(), &small, devices[0].as_ref());
        Ok(Brought {
            file: file.clone(),
            subject,
            devices,
            settled,
            closed,
        })
    }

    /// Runs a load with a clock from there, on a copy.
    pub fn time(
        &self,
        brought: &Brought,
        load: &Load,
        length: Length,
        watch: &Watch<'_>,
    ) -> Result<Record, PlanError> {
        let mut devices: Devices = vec![brought.devices[0].snapshot()];
        devices[0].plug(&self.machine.host());
        let how = How {
            length,
            clock: Clock::Timed,
            seed: load.seed(self.asked.seed),
            has_settled: brought.settled.is_some_and(|settled| settled.is_steady),
            watch,
        };
        let subject = &brought.subject;
        Ok(play(load, subject, &mut devices, self.machine, &how)?)
    }

    /// The point of a curve for a drive, with the figures of its run at the load's rate if there is one.
    pub fn point(&self, brought: &Brought, timed: Option<&Run>) -> Point {
        let file = &brought.file;
        let (spare, settled) = (file.spare(), brought.settled);
        let host_bytes_per_day = (self.asked.bytes_per_day)
            .or_else(|| self.own_per_day(timed?))
            .filter(|bytes| *bytes > 0.0);
        let flash = Flash::of(file).zip(settled).zip(host_bytes_per_day);
        let longest = |percent| timed.and_then(|run| longest(run, percent));
        Point {
            spare,
            capacity_bytes: file.capacity_bytes(),
            wa: settled.map(|settled| settled.wa),
            settled: settled.is_some_and(|settled| settled.is_steady),
            closed_form_wa: brought.closed.zip(spare).and_then(|(form, op)| form.wa(op)),
            host_bytes_per_day,
            wear: flash.map(|((flash, settled), bytes)| flash.wear(settled.wa, bytes)),
            p99_ns: longest(99.0),
            p99_9_ns: longest(99.9),
        }
    }

    /// Bytes that the load writes a day at its own rate.
    fn own_per_day(&self, timed: &Run) -> Option<f64> {
        let own = self.trace_rate().unwrap_or(timed.write.bytes_per_s);
        Some(own * DAY_S)
    }
}

/// A percentile of a kind of request.
pub fn percentile(traffic: &Traffic, percent: f64) -> Option<u64> {
    let mut percentiles = traffic.lat_ns_percentiles.iter();
    let found = percentiles.find(|(p, _)| *p == percent);
    found.map(|(_, ns)| *ns).filter(|_| traffic.ios > 0)
}

/// The longer of a percentile of reads and that of writes.
pub fn longest(run: &Run, percent: f64) -> Option<u64> {
    percentile(&run.read, percent).max(percentile(&run.write, percent))
}
