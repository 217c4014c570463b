//! The enterprise traces of AnandTech's review of 2012, as far as their source describes them.

use super::{Family, Runs, scenario};
use ftlab_play::states::State;
use ftlab_result::Chart;

pub static FAMILIES: &[Family] = &[Family {
    slug: "enterprise-traces",
    method: "D10",
    title: "Traces of databases",
    text: "Traces of Oracle's Swingbench and of two jobs of a Microsoft SQL server, played back without \
           the pauses between requests. Measured are MB/s. The source gives no mix of requests; the \
           scripts take those that such databases are known for, and say so.",
    chart: Chart::Bars,
    metric: "mb_s",
    unit: "MB/s",
    testbed: "anandtech-2012",
    runs: Runs::WithAll,
    states: &[State::Used],
    steps: &[
        scenario("enterprise-oracle-swingbench", "Swingbench"),
        scenario("enterprise-ms-sql-dailyupdates", "daily updates"),
        scenario("enterprise-ms-sql-weeklymaint", "weekly maintenance"),
    ],
}];
