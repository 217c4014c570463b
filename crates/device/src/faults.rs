//! What goes wrong with the requests of a device, on their way to the drive.

use crate::device::Device;
use crate::error::Error;
use ftlab_drive::faults::{FaultTold, Rule};

/// What is wrong with a fault, with its words.
pub(crate) fn wrong(words: &str, why: &str) -> String {
    format!("the fault \"{words}\": {why}")
}

/// The fault that words say.
pub(crate) fn rule(words: &str) -> Result<Rule, String> {
    words.parse().map_err(|why: String| wrong(words, &why))
}

/// A fault of requests, and what came of it so far.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestFault {
    /// Its number, to end it by.
    pub number: u32,
    /// The fault in words.
    pub fault: String,
    /// Requests that it was about.
    pub concerned: u64,
    /// Requests with which something went wrong.
    pub hits: u64,
    /// True if it is over.
    pub is_over: bool,
}

impl From<FaultTold> for RequestFault {
    fn from(told: FaultTold) -> RequestFault {
        RequestFault {
            number: told.number,
            fault: told.fault,
            concerned: told.concerned,
            hits: told.hits,
            is_over: told.is_over,
        }
    }
}

impl Device {
    /// Has something go wrong with requests from the present on, in the words of [`Builder::fault`](crate::Builder::fault);
    /// gives its number. Commands that are outstanding are past it.
    ///
    /// # Errors
    /// When the words say no fault, or one that cannot be on this drive.
    pub fn begin_fault(&mut self, words: &str) -> Result<u32, Error> {
        let rule = rule(words).map_err(Error::Fault)?;
        let added = self.drive.add(rule, self.now);
        added.map_err(|why| Error::Fault(wrong(words, &why)))
    }

    /// Ends a fault of requests by its number, or all of them; gives how many there were. What it holds back comes at its time.
    pub fn end_faults(&mut self, number: Option<u32>) -> usize {
        self.drive.clear(number)
    }

    /// The faults of requests, those of the drive file first, and what came of them. A fault that was ended is not among them.
    #[must_use]
    pub fn faults(&self) -> Vec<RequestFault> {
        let told = self.drive.list(self.now);
        told.into_iter().map(RequestFault::from).collect()
    }
}
