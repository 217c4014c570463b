//! A drive in the caller's virtual time, as Python's object of it.

mod batch;
mod end;

pub use end::Completion;

use crate::calls::Calls;
use crate::drive::Drive;
use crate::errors::{input_error, run_error};
use crate::table::Table;
use crate::work::work_with;
use batch::{Batch, Pace};
use ftlab_device::{Builder, Command, FlashFault, Operation, RequestFault};
use ftlab_export::{Cells, Column};
use ftlab_result::quantity::table::{BUFFER_STALLS, NAND_READS};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A range that a power cut has taken: offset, bytes, and whether it is torn.
type Lost = (u64, u64, bool);

/// A device and the number that the next command without one gets.
#[derive(Clone)]
struct Numbered {
    device: ftlab_device::Device,
    next: u64,
}

/// A drive in virtual time.
#[pyclass(frozen, module = "ftlab")]
pub struct Device {
    numbered: Mutex<Numbered>,
    calls: Arc<Calls>,
}

/// The operation of a word.
fn operation(word: &str) -> PyResult<Operation> {
    Ok(match word {
        "read" => Operation::Read,
        "write" => Operation::Write,
        "trim" => Operation::Trim,
        "flush" => Operation::Flush,
        other => {
            return Err(input_error(&format!(
                "operation: {other:?} is none; give read, write, trim or flush"
            )));
        }
    })
}

impl Device {
    /// The device, unless it is at work: who waited for that here would keep Python's lock, which the work needs to end.
    fn lock(&self) -> PyResult<MutexGuard<'_, Numbered>> {
        match self.numbered.try_lock() {
            Ok(numbered) => Ok(numbered),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(run_error(
                &"the device is at work: a policy of its own or another thread asks it meanwhile; wait for the call to end",
            )),
        }
    }

    /// Does something with the device, and raises what a policy of Python's raised meanwhile.
    fn with<R>(
        &self,
        what: impl FnOnce(&mut Numbered) -> Result<R, ftlab_device::Error>,
    ) -> PyResult<R> {
        let done = what(&mut *self.lock()?).map_err(|why| input_error(&why));
        self.calls.take_raised().map_or(done, Err)
    }
}

