//! Owners of the requests of a scenario.

use crate::driver::io::Io;
use crate::driver::write_back::Ticket;
use ftlab_base::{CommandKind, Content, Lba, Placement, SimTime, SubmissionQueue};
use ftlab_workload::Request;
use ftlab_workload::script::Run;

/// Owner of a request, which waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A step of a program.
    Read {
        /// Number of the program.
        program: usize,
        /// Number of the step.
        step: u64,
    },
    /// A check of what a program has written.
    Check {
        /// Number of the program.
        program: usize,
    },
    /// A program that writes through.
    Through {
        /// Number of the program.
        program: usize,
    },
    /// The lazy writer, for programs' data.
    Data(Ticket),
    /// The file system, for its journal.
    Journal,
    /// The file system, for a page of its tables.
    Page,
}

impl Owner {
    /// Sends its request to the drive; `content` is what a write carries.
    pub fn submit(self, run: Run, content: Content, now: SimTime, io: &mut Io<'_, '_, Owner>) {
        let kind = match self {
            Owner::Read { .. } | Owner::Check { .. } => CommandKind::Read,
            _ => CommandKind::Write,
        };
        let request = Request {
            kind,
            lba: Lba(run.lba),
            sectors: run.sectors,
            content,
            placement: Placement::DEFAULT,
            counts: true,
            is_after_all: false,
        };
        io.submit(self, (0, SubmissionQueue::FIRST), request, now);
    }
}
