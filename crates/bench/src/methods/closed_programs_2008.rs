//! Scores of closed programs, 2008: what is known of their requests stands for them, and only the order of drives
//! is checked.

use super::{Family, Job, Runs, job, scenario, step};
use ftlab_play::states::State;
use ftlab_result::{Chart, Run};

/// A suite of closed programs, whose score is the geometric mean of its parts' points.
pub struct Suite {
    /// What runs, part by part; its slug is what the score of the whole goes by.
    pub family: &'static Family,
    points: Points,
}

/// What a part is worth.
enum Points {
    /// For every MB/s.
    PerMbS(f64),
    /// For a second; the longer, the fewer.
    OfSeconds(f64),
}

impl Suite {
    /// The points of a part for one repeat of its run.
    pub fn points(&self, run: &Run, repeat: usize) -> Option<f64> {
        match self.points {
            Points::PerMbS(points) => Some(points * run.metric_in("mb_s", repeat)?),
            Points::OfSeconds(points) => Some(points / run.metric_in("seconds", repeat)?),
        }
    }
}

pub static SUITES: &[Suite] = &[
    Suite {
        family: &FAMILIES[0],
        // Any number would do where only the order counts: this one gives points of the published size.
        points: Points::OfSeconds(50_000.0),
    },
    Suite {
        family: &FAMILIES[1],
        // With that the parts that the review prints give its scores of 8117, 12143 and 6325.
        points: Points::PerMbS(214.65),
    },
    Suite {
        family: &FAMILIES[2],
        points: Points::PerMbS(214.65),
    },
];

static WINDOWS_DEFENDER: Job = job!("pcmark-vantage-hdd-windows-defender.fio");
static GAMING: Job = job!("pcmark-vantage-hdd-gaming.fio");
static PICTURE_IMPORT: Job = job!("pcmark-vantage-hdd-picture-import.fio");
static VISTA_STARTUP: Job = job!("pcmark-vantage-hdd-vista-startup.fio");
static WINDOWS_MOVIE_MAKER: Job = job!("pcmark-vantage-hdd-windows-movie-maker.fio");
static MEDIA_CENTER: Job = job!("pcmark-vantage-hdd-media-center.fio");
static WMP: Job = job!("pcmark-vantage-hdd-wmp.fio");
static APP_LOADING: Job = job!("pcmark-vantage-hdd-app-loading.fio");

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "sysmark2007-overall",
        method: "A12",
        title: "SYSMark 2007",
        text: "Scores of a closed program, which has other programs do what people do in four kinds of work and takes the time \
           they need. Which programs these are is known, and stands here as scripts of how they are launched, compute and \
           save; all amounts are assumed or fitted. So the seconds are not those of the program, and no score is judged by its error: \
           one passes when the drive stands among the others of the review where the published score puts it, scores within \
           5 % counting as equal. A part has 50,000 points divided by its seconds, and the suite their geometric mean, as that \
           of its maker does.",
        chart: Chart::Bars,
        metric: "seconds",
        unit: "s",
        testbed: "anandtech-2008",
        runs: Runs::WithAll,
        states: &[State::Restored],
        steps: &[
            scenario("sysmark2007-e-learning", "e-learning"),
            scenario("sysmark2007-video-creation", "video creation"),
            scenario("sysmark2007-productivity", "productivity"),
            scenario("sysmark2007-3d", "3D"),
        ],
    },
    Family {
        slug: "pcmark-vantage-hdd",
        method: "A13",
        title: "PCMark Vantage, HDD suite",
        text: "Scores of a closed program, which plays back requests that it recorded. What its maker tells of each \
           part, the share of reads, stands for it here; sizes, order and depth are assumed. So the MB/s are \
           not those of the program, and none is judged by its error: a figure passes when the drive stands \
           among the others of the review where the published score puts it, scores within 5 % counting as equal. \
           The score of the suite is 214.65 times the geometric mean of its parts.",
        chart: Chart::Bars,
        metric: "mib_s",
        unit: "MiB/s",
        testbed: "anandtech-2008",
        runs: Runs::WithAll,
        states: &[State::Restored],
        steps: &[
            step(
                "pcmark-vantage-hdd-windows-defender",
                "Windows Defender",
                &[&WINDOWS_DEFENDER],
            ),
            step("pcmark-vantage-hdd-gaming", "games", &[&GAMING]),
            step(
                "pcmark-vantage-hdd-picture-import",
                "picture import",
                &[&PICTURE_IMPORT],
            ),
            step(
                "pcmark-vantage-hdd-vista-startup",
                "Vista starts",
                &[&VISTA_STARTUP],
            ),
            step(
                "pcmark-vantage-hdd-windows-movie-maker",
                "Movie Maker",
                &[&WINDOWS_MOVIE_MAKER],
            ),
            step(
                "pcmark-vantage-hdd-media-center",
                "Media Center",
                &[&MEDIA_CENTER],
            ),
            step("pcmark-vantage-hdd-wmp", "Media Player", &[&WMP]),
            step(
                "pcmark-vantage-hdd-app-loading",
                "programs load",
                &[&APP_LOADING],
            ),
        ],
    },
    Family {
        slug: "pcmark-vantage",
        method: "A14",
        title: "PCMark Vantage, whole suites",
        text: "Scores of a closed program: suites of what people do at home, in each of which one part of the HDD suite runs \
           among work for the processor. That part stands for the suite here, so drives differ by much more than in the \
           scores; a figure passes when the drive that the source names as faster is the faster one. Suites of which the \
           source gives no figure are left out.",
        chart: Chart::Bars,
        metric: "mib_s",
        unit: "MiB/s",
        testbed: "anandtech-2008",
        runs: Runs::WithAll,
        states: &[State::Restored],
        steps: &[
            step(
                "pcmark-vantage-memories",
                "memories: picture import",
                &[&PICTURE_IMPORT],
            ),
            step("pcmark-vantage-music", "music: Media Player", &[&WMP]),
            step(
                "pcmark-vantage-communications",
                "communications: Windows Defender",
                &[&WINDOWS_DEFENDER],
            ),
            step(
                "pcmark-vantage-productivity",
                "productivity: programs load",
                &[&APP_LOADING],
            ),
        ],
    },
];
