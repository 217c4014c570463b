//! Blocks that fail, the end of a drive, and data that fade.

use super::*;
use crate::check::{Check, Finding, experiment};
use crate::lives::{FADING, LIFE, READ_ONLY};

pub static CHECKS: &[Check] = &[
    Check {
        id: "C010",
        needs: &[experiment(X25M, &LIFE), experiment(X25M, &FADING)],
        judge: |s| {
            let [first, second] = ["bad_in_first_half", "bad_in_second_half"].map(|m| s[0].get(m));
            let [tenth, rated] =
                ["tenth_10_years_retries", "rated_10_years_retries"].map(|m| s[1].get(m));
            Finding::new(
                second > 2.0 * first && rated > tenth,
                format!(
                    "{} % of the blocks fail in the first half of a life, {} % in the second; ten years \
                     later, reads repeated at a tenth and at all of the rated cycles: {tenth} and {rated}",
                    short(100.0 * first),
                    short(100.0 * second)
                ),
            )
        },
    },
    Check {
        id: "C024",
        needs: &[experiment(X25M, &FADING)],
        judge: |s| {
            let lost = ["tenth_10_years_lost", "rated_1_year_lost"].map(|m| s[0].get(m));
            let more = ["rated_1_year_retries", "rated_10_years_retries"].map(|m| s[0].get(m));
            Finding::new(
                lost == [0.0, 0.0] && more[1] > more[0],
                format!(
                    "lost after ten years at a tenth of the rated cycles and after one at all of them: \
                     {}; reads repeated after one and ten years at all of them: {}",
                    row(&lost, ""),
                    row(&more, "")
                ),
            )
        },
    },
    Check {
        id: "C025",
        needs: &[experiment(X25M, &FADING)],
        judge: |s| {
            let names = ["rated_1_year_25_c", "rated_1_year", "rated_1_year_70_c"];
            let worse = names.map(|name| {
                s[0].get(&format!("{name}_retries")) + 1e9 * s[0].get(&format!("{name}_lost"))
            });
            let retries = names.map(|name| s[0].get(&format!("{name}_retries")));
            Finding::new(
                worse[0] <= worse[1] && worse[1] < worse[2],
                format!(
                    "reads repeated after a year at 25, 40 and 70 °C: {}",
                    row(&retries, "")
                ),
            )
        },
    },
    Check {
        id: "C032",
        needs: &[
            experiment(X25M, &LIFE),
            experiment(X25M, &LIFE).with("wear.spread=1000000"),
        ],
        judge: |s| {
            let first: Vec<f64> = s
                .iter()
                .map(|s| 100.0 * (1.0 - s.get("bad_1_percent")))
                .collect();
            Finding::new(
                first[0] < first[1],
                format!(
                    "from one bad block in a hundred to the end, of the life: {} with levelling, {} without",
                    row(&first[..1], "%"),
                    row(&first[1..], "%")
                ),
            )
        },
    },
    Check {
        id: "C033",
        needs: &[experiment(X25M, &READ_ONLY)],
        judge: |s| {
            let [refused, lost] = ["refused", "unreadable"].map(|m| s[0].get(m));
            Finding::new(
                refused == 1.0 && lost == 0.0,
                format!(
                    "at the end the next write is {}, and {} % of the data cannot be read",
                    if refused == 1.0 { "refused" } else { "taken" },
                    short(100.0 * lost)
                ),
            )
        },
    },
    Check {
        id: "C035",
        needs: &[experiment(X25M, &LIFE)],
        judge: |s| {
            let [first, bad, lost] = ["first_bad", "bad_at_end", "unreadable"].map(|m| s[0].get(m));
            Finding::new(
                first < 0.95 && bad > 0.0 && lost == 0.0,
                format!(
                    "{} % of the blocks fail from {} % of the life on; no write is refused before its \
                     end, and {lost} reads fail",
                    short(100.0 * bad),
                    short(100.0 * first)
                ),
            )
        },
    },
];
