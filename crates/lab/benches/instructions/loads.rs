//! The loads that are counted, on drives of few blocks: a counted run is fifty times slower.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, default_testbed};
use ftlab_lab::{Devices, How, Length, Subject, data_before, play, testbed};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load as Played, What};
use ftlab_states::watch;
use ftlab_states::{State, prepare_with};

/// A load on a drive in a state.
pub struct Load {
    pub name: &'static str,
    /// A drive of the catalogue, with settings, and the bytes that it is shrunk to at most.
    drive: (&'static str, &'static [&'static str], u64),
    state: State,
    clock: Clock,
    /// Numbers of requests of the two runs.
    pub requests: [u64; 2],
    text: fn(u64) -> String,
    /// Its text is that of a synthetic trace.
    is_trace: bool,
}

const GENERIC: (&str, &[&str], u64) = (
    "generic-mlc-8",
    &["spare.op=0.195", "nand.blocks_per_die=64"],
    u64::MAX,
);

/// Random writes of 4 KiB on a drive in its steady state, with a clock: what the others differ from.
const WRITES: Load = Load {
    name: "writes-qd32",
    drive: GENERIC,
    state: State::SteadyFast,
    clock: Clock::Timed,
    requests: [10_000, 30_000],
    text: |n| random("randwrite", n),
    is_trace: false,
};

pub const LOADS: [Load; 6] = [
    Load {
        name: "reads-qd32",
        requests: [20_000, 60_000],
        text: |n| random("randread", n),
        ..WRITES
    },
    WRITES,
    Load {
        name: "writes-untimed",
        clock: Clock::Untimed,
        requests: [50_000, 150_000],
        ..WRITES
    },
    Load {
        name: "offered-rate",
        drive: ("micron-7450-max-800", &[], 256 << 20),
        state: State::Filled,
        text: |n| {
            let ms = n / 100;
            format!(
                "[global]\nbs=4k\niodepth=64\nnorandommap\ntime_based\nruntime={ms}ms\nrate_process=poisson\n\
                 [load]\nrw=randwrite\nnumjobs=6\nrate_iops=15k\n[reads]\nrw=randread\nrate_iops=10k\n"
            )
        },
        ..WRITES
    },
    Load {
        name: "cached-mix",
        drive: ("samsung-970-evo-500", &[], 256 << 20),
        state: State::Filled,
        text: |n| {
            format!(
                "[m]\nrw=randrw\nrwmixread=70\nbssplit=4k/70:16k/30\niodepth=16\nfsync=32\nnorandommap\nnumber_ios={n}\n"
            )
        },
        ..WRITES
    },
    Load {
        name: "heavy-trace",
        drive: ("intel-x25-m-g2-160", &[], 512 << 20),
        state: State::Used,
        requests: [1_000, 3_000],
        text: |n| heavy(n, "256 MiB"),
        is_trace: true,
        ..WRITES
    },
];

fn random(rw: &str, requests: u64) -> String {
    format!("[j]\nrw={rw}\nbs=4k\niodepth=32\nnorandommap\nnumber_ios={requests}\n")
}

/// A mix of small random and large sequential requests, as recorded traces of a busy desktop have it.
pub fn heavy(requests: u64, span: &str) -> String {
    let (reads, writes) = (requests * 11 / 20, requests * 9 / 20);
    format!(
        "schema = 1\nname = \"heavy\"\ntestbed = \"anandtech-2012\"\nsummary = \"Small random and large sequential requests.\"\n\
         span = {{ at = \"0 GiB\", size = \"{span}\" }}\nreads = {reads}\nwrites = {writes}\nwritten = \"{} B\"\n\
         sequential = \"42 %\"\nsizes = {{ \"4 KiB\" = \"28 %\", \"16 KiB\" = \"10 %\", \"32 KiB\" = \"10 %\", \"64 KiB\" = \"4 %\" }}\n\
         rest = [\"96 KiB\", \"128 KiB\"]\ndepth = {{ one = \"59 %\", mean = 4.625, most = 32 }}\n",
        writes * 59_000
    )
}

impl Load {
    /// What it is counted by.
    pub fn per(&self) -> &'static str {
        match self.clock {
            Clock::Timed => "request",
            Clock::Untimed => "program",
        }
    }

    /// Plays the load with that many requests. Returns the number of requests that were made or, without a clock, of pages
    /// that were programmed.
    pub fn play(&self, requests: u64) -> u64 {
        let (slug, settings, bytes_max) = self.drive;
        let settings: Vec<String> = settings.iter().map(|&of| of.to_owned()).collect();
        let file = Catalog::default()
            .load(slug, &settings)
            .expect("it comes with ftlab");
        let (file, _) = file.shrunk_to(bytes_max).expect("it can be smaller");
        let machine = testbed(None, default_testbed([&file])).expect("it comes with ftlab");
        let text = (self.text)(requests);
        let what = match self.is_trace {
            true => What::trace(&text, "heavy.toml"),
            false => What::job(&text, "job.fio"),
        };
        let load = Played::of_text(self.name, &text, 1, what.expect("a load"));
        let (subject, seed) = (Subject::from(file.clone()), RootSeed(1));
        let mut devices: Devices = subject.build(&machine, seed).expect("it can be built");
        let (to, data) = ((State::New, self.state), data_before(&file, &load));
        prepare_with(devices[0].as_mut(), to, seed, data, &watch::nobody).expect("a state");
        let before = devices[0].counters();
        let how = How {
            length: Length::Full,
            clock: self.clock,
            seed: load.seed(seed),
            has_settled: true,
            watch: &watch::nobody,
        };
        let record = play(&load, &subject, &mut devices, &machine, &how).expect("it runs");
        match self.clock {
            Clock::Timed => record.run.submitted,
            Clock::Untimed => devices[0].counters().since(&before).nand_programs,
        }
    }
}
