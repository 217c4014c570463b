//! What NVMe drives told of themselves, as results have it.

use super::subject::{Devices, Subject};
use ftlab_base::SimTime;
use ftlab_drive::nvme::{Life, Logs};
use ftlab_play::nvme::logs_of;
use ftlab_play::record::Record;
use ftlab_result::NvmeLogs;

/// A record with what its drives told at the end. Each was switched on for the run: what was done to it before had no
/// clock.
pub(super) fn with_logs(mut record: Record, subject: &Subject, devices: &Devices) -> Record {
    let life = Life {
        power_cycles: 1,
        unsafe_shutdowns: 0,
        power_on: record.answered,
        busy: None,
    };
    let now = SimTime::ZERO + record.answered;
    let logs = subject.files().zip(devices.iter()).map(|(file, device)| {
        let logs = Logs::of(file, device.as_ref(), now, &life);
        logs.as_ref().map(logs_of)
    });
    let mut logs: Vec<Option<NvmeLogs>> = logs.collect();
    match &mut logs[..] {
        [only] => record.run.nvme = only.take(),
        _ => {
            for (at, logs) in record.run.devices.iter_mut().zip(logs) {
                at.nvme = logs;
            }
        }
    }
    record
}
