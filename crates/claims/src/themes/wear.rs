//! Collection, write amplification, wear and life.

use super::*;
use crate::check::{Check, Finding, experiment};
use crate::experiments::{SAME_PLACE, SHEET, UNIFORM, WEAR};

/// Host TB until the mean block has had its rated cycles, from what a host GB erases.
fn life_tb(sheet: &Sample, erases_per_gb: f64, scale: f64) -> f64 {
    let block = sheet.get("nand.page") * sheet.get("nand.pages_per_block");
    let blocks = sheet.get("raw_bytes") / block;
    blocks * sheet.get("cycles") * scale / erases_per_gb / 1000.0
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C017",
        needs: &[
            experiment(GENERIC, &UNIFORM).with("nand.blocks_per_die=128 spare.op=0.07"),
            experiment(GENERIC, &UNIFORM).with("nand.blocks_per_die=128 spare.op=0.28"),
        ],
        judge: |s| {
            let [wa, erases] = ["wa", "erases_per_gb"].map(|metric| of(s, metric));
            let [wa, erases] = [wa[0] / wa[1], erases[0] / erases[1]];
            Finding::new(
                wa > 1.5 && near(erases, wa, 0.02),
                format!(
                    "with {} times the write amplification a host GB erases {} times as many blocks",
                    short(wa),
                    short(erases)
                ),
            )
        },
    },
    Check {
        id: "C019",
        needs: &[experiment(X25M, &SAME_PLACE)],
        judge: |s| {
            let [erases, first, spread] =
                ["erases_of_second_copy", "first_erase_at", "spread"].map(|m| s[0].get(m));
            Finding::new(
                erases == 0.0 && first > 0.9 && spread <= 1.0,
                format!(
                    "2 MB rewritten: the second copy erases {erases} blocks, the first block is \
                     used again after {} % of the flash, and no block is more than {spread} erases \
                     ahead of another",
                    short(100.0 * first)
                ),
            )
        },
    },
    Check {
        id: "C027",
        needs: &[
            experiment(X25M, &UNIFORM),
            experiment(X25M, &SHEET),
            experiment(SLC, &SHEET),
        ],
        judge: |s| {
            // Random writes at 300 GB a day, on the same drive with the cycles of either flash.
            const SERVER_TB_A_YEAR: f64 = 0.3 * 365.0;
            let slc = s[2].get("cycles") / s[1].get("cycles");
            let years = [1.0, slc]
                .map(|scale| life_tb(&s[1], s[0].get("erases_per_gb"), scale) / SERVER_TB_A_YEAR);
            Finding::new(
                years[0] < 5.0 && years[1] >= 5.0,
                format!(
                    "at 300 GB of random writes a day MLC lasts {} years, SLC {}",
                    short(years[0]),
                    short(years[1])
                ),
            )
        },
    },
    Check {
        id: "C133",
        needs: &[
            experiment(X25M, &UNIFORM),
            experiment(X25M, &UNIFORM).with("spare.user_capacity=60GB"),
            experiment(X25M, &SHEET),
        ],
        judge: |s| {
            let tb: Vec<f64> = s[..2]
                .iter()
                .map(|u| life_tb(&s[2], u.get("erases_per_gb"), 1.0))
                .collect();
            let by_wa: Vec<f64> = s[..2]
                .iter()
                .map(|u| s[2].get("raw_bytes") * s[2].get("cycles") / u.get("wa") / 1e12)
                .collect();
            Finding::new(
                tb.iter()
                    .zip(&by_wa)
                    .all(|(&tb, &by_wa)| near(tb, by_wa, 0.05))
                    && tb[0] < tb[1],
                format!(
                    "{} until the mean block is worn out, counted in erases; flash times cycles over \
                     write amplification gives {}",
                    row(&tb, "TB"),
                    row(&by_wa, "TB")
                ),
            )
        },
    },
    Check {
        id: "C225",
        // Block mapping without the levelling that makes up for it.
        needs: &[
            experiment(GENERIC, &WEAR).with("nand.blocks_per_die=128"),
            experiment(CORE, &WEAR).with("wear.every_merges=0"),
            crate::check::job(GENERIC, ftlab_play::states::State::New, DIES)
                .on(crate::lab::NOBODY, None),
            crate::check::job(GENERIC, ftlab_play::states::State::New, DIES)
                .with("nand.dies_per_channel=1")
                .on(crate::lab::NOBODY, None),
        ],
        judge: |s| {
            let wear = of(&s[..2], "most_over_mean");
            let rates = of(&s[2..], "mb_s");
            Finding::new(
                wear[0] < wear[1] && rates[0] > 1.5 * rates[1],
                format!(
                    "16 dies write {} MB/s, 8 dies {}; data laid anywhere wear the worst block {} \
                     times the mean, block mapping {}",
                    short(rates[0]),
                    short(rates[1]),
                    short(wear[0]),
                    short(wear[1])
                ),
            )
        },
    },
];

const DIES: &str = "write-all-dies";