#[pymethods]
impl Device {
    /// The device of a drive, in a state. `carries` is `nothing`, `account` or `data`.
    #[staticmethod]
    #[pyo3(signature = (drive, state, saved, seed, testbed, shrink_to, carries, splits, faults))]
    fn build(
        py: Python<'_>,
        drive: &Drive,
        state: &str,
        saved: Option<Vec<u8>>,
        seed: u64,
        testbed: Option<&str>,
        shrink_to: Option<u64>,
        carries: &str,
        splits: bool,
        faults: Vec<String>,
    ) -> PyResult<Device> {
        let calls = Arc::default();
        let mut builder = Builder::of_file(drive.file(&calls)).state(state).seed(seed);
        builder = match carries {
            "data" => builder.keep_data(),
            "account" => builder.track_power_cuts(),
            _ => builder,
        };
        if splits {
            builder = builder.split_latencies();
        }
        for words in &faults {
            builder = builder.fault(words);
        }
        if let Some(bytes) = shrink_to {
            builder = builder.shrink_to(bytes);
        }
        if let Some(testbed) = testbed {
            builder = builder.testbed(testbed);
        }
        if let Some(saved) = saved {
            builder = builder.saved_state(&saved);
        }
        let built = work_with(py, &calls, None, |_| builder.build())?;
        let device = built.map_err(|why| input_error(&why))?;
        let numbered = Mutex::new(Numbered { device, next: 0 });
        Ok(Device { numbered, calls })
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.lock()?.device.name().to_owned())
    }

    #[getter]
    fn capacity_bytes(&self) -> PyResult<u64> {
        Ok(self.lock()?.device.capacity_bytes())
    }

    #[getter]
    fn table_bytes(&self) -> PyResult<u64> {
        Ok(self.lock()?.device.table_bytes())
    }

    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        Ok(self.lock()?.device.now_ns())
    }

    #[getter]
    fn outstanding(&self) -> PyResult<usize> {
        Ok(self.lock()?.device.outstanding())
    }

    #[getter]
    fn next_event_ns(&self) -> PyResult<Option<u64>> {
        Ok(self.lock()?.device.next_event())
    }

    #[getter]
    fn fault(&self) -> PyResult<Option<String>> {
        Ok(self.lock()?.device.fault())
    }

    /// Takes a command, and gives its number.
    #[pyo3(signature = (word, offset, bytes, now_ns, id, data))]
    fn submit(
        &self,
        word: &str,
        offset: u64,
        bytes: u64,
        now_ns: Option<u64>,
        id: Option<u64>,
        data: Option<&[u8]>,
    ) -> PyResult<u64> {
        let operation = operation(word)?;
        self.with(|Numbered { device, next }| {
            let id = id.unwrap_or(*next);
            let command = Command {
                id,
                operation,
                offset,
                bytes,
            };
            let now_ns = now_ns.unwrap_or(device.now_ns());
            match data {
                Some(data) => device.submit_write(command, data, now_ns)?,
                None => device.submit(command, now_ns)?,
            }
            *next = (*next).max(id.wrapping_add(1));
            Ok(id)
        })
    }

    /// Lets everything up to an instant happen.
    fn advance(&self, now_ns: u64) -> PyResult<Vec<Completion>> {
        let mut done = Vec::new();
        self.with(|numbered| {
            numbered.device.advance(now_ns, &mut done);
            Ok(())
        })?;
        Ok(done.iter().map(Completion::from).collect())
    }

    /// Lets things happen up to the first end, but nothing after `limit_ns`.
    fn advance_to_completion(&self, limit_ns: u64) -> PyResult<Vec<Completion>> {
        let mut done = Vec::new();
        self.with(|numbered| {
            numbered.device.advance_to_completion(limit_ns, &mut done);
            Ok(())
        })?;
        Ok(done.iter().map(Completion::from).collect())
    }

    /// Sends many commands and waits for all of them: one word and length for all, or one for each.
    #[pyo3(signature = (words, offsets, lengths, at_ns, depth))]
    fn run(
        &self,
        py: Python<'_>,
        words: Vec<String>,
        offsets: Vec<u64>,
        lengths: Vec<u64>,
        at_ns: Option<Vec<u64>>,
        depth: Option<usize>,
    ) -> PyResult<Table> {
        let words: Result<Vec<Operation>, PyErr> = words.iter().map(|w| operation(w)).collect();
        let words = words?;
        let mut numbered = self.lock()?;
        let pace = Pace::of(at_ns, depth).map_err(|why| input_error(&why))?;
        let batch = Batch::of(&numbered.device, &words, &offsets, &lengths, pace)
            .map_err(|why| input_error(&why))?;
        let device = &mut numbered.device;
        let ends = work_with(py, &self.calls, None, |way| batch.run(device, way))?;
        let ends = ends.map_err(|why| run_error(&why))?;
        Table::of(batch.table(&ends))
    }

    /// The bytes that the drive holds, or those that a read got which has ended.
    #[pyo3(signature = (offset, bytes, end))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        offset: u64,
        bytes: u64,
        end: Option<PyRef<'py, Completion>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let numbered = self.lock()?;
        let device = &numbered.device;
        // Before so much is asked of this machine's memory.
        (device.check(&Command::read(0, offset, bytes))).map_err(|why| input_error(&why))?;
        PyBytes::new_with(py, bytes as usize, |into| {
            device.read(offset, into).map_err(|why| input_error(&why))?;
            if let Some(flip) = end.and_then(|end| end.bit_flip) {
                flip.apply(offset, into);
            }
            Ok(())
        })
    }

    /// Cuts the power: slots that were volatile, what is lost, and the commands of which nobody will hear.
    #[pyo3(signature = (seed, now_ns))]
    fn power_cut(&self, seed: u64, now_ns: Option<u64>) -> PyResult<(u64, Vec<Lost>, Vec<u64>)> {
        self.with(|Numbered { device, .. }| {
            let now_ns = now_ns.unwrap_or(device.now_ns());
            let cut = device.power_cut(now_ns, seed)?;
            let lost = cut.lost.iter();
            let lost = lost.map(|lost| (lost.offset, lost.bytes, lost.is_torn));
            Ok((cut.volatile_slots, lost.collect(), cut.outstanding))
        })
    }

    /// The device in a second future.
    fn clone(&self) -> PyResult<Device> {
        Ok(Device {
            numbered: Mutex::new(self.lock()?.clone()),
            calls: Arc::clone(&self.calls),
        })
    }

    /// The state, for another device.
    fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.with(|Numbered { device, .. }| device.save_state())?;
        Ok(PyBytes::new(py, &state))
    }

    /// Counts since it was made.
    fn counters(&self) -> PyResult<BTreeMap<&'static str, u64>> {
        let counters = self.lock()?.device.counters();
        Ok(BTreeMap::from([
            ("host_commands", counters.host_commands),
            ("host_bytes_written", counters.host_bytes_written),
            ("nand_bytes_programmed", counters.nand_bytes_programmed),
            (NAND_READS.name, counters.nand_reads),
            ("nand_programs", counters.nand_programs),
            ("nand_erases", counters.nand_erases),
            (BUFFER_STALLS.name, counters.buffer_stalls),
            ("operations_hash", counters.operations_hash),
            ("completions_hash", counters.completions_hash),
            ("power_cycles", counters.power_cycles),
            ("unsafe_shutdowns", counters.unsafe_shutdowns),
        ]))
    }

    /// SMART attributes, a row each.
    fn smart(&self) -> PyResult<Table> {
        let rows = self.lock()?.device.smart();
        let whole = |name: &str, of: &dyn Fn(usize) -> u64| Column {
            name: name.to_owned(),
            cells: Cells::Whole((0..rows.len()).map(|n| Some(of(n))).collect()),
        };
        let names = rows.iter().map(|row| Some(row.name.clone()));
        Table::of(ftlab_export::Table {
            name: "smart",
            columns: vec![
                whole("id", &|n| rows[n].id.into()),
                Column {
                    name: "name".to_owned(),
                    cells: Cells::Text(names.collect()),
                },
                whole("value", &|n| rows[n].value.into()),
                whole("threshold", &|n| rows[n].threshold.into()),
                whole("raw", &|n| rows[n].raw),
            ],
        })
    }

    /// NVMe's health logs as dictionaries; None of a drive that does not speak NVMe.
    fn nvme_logs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let logs = self.lock()?.device.nvme_logs();
        let logs = logs.map(|logs| pythonize::pythonize(py, &logs));
        logs.transpose().map_err(|why| run_error(&why))
    }

    /// Has something go wrong with requests from now on; gives its number.
    fn begin_fault(&self, words: &str) -> PyResult<u32> {
        self.with(|Numbered { device, .. }| device.begin_fault(words))
    }

    /// Ends a fault of requests, or all; gives how many there were.
    #[pyo3(signature = (number))]
    fn end_faults(&self, number: Option<u32>) -> PyResult<usize> {
        self.with(|Numbered { device, .. }| Ok(device.end_faults(number)))
    }

    /// Faults of requests, a row each.
    fn faults(&self) -> PyResult<Table> {
        let rows = self.lock()?.device.faults();
        let whole = |name: &str, of: fn(&RequestFault) -> u64| Column {
            name: name.to_owned(),
            cells: Cells::Whole(rows.iter().map(|row| Some(of(row))).collect()),
        };
        let words = rows.iter().map(|row| Some(row.fault.clone()));
        Table::of(ftlab_export::Table {
            name: "faults",
            columns: vec![
                whole("number", |row| row.number.into()),
                Column {
                    name: "fault".to_owned(),
                    cells: Cells::Text(words.collect()),
                },
                whole("concerned", |row| row.concerned),
                whole("hits", |row| row.hits),
                whole("is_over", |row| row.is_over.into()),
            ],
        })
    }

    /// Has something go wrong in the flash.
    #[pyo3(signature = (fault, which))]
    fn inject(&self, fault: &str, which: Option<u64>) -> PyResult<()> {
        let which = || {
            which.ok_or_else(|| input_error(&format!("inject: {fault} of which? give its number")))
        };
        let fault = match fault {
            "bad-block" => FlashFault::BadBlock {
                // What is no number of a block is none that the drive has.
                block: u32::try_from(which()?).unwrap_or(u32::MAX),
            },
            "unreadable" => FlashFault::Unreadable {
                offset_bytes: which()?,
            },
            "die" => FlashFault::Die {
                die: u16::try_from(which()?).unwrap_or(u16::MAX),
            },
            "end-of-life" => FlashFault::EndOfLife,
            other => {
                return Err(input_error(&format!(
                    "inject: {other:?} is no fault; give bad-block, unreadable, die or end-of-life"
                )));
            }
        };
        self.with(|Numbered { device, .. }| device.inject(fault))
    }
}
