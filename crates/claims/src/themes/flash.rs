//! Cells, pages and blocks: units, times and what they cost.

use super::*;
use crate::check::{Check, Finding, experiment, test};
use crate::experiments::{ALL_KEPT, POWER_OFF, READS, SHEET, UNITS};

pub static CHECKS: &[Check] = &[
    Check {
        id: "C002",
        needs: &[experiment(X25M, &POWER_OFF)],
        judge: |s| {
            let [before, after] = [s[0].get("reads_before"), s[0].get("reads_after")];
            Finding::new(
                s[0].get("same_map") == 1.0 && before == after,
                format!(
                    "everything kept over a power-off; reading it all takes {before} page reads \
                     before and {after} after"
                ),
            )
        },
    },
    Check {
        id: "C006",
        // Flash of one maker and time, in both kinds.
        needs: &[experiment(SLC, &SHEET), experiment(CORE, &SHEET)],
        judge: |s| {
            let ratio = |key: &str| s[1].get(key) / s[0].get(key);
            let [erase, read, program] =
                ["nand.t_erase", "nand.t_read", "nand.t_program"].map(ratio);
            Finding::new(
                near(erase, 1.0, 0.05) && near(read, 2.0, 0.25) && (3.0..=4.0).contains(&program),
                format!(
                    "MLC over SLC: erase {}, read {}, program {}",
                    short(erase),
                    short(read),
                    short(program)
                ),
            )
        },
    },
    Check {
        id: "C007",
        needs: &[
            experiment(CORE, &SHEET),
            test(MOMENTUS, "randread-check"),
            test(RAPTOR, "randread-check"),
        ],
        judge: |s| {
            let program = s[0].get("nand.t_program") * 1e3;
            let disks = of(&s[1..], "lat_avg_ms");
            Finding::new(
                disks.iter().all(|&disk| program < disk / 4.0),
                format!(
                    "a program takes {} ms; a random access: {}",
                    short(program),
                    list(&s[1..], "lat_avg_ms", "ms")
                ),
            )
        },
    },
    Check {
        id: "C008",
        needs: &[experiment(SLC, &SHEET), experiment(CORE, &SHEET)],
        judge: |s| {
            let ratio = |key: &str| s[1].get(key) / s[0].get(key);
            let life = 1.0 / ratio("cycles");
            let [read, program] = ["nand.t_read", "nand.t_program"].map(ratio);
            Finding::new(
                life > 2.0 * read.max(program),
                format!(
                    "SLC lives {} times as long, reads {} and programs {} times as fast",
                    short(life),
                    short(read),
                    short(program)
                ),
            )
        },
    },
    Check {
        id: "C009",
        needs: &[experiment(X25M, &UNITS)],
        judge: |s| {
            let [page, block] = [s[0].get("page_bytes"), s[0].get("erase_bytes")];
            Finding::new(
                page == 4096.0 && near(block / page, 128.0, 0.02),
                format!(
                    "a sector written programs {page} bytes; writing one place again and again \
                     erases a block for every {} pages",
                    short(block / page)
                ),
            )
        },
    },
    Check {
        id: "C011",
        needs: &[experiment(X25M, &READS)],
        judge: |s| {
            let [reads, programs, erases] = ["reads", "programs", "erases"].map(|m| s[0].get(m));
            Finding::new(
                reads > 0.0 && programs == 0.0 && erases == 0.0,
                format!("{reads} reads, {programs} programs, {erases} erases"),
            )
        },
    },
    Check {
        id: "C014",
        needs: &[experiment(X25M, &UNITS)],
        judge: |s| {
            let programs = s[0].get("programs_of_8k");
            Finding::new(
                programs == 2.0,
                format!(
                    "8 KiB take {programs} programs of {} bytes",
                    s[0].get("page_bytes")
                ),
            )
        },
    },
    Check {
        id: "C139",
        needs: &[experiment(M4_128, &SHEET), experiment(M4_256, &SHEET)],
        judge: |s| {
            let [raw, pages] = ["raw_bytes", "nand.page"].map(|metric| of(s, metric));
            let gib: Vec<f64> = raw.iter().map(|raw| raw / 1_073_741_824.0).collect();
            Finding::new(
                gib == [128.0, 256.0] && pages == [4096.0, 8192.0],
                format!(
                    "{} of flash, pages of {}",
                    row(&gib, "GiB"),
                    row(&pages, "bytes")
                ),
            )
        },
    },
    Check {
        id: "C140",
        needs: &[experiment(M4_128, &SHEET), experiment(M4_256, &SHEET)],
        judge: |s| {
            let kept = s
                .iter()
                .map(|s| 100.0 * (1.0 - s.get("user_bytes") / s.get("raw_bytes")));
            let kept: Vec<f64> = kept.collect();
            let gib = 100.0 * (1.0 - 1e9 / 1_073_741_824.0);
            Finding::new(
                kept.iter().all(|&kept| near(kept, gib, 0.02)),
                format!(
                    "kept {}; a decimal GB is {} % less than a binary one",
                    row(&kept, "%"),
                    short(gib)
                ),
            )
        },
    },
    Check {
        id: "C145",
        // With the die dead that the fault's seed names, with all of them, and without parity.
        needs: &[
            experiment(V3_120, &ALL_KEPT).with("faults.die_fails_after=95GB"),
            experiment(V3_120, &ALL_KEPT),
            experiment(V3_120, &ALL_KEPT).with("faults.die_fails_after=95GB raise.parity=false"),
            experiment(V3_120, &SHEET),
        ],
        judge: |s| {
            let [lost, reads, programmed] = ["lost", "reads", "programmed"].map(|m| of(&s[..3], m));
            let dies = s[3].get("map.stripe_dies");
            let spare = s[3].get("raw_bytes") / s[3].get("user_bytes");
            Finding::new(
                lost[0] == 0.0
                    && lost[2] > 0.0
                    && reads[0] > 1.1 * reads[1]
                    && near(programmed[1], dies / (dies - 1.0), 0.01)
                    && spare > programmed[1],
                format!(
                    "with a dead die {} % lost, read with {} reads a slot, with all dies {}; without parity \
                     {} % lost; parity takes {} % of what is written, of {} % more flash than the user has",
                    short(100.0 * lost[0]),
                    short(reads[0]),
                    short(reads[1]),
                    short(100.0 * lost[2]),
                    short(100.0 * (programmed[1] - 1.0)),
                    short(100.0 * (spare - 1.0))
                ),
            )
        },
    },
    Check {
        id: "C148",
        needs: &[experiment(I320_120, &SHEET)],
        judge: |s| {
            let gib = s[0].get("raw_bytes") / 1_073_741_824.0;
            let channels = s[0].get("nand.channels");
            Finding::new(
                gib == 128.0 && (channels == 10.0 || channels == 5.0),
                format!("{channels} channels and {gib} GiB of flash"),
            )
        },
    },
    Check {
        id: "C149",
        needs: &[
            experiment(I320_120, &SHEET),
            experiment(I320_300, &SHEET),
            experiment(I510_120, &SHEET),
            experiment(I510_250, &SHEET),
        ],
        judge: |s| {
            let kept = s
                .iter()
                .map(|s| 100.0 * (1.0 - s.get("user_bytes") / s.get("raw_bytes")));
            let kept: Vec<f64> = kept.collect();
            let said = [12.7, 12.7, 12.7, 9.1];
            Finding::new(
                kept.iter()
                    .zip(said)
                    .all(|(&kept, said)| (kept - said).abs() < 0.1),
                format!("kept of the flash: {}", row(&kept, "%")),
            )
        },
    },
    Check {
        id: "C168",
        // The larger drive with pages as small as the other's, which changes nothing but that.
        needs: &[
            test(M4_128, "randread-4k-qd1"),
            test(M4_256, "randread-4k-qd1"),
            test(M4_256, "randread-4k-qd1").with(
                "nand.page=4KiB nand.page_spare=224B nand.read_unit=4KiB nand.blocks_per_die=8192",
            ),
            test(M4_128, "randread-4k-qd4"),
            test(M4_256, "randread-4k-qd4"),
            test(M4_256, "randread-4k-qd4").with(
                "nand.page=4KiB nand.page_spare=224B nand.read_unit=4KiB nand.blocks_per_die=8192",
            ),
        ],
        judge: |s| {
            let rates = of(s, "iops");
            let is_so = |r: &[f64]| r[0] > 1.1 * r[1] && r[2] > 1.1 * r[1] && r[0] >= 0.98 * r[2];
            Finding::new(
                rates.chunks(3).all(is_so),
                format!(
                    "random reads with 128 GB, with 256, and with 256 and pages of 4 KiB: {}",
                    row(&rates, "IOPS")
                ),
            )
        },
    },
    Check {
        id: "C197",
        needs: &[
            experiment(X25M, &UNITS),
            test(MOMENTUS, "randwrite-4k-qd1"),
            test(MOMENTUS, "randread-check"),
        ],
        judge: |s| {
            let [page, block] = [s[0].get("page_bytes"), s[0].get("erase_bytes")];
            // A disk rewrites in place: its writes, which all replace something, move nothing else.
            let [rewrite, read] = [s[1].get("lat_avg_ms"), s[2].get("lat_avg_ms")];
            Finding::new(
                page == 4096.0 && near(block, 512.0 * 1024.0, 0.02) && rewrite < read,
                format!(
                    "flash programs {page} bytes and erases {} KiB; a disk rewrites 4 KiB in {} ms \
                     and reads them in {} ms",
                    short(block / 1024.0),
                    short(rewrite),
                    short(read)
                ),
            )
        },
    },
];
