//! The requests that a job has made, for what fio's `write_iolog` asks for.

use ftlab_base::SimTime;
use ftlab_trace::{DeviceId, Format, Packing, Record, Writer};
use ftlab_workload::{JobSpec, Request};
use std::io;

/// A job's requests, in the order in which they were made.
#[derive(Debug, Clone)]
pub struct Iolog {
    /// Name of its file in the job.
    pub name: String,
    /// Among the jobs of its file, from 1.
    pub number: usize,
    requests: Vec<Record>,
}

impl Iolog {
    /// That of a job that asks for it.
    pub(crate) fn of(spec: &JobSpec) -> Option<Iolog> {
        let name = spec.logs.iolog.clone()?;
        Some(Iolog {
            name,
            number: spec.index + 1,
            requests: Vec::new(),
        })
    }

    /// A request is made of the device at that place, on the run's clock; its places count in that unit.
    pub(crate) fn record(
        &mut self,
        device: usize,
        request: &Request,
        unit_bytes: u64,
        at: SimTime,
    ) {
        let record = Record::new(at.0, request.kind, DeviceId(device as u32));
        let (offset, length) = (request.lba.0, u64::from(request.sectors));
        self.requests
            .push(record.of_bytes(offset * unit_bytes, length * unit_bytes));
    }

    /// Writes them as fio's iolog of version 3; `names` are those of the devices. Times are those of the run.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn write(&self, names: &[String], out: Box<dyn io::Write + Send>) -> io::Result<()> {
        let mut writer = Writer::new(Format::FioV3, Packing::None, out, names, 0)?;
        for record in &self.requests {
            writer.write(record)?;
        }
        // Times are cut to microseconds, which is what the format has.
        writer.finish().map(drop)
    }
}
