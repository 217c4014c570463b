//! The closed form of write amplification beside a plan, where one covers drive and load.
//!
//! They hold for page maps with one stream of data whose victim policy is FIFO, greedy, the best of some drawn, or
//! random, under writes of one slot anywhere on the drive, whatever was written before.

use ftlab_drive::{Device, DriveFile};
use ftlab_play::load::Load;
use ftlab_theory::{Policy, alpha_in_use, in_use_after_trims_of_used};
use ftlab_workload::{Distribution, JobSpec, PatternKind, Size};

/// A closed form for one drive under one load, at any spare area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedForm {
    policy: Policy,
    /// Slots of a superblock: the pages of a block in the formula.
    slots: u32,
    /// α of the drive over 1 + its spare area: tables on flash take their part.
    alpha_share: f64,
    /// Share of the addresses that hold data.
    in_use: f64,
    /// Slots programmed for each slot of data; above 1 with parity.
    programmed_per_slot: f64,
}

impl ClosedForm {
    /// The closed form of a drive as it was built, under a load; none where none covers both.
    pub fn of(load: &Load, file: &DriveFile, device: &dyn Device) -> Option<ClosedForm> {
        let slot_bytes = u64::from(device.page_layer()?.mapping().slot_bytes);
        Self::uniform(file, device, in_use(load, slot_bytes)?)
    }

    /// The closed form of writes of one slot anywhere, when a share of the addresses holds data; none where none covers the drive.
    pub fn uniform(file: &DriveFile, device: &dyn Device, in_use: f64) -> Option<ClosedForm> {
        let mapping = device.page_layer()?.mapping();
        if mapping.streams > 1 {
            return None;
        }
        let policy = match mapping.policy {
            "fifo" => Policy::Fifo,
            "greedy" => Policy::Greedy,
            "random" => Policy::Random,
            "d-choices" => Policy::Choices(choices(file)?),
            _ => return None,
        };
        Some(ClosedForm {
            policy,
            slots: mapping.slots_per_superblock,
            alpha_share: mapping.alpha() / (1.0 + file.spare()?),
            in_use,
            programmed_per_slot: mapping.programmed_per_slot,
        })
    }

    /// Write amplification with a spare area; none out of the formula's domain.
    pub fn wa(&self, spare: f64) -> Option<f64> {
        let alpha = alpha_in_use(self.alpha_share * (1.0 + spare), self.in_use).ok()?;
        let of_slots = self.policy.uniform(alpha, self.slots).ok()?;
        Some(of_slots * self.programmed_per_slot)
    }

    /// The spare area within bounds at which write amplification is `wa`; none where it is nowhere.
    pub fn spare(&self, wa: f64, [mut low, mut high]: [f64; 2]) -> Option<f64> {
        if self.wa(high)? > wa || self.wa(low).is_some_and(|most| most < wa) {
            return None;
        }
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            // Out of the domain is too little spare area.
            match self.wa(middle).is_some_and(|value| value <= wa) {
                true => high = middle,
                false => low = middle,
            }
        }
        Some(high)
    }

    /// The policy and the size of a superblock, for a sentence.
    pub fn words(&self) -> String {
        format!(
            "{} collection, {} slots a superblock",
            self.policy, self.slots
        )
    }
}

/// The number of superblocks from which `d-choices` takes the best; none if the drive's file has no such number.
fn choices(file: &DriveFile) -> Option<u32> {
    let rows = file.parameters();
    let row = rows.iter().find(|row| row.key == "gc.choices")?;
    row.value.parse().ok()
}

/// The share of the addresses that holds data in the end under writes of one slot anywhere; none for another load.
fn in_use(load: &Load, slot_bytes: u64) -> Option<f64> {
    let jobs = &load.job_file()?.jobs;
    let changes =
        |job: &&JobSpec| job.pattern.kind != PatternKind::Read && !job.pattern.writes_as_reads;
    let mut shares = jobs.iter().filter(changes).map(|job| {
        let trims = match job.pattern.kind {
            PatternKind::Write | PatternKind::ReadWrite => 0.0,
            _ => f64::from(job.pattern.rwmixtrim?) / 100.0,
        };
        is_uniform(job, slot_bytes).then_some(trims)
    });
    let first = shares.next()??;
    let alike = shares.all(|share| share == Some(first));
    alike.then(|| in_use_after_trims_of_used(first).ok())?
}

/// Returns true if a job writes single slots anywhere on the drive, each as likely as any other at every write.
fn is_uniform(job: &JobSpec, slot_bytes: u64) -> bool {
    let sizes = [job.sizes.bs.write, job.sizes.bs_max.write];
    job.pattern.random
        && job.pattern.norandommap
        && job.pattern.random_distribution == Distribution::Random
        && job.pattern.percentage_random.write == 100
        && sizes == [slot_bytes; 2]
        && job.region.offset == Size::Bytes(0)
        && job.region.offset_increment == Size::Bytes(0)
        && job
            .region
            .size
            .is_none_or(|size| matches!(size, Size::Percent(100)))
        && job.pattern.zones.size == 0
        && job.pattern.stride_bytes == 0
}
