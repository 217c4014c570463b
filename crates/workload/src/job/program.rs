//! The options of fio's program, beside those of its jobs.

/// An option of the program.
pub struct ProgramOption {
    /// Name of the option in fio.
    pub name: &'static str,
    /// True if the next argument is its value, where none stands behind a `=`.
    pub takes_value: bool,
    /// Treatment of the option here.
    pub becomes: Becomes,
}

/// Treatment of an option of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Becomes {
    /// It is done, by the command that runs jobs: it is one of its own options.
    Done,
    /// It does nothing, because of this.
    Nothing(&'static str),
    /// It is refused, because of this.
    Refused(&'static str),
}

const fn done(name: &'static str, takes_value: bool) -> ProgramOption {
    ProgramOption {
        name,
        takes_value,
        becomes: Becomes::Done,
    }
}

const fn nothing(name: &'static str, takes_value: bool, why: &'static str) -> ProgramOption {
    ProgramOption {
        name,
        takes_value,
        becomes: Becomes::Nothing(why),
    }
}

const fn refused(name: &'static str, takes_value: bool, why: &'static str) -> ProgramOption {
    ProgramOption {
        name,
        takes_value,
        becomes: Becomes::Refused(why),
    }
}

const VIRTUAL: &str = "time is virtual, so nobody can say when a run will end";
const ONE_MACHINE: &str =
    "jobs run on a modelled drive in this process, on no other machine; leave it out";
const TRIGGERS: &str =
    "it runs a program of this machine amid a run, and time is virtual; leave it out";
const THIS_MACHINE: &str = "it measures this machine, not a drive; leave it out";

/// All of fio's, without the names of jobs' options that also stand among them.
pub const OPTIONS: &[ProgramOption] = &[
    done("output", true),
    done("output-format", true),
    done("minimal", false),
    done("append-terse", false),
    done("terse-version", true),
    done("readonly", false),
    done("parse-only", false),
    done("section", true),
    done("showcmd", false),
    done("cmdhelp", false),
    done("enghelp", false),
    done("help", false),
    done("version", false),
    nothing("eta", true, VIRTUAL),
    nothing("eta-interval", true, VIRTUAL),
    nothing("eta-newline", true, VIRTUAL),
    nothing(
        "alloc-size",
        true,
        "jobs are modelled, and share no memory of fio's",
    ),
    nothing(
        "max-jobs",
        true,
        "there may be 4096 jobs, as many as fio has by default",
    ),
    nothing(
        "aux-path",
        true,
        "there are no files of a state beside those that are asked for",
    ),
    nothing(
        "warnings-fatal",
        false,
        "whatever is wrong with a job ends the run before it begins",
    ),
    refused(
        "status-interval",
        true,
        "a run is reported when it has ended; write_bw_log and write_iops_log with log_avg_msec say how it went meanwhile",
    ),
    refused(
        "bandwidth-log",
        false,
        "write_bw_log with per_job_logs=0 writes the rates of all jobs",
    ),
    refused(
        "latency-log",
        true,
        "fio has left it out as well; write_lat_log writes latencies",
    ),
    refused(
        "inflate-log",
        true,
        "it unpacks logs that fio compressed, and ftlab compresses none",
    ),
    refused(
        "debug",
        true,
        "it shows the inside of fio; --engine-report says what each option of a job does here",
    ),
    refused(
        "idle-prof",
        true,
        "it looks at idle processors of this machine; a testbed with a [path] says what requests cost a host",
    ),
    refused("cpuclock-test", false, THIS_MACHINE),
    refused("crctest", false, THIS_MACHINE),
    refused("memcpytest", false, THIS_MACHINE),
    refused("server", false, ONE_MACHINE),
    refused("daemonize", true, ONE_MACHINE),
    refused("client", true, ONE_MACHINE),
    refused("remote-config", true, ONE_MACHINE),
    refused("trigger-file", true, TRIGGERS),
    refused("trigger-timeout", true, TRIGGERS),
    refused("trigger", true, TRIGGERS),
    refused("trigger-remote", true, TRIGGERS),
    refused(
        "merge-blktrace-only",
        false,
        "a load replays one trace; merge them before",
    ),
];

/// The option of that name.
pub fn find(name: &str) -> Option<&'static ProgramOption> {
    OPTIONS.iter().find(|option| option.name == name)
}
