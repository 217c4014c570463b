//! The application tests of AnandTech's review of 2008: archives, launches, games, several at once.

use super::{Family, Runs, Step, scenario};
use ftlab_play::states::State;
use ftlab_result::Chart;

// The source tests random writes first, restores an image before each test, and says no more.
const UNSTATED: &[State] = &[State::Restored];

/// A family drawn as bars of seconds.
const fn family(
    method: &'static str,
    slug: &'static str,
    title: &'static str,
    text: &'static str,
    metric: &'static str,
    steps: &'static [Step],
) -> Family {
    Family {
        slug,
        method,
        title,
        text,
        chart: Chart::Bars,
        metric,
        unit: "s",
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps,
    }
}

pub static FAMILIES: &[Family] = &[
    family(
        "A8",
        "archive-create-200mb-while-extract",
        "Creating a 200 MB archive while extracting another",
        "An archive of 200 MB of pictures is made while another archive is extracted on the same \
         drive. The source compares the time of making it and does not state the size of the other \
         archive; assumed is 1 GB.",
        "create_seconds",
        &[scenario("archive-create-200mb-while-extract", "")],
    ),
    family(
        "A9",
        "archive-create-200mb-while-extract-5gb",
        "Creating a 200 MB archive while extracting 5 GB",
        "An archive of 200 MB of pictures is made while one of 5 GB is extracted. Measured by hand in \
         the source are the seconds of each, and how often all disk activity ceased; here a pause is \
         half a second in which somebody waits for the drive and no data of a program move.",
        "extract_seconds",
        &[scenario("archive-create-200mb-while-extract-5gb", "")],
    ),
    family(
        "A10",
        "app-launch-while-extract-5gb",
        "Launching a program while extracting 5 GB",
        "A program is launched ten seconds after the extraction of a 5 GB archive began. Measured are \
         the seconds until it is up.",
        "seconds",
        &[
            scenario("launch-powerpoint2007-while-extract-5gb", "PowerPoint"),
            scenario("launch-photoshop-cs3-while-extract-5gb", "Photoshop"),
        ],
    ),
    family(
        "A11",
        "webpage-load-while-extract-5gb",
        "Loading a web page while extracting 5 GB",
        "A browser reads and writes its cache while a 5 GB archive is extracted. Measured are the \
         seconds until the page is there.",
        "seconds",
        &[scenario("webpage-load-while-extract-5gb", "")],
    ),
    family(
        "A15",
        "app-launch-four-at-boot",
        "Launching four programs at the end of boot",
        "When the cursor appears, Photoshop, PCMark Vantage, Chrome and Norton AntiVirus are launched \
         together while Windows still starts its services. Measured are the seconds until all four \
         are up.",
        "seconds",
        &[scenario("app-launch-four-at-boot", "")],
    ),
    family(
        "A16",
        "app-launch",
        "Launching a program",
        "A program is launched on a drive at rest. Measured are the seconds until it is up.",
        "seconds",
        &[
            scenario("launch-chrome", "Chrome"),
            scenario("launch-powerpoint2007", "PowerPoint"),
            scenario("launch-photoshop-cs3", "Photoshop"),
        ],
    ),
    family(
        "A17",
        "game-load",
        "Loading a game",
        "The next stage of Spore, a saved game of Oblivion, and Crysis from its launch to its benchmark \
         level. Measured are the seconds of each. Of the frames a second that the source also measured in \
         Crysis a drive tells nothing.",
        "seconds",
        &[
            scenario("game-load-spore", "Spore"),
            scenario("game-load-oblivion", "Oblivion"),
            scenario("game-load-crysis", "Crysis"),
        ],
    ),
    family(
        "A18",
        "multitask1-extract-photoshop",
        "Extracting 5 GB and launching Photoshop",
        "An archive of 5 GB is extracted, and Photoshop launched 30 seconds later. Measured are the \
         seconds of each. The archive is taken to be that of the test with two archives.",
        "extract_seconds",
        &[scenario("multitask1-extract-photoshop", "")],
    ),
    family(
        "A19",
        "multitask2-extract-nav",
        "Extracting 5 GB during a virus scan",
        "An archive of 5 GB is extracted while Norton AntiVirus scans the whole drive. Measured are \
         the minutes of each.",
        "nav_scan_seconds",
        &[scenario("multitask2-extract-nav", "")],
    ),
];
