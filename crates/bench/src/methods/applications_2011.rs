//! The application tests of BeHardware's round-up of 2011: file copies, boot, launches, games, an
//! installation.

use super::{Family, Runs, scenario};
use ftlab_play::states::State;
use ftlab_result::Chart;

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "file-read",
        method: "C5",
        title: "Copying files from the drive",
        text: "Files of 731 MB, 5.2 MB, 801 KB and 49 KB on average are copied from the drive to a RAM \
               disk with Robocopy. Measured are MB/s. The source states neither the number of files nor \
               the requests. Assumed is that the copier reads a piece, or a file that is smaller, and \
               then writes it; that files lie side by side; and what it computes for a MB and for a file.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            scenario("file-read-xl", "731 MB"),
            scenario("file-read-large", "5.2 MB"),
            scenario("file-read-medium", "801 KB"),
            scenario("file-read-small", "49 KB"),
        ],
    },
    Family {
        slug: "file-write",
        method: "C5",
        title: "Copying files to the drive",
        text: "The same files are copied from a RAM disk to the drive. Assumed is that a file is on the \
               drive before the next one begins, but for the largest, of which two pieces are on their \
               way; small files compress to half, middling ones by a third, larger ones not at all. The \
               file system's own writes are left out. The state is not stated; assumed is a drive as new, \
               since the SandForce drives write data that do not compress as fast here as on one.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::New],
        steps: &[
            scenario("file-write-xl", "731 MB"),
            scenario("file-write-large", "5.2 MB"),
            scenario("file-write-medium", "801 KB"),
            scenario("file-write-small", "49 KB"),
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
    Family {
        slug: "game-load-2011",
        method: "C8",
        title: "Loading a game of 2011",
        text: "Seconds until a match is under way, timed by hand. The source finds hardly a difference \
               between SSDs and gives no figure; what is read and computed is assumed.",
        chart: Chart::Bars,
        metric: "seconds",
        unit: "s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            scenario("game-load-civilization5", "Civilization V"),
            scenario("game-load-crysis2", "Crysis 2"),
        ],
    },
    Family {
        slug: "install-photoshop-cs5",
        method: "C9",
        title: "Installing Photoshop CS5",
        text: "An archive is decompressed and what was in it is installed. Measured by hand are the \
               seconds of both. The source gives no figure; sizes and CPU time are assumed.",
        chart: Chart::Bars,
        metric: "seconds",
        unit: "s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[scenario("install-photoshop-cs5", "")],
    },
];
