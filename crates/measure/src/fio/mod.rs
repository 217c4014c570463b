//! fio, as it is installed: job files for it, the program, and what it says.

mod job_text;
mod logs;
mod output;
mod program;

pub use job_text::{Common, JobText};
pub use logs::Course;
pub use output::{Direction, FioJob, Latency, Output, per_second};
pub use program::{Ended, Fio, FioError};
