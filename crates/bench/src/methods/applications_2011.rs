//! The application tests of BeHardware's round-up of 2011: file copies, boot, launches.

use super::{Family, Runs, scenario};
use crate::states::State;
use ftlab_result::Chart;

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "file-copy-xl",
        method: "C5",
        title: "Copying very large files",
        text: "Files of 731 MB on average are copied between the drive and a RAM disk with Robocopy, in \
               both directions. Measured are MB/s. The source states neither the number of files nor \
               the requests; assumed are eight files in requests of 1 MiB, two at a time.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            scenario("file-read-xl", "read"),
            scenario("file-write-xl", "written"),
        ],
    },
    Family {
        slug: "boot-windows7",
        method: "C6",
        title: "Booting Windows 7",
        text: "From the load screen to the full desktop, timed by hand.",
        chart: Chart::Bars,
        metric: "seconds",
        unit: "s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[scenario("boot-windows7", "")],
    },
    Family {
        slug: "app-launch-2011",
        method: "C7",
        title: "Launching 3ds Max, alone and with three other programs",
        text: "3ds Max is launched alone, and together with Photoshop, Word and Excel. Measured by hand \
               are the seconds until all are up.",
        chart: Chart::Bars,
        metric: "seconds",
        unit: "s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            scenario("launch-3dsmax", "alone"),
            scenario("launch-3dsmax-photoshop-word-excel", "four programs"),
        ],
    },
];
