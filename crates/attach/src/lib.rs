//! A modelled drive attached: it holds data, its time is the wall clock's, and others use it as a block
//! device.
//!
//! [`engine`] has a drive that holds data carry out what is asked of it, each request answered when the
//! model is done with it. [`DriveExport`] offers that to clients of the network block device, [`fuse`]
//! to a loop device of this machine, and [`control`] tells how the drive stands and does to it what no
//! block device has a request for.
//!
//! # The path of a request
//!
//! ```text
//! serve::command          disk/src/serve/mod.rs         image made or opened, engine, server, signals; closed in order
//!   daemon::start         disk/src/serve/daemon.rs      --daemon: the program starts itself again, and waits until that is ready
//! DriveExport::submit     attach/src/export.rs          a request of a connection's thread
//! Disk::read, write, …    attach/src/fuse/              or a call on the file that is mounted
//! Control                 attach/src/control/           or what NBD has no words for: HTTP over a Unix socket
//!   receive               control/http.rs               a request that came whole, or why not
//!   answer                control/actions.rs            done, if it says what; an answer with a reason, if not
//!   Engine::submit         attach/src/engine/mod.rs      recorded first, if it is to be (engine/recorder.rs)
//!     Pieces::of          engine/pieces.rs              commands of the request, none of them large: zeroes are trims of whole
//!                                                       slots and writes
//!     Faults::judge       faults.rs                     what a fault that was asked for makes of it (drive/faults/)
//!     Timed::submit       engine/timed/mod.rs          into the inbox; the one thread that owns the drive is woken
//!       Loop::begin         DataDrive::submit           at the instant of arrival, in the drive's time
//!       Loop::catch_up      DataDrive::advance          everything that is due; FUA adds a flush
//!       Loop::land          DataDrive::read             a read's bytes, when it completes; answers leave together
//!         Waiter::wait      nbd/pacing/waiter.rs        until the drive's next event, or a call
//!     Untimed::submit     engine/untimed.rs             DataDrive::apply in the thread that asks, one after the other; between
//!                                                       two commands of a request, whoever waits longest has the drive
//! ```
//!
//! Actions on the drive as a whole (`Engine::quietly`) wait until nothing is under way and everything is
//! flushed; requests that arrive meanwhile are held.
//!
//! # Invariants
//!
//! - **No request is one long step.** The engine does a large request in commands of 1 MiB, or 128 MiB of a
//!   trim, and looks at a drive's map a gibibyte at a time. Between two of them others have their turn, in the order in which they came
//!   (`a_large_request_of_one_client_lets_others_in_between` in `crates/attach/tests/engine/large.rs`). Long steps are only what is done to
//!   a drive as a whole: an erase, and a checkpoint.
//! - **A request to the control socket is done when it came whole, or not at all.** Its length is said in one way
//!   and without a doubt, its body is an object, and what it destroys is named: a range, or everything in that word. A client costs a thread
//!   of a bounded number for a bounded time, and the one that is waited for longest gives its place to the next
//!   (decision 0014). `crates/attach/tests/control.rs` has the clients that try.
//! - **A stop ends.** Clients have `Limits::drain` to take their answers, and then the image is closed in order; the
//!   rest of a request that the drive has only a part of is refused. `crates/ftlab/tests/program/attach/hostile.rs` has clients that do not let go.
//! - **A wake-up adds nothing to a latency.** An attached drive gets a request at the instant at which it
//!   arrived, not at which the engine's thread woke up, so the model's latencies are those of a simulated run
//!   (`an_answer_takes_as_long_as_the_model_says` in `crates/attach/tests/engine/main.rs`). The time that the machine adds is *lateness*, and is counted.

pub mod control;
pub mod engine;
mod export;
pub mod faults;
pub mod fuse;

pub use engine::{Engine, Recorder, Statistics, Timing};
pub use export::DriveExport;
