//! Scores of closed programs, 2008: what is known of their requests stands for them, and only the order of drives
//! is checked.

use super::{Family, Job, Runs, job, step};
use crate::states::State;
use ftlab_result::Chart;

/// Points of the suite for a geometric mean of 1 MB/s over its parts: with it the parts that the review
/// prints give its scores of 8117, 12143 and 6325.
pub const POINTS_PER_MB_S: f64 = 214.65;

static WINDOWS_DEFENDER: Job = job!("pcmark-vantage-hdd-windows-defender.fio");
static GAMING: Job = job!("pcmark-vantage-hdd-gaming.fio");
static PICTURE_IMPORT: Job = job!("pcmark-vantage-hdd-picture-import.fio");
static VISTA_STARTUP: Job = job!("pcmark-vantage-hdd-vista-startup.fio");
static WINDOWS_MOVIE_MAKER: Job = job!("pcmark-vantage-hdd-windows-movie-maker.fio");
static MEDIA_CENTER: Job = job!("pcmark-vantage-hdd-media-center.fio");
static WMP: Job = job!("pcmark-vantage-hdd-wmp.fio");
static APP_LOADING: Job = job!("pcmark-vantage-hdd-app-loading.fio");

pub static FAMILIES: &[Family] = &[Family {
    slug: "pcmark-vantage-hdd",
    method: "A13",
    title: "PCMark Vantage, HDD suite",
    text: "Scores of a closed program, which plays back requests that it recorded. What its maker tells of each \
           part, the share of reads, stands for it here; sizes, order and depth are assumed. So the MB/s are \
           not those of the program, and none is judged by its error: a figure passes when the drive stands \
           among the others of the review where the published score puts it, scores within 5 % counting as equal. \
           The score of the suite is 214.65 times the geometric mean of its parts. SYSMark 2007, of whose requests \
           nothing is known, is shown without a run.",
    chart: Chart::Bars,
    metric: "mib_s",
    unit: "MiB/s",
    testbed: "anandtech-2008",
    runs: Runs::WithAll,
    states: &[State::Filled],
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
}];
