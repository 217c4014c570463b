//! SMART attributes: a drive's health in the numbers and scales of its maker.
//!
//! Numbers, names and units are those that makers' data sheets and smartmontools' drive database
//! give; only attributes that the model counts are listed. `docs/endurance.md` has the sources.

use crate::health::Health;
use ftlab_smart::SmartAttribute;

/// Bytes of Intel's unit of host writes: 65,536 sectors.
const INTEL_UNIT: u64 = 32 << 20;

/// Bytes of a sector.
const SECTOR: u64 = 512;

/// Bytes of a gibibyte.
const GIBIBYTE: u64 = 1 << 30;

/// Normalised values begin here.
const BEST: u8 = 100;

/// Maker whose table of attributes a drive reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// Intel: X25-M to 320, 710, DC S3700.
    Intel,
    /// Indilinx, with the Barefoot controller.
    Indilinx,
    /// SandForce SF-1200 to SF-2281.
    SandForce,
    /// Micron and Crucial: C300, m4, M500.
    Micron,
    /// Samsung: 470 to 840 Pro.
    Samsung,
}

impl Vendor {
    /// The attributes of a drive of this vendor, by number.
    #[must_use]
    pub fn attributes(self, health: &Health) -> Vec<SmartAttribute> {
        let row = |(id, name, value, threshold, raw): (u8, &str, u8, u8, u64)| SmartAttribute {
            id,
            name: name.to_owned(),
            value,
            threshold,
            raw,
        };
        self.rows(health).into_iter().map(row).collect()
    }

    fn rows(self, health: &Health) -> Vec<Row> {
        let rows = match self {
            Vendor::Intel => intel,
            Vendor::Indilinx => indilinx,
            Vendor::SandForce => sandforce,
            Vendor::Micron => micron,
            Vendor::Samsung => samsung,
        };
        rows(health, &Figures::of(health))
    }
}

/// Figures that several vendors have.
struct Figures {
    sectors: u64,
    nand_gib: u64,
    grown_bad: u64,
    factory_bad: u64,
    programs: u64,
    erases: u64,
    unreadable: u64,
    mean: u64,
    /// Percent of the rated cycles that are left; however worn, it is not below nothing.
    left: u8,
    /// Percent of the spare blocks that are left.
    reserve: u8,
}

impl Figures {
    fn of(health: &Health) -> Figures {
        let faults = &health.faults;
        Figures {
            sectors: health.host_bytes_written / SECTOR,
            nand_gib: health.nand_bytes_programmed / GIBIBYTE,
            grown_bad: health.grown_bad().into(),
            factory_bad: faults.factory_bad.into(),
            programs: faults.program_failed.into(),
            erases: faults.erase_failed.into(),
            unreadable: faults.unreadable,
            mean: health.wear.mean() as u64,
            left: life_left(health, 0.0),
            reserve: health.spare_percent(),
        }
    }
}

fn intel(health: &Health, of: &Figures) -> Vec<Row> {
    let host = health.host_bytes_written / INTEL_UNIT;
    // From 100 to 1 over the rated cycles; then it stays.
    let left = life_left(health, 1.0);
    vec![
        (0x05, "Reallocated_Sector_Ct", BEST, 0, of.grown_bad),
        (0xab, "Program_Fail_Count", BEST, 0, of.programs),
        (0xac, "Erase_Fail_Count", BEST, 0, of.erases),
        (0xbb, "Uncorrectable_Error_Cnt", BEST, 0, of.unreadable),
        (0xe1, "Host_Writes_32MiB", BEST, 0, host),
        (0xe8, "Available_Reservd_Space", of.reserve, 10, 0),
        (0xe9, "Media_Wearout_Indicator", left, 0, 0),
        (0xf1, "Host_Writes_32MiB", BEST, 0, host),
        (0xf9, "NAND_Writes_1GiB", BEST, 0, of.nand_gib),
    ]
}

fn indilinx(health: &Health, of: &Figures) -> Vec<Row> {
    let rated = health.rated_cycles.unwrap_or(0).into();
    vec![
        (184, "Initial_Bad_Block_Count", BEST, 0, of.factory_bad),
        (195, "Program_Failure_Blk_Ct", BEST, 0, of.programs),
        (196, "Erase_Failure_Blk_Ct", BEST, 0, of.erases),
        (199, "Write_Sectors_Tot_Ct", BEST, 0, of.sectors),
        (205, "Max_PE_Count_Spec", BEST, 0, rated),
        (206, "Min_Erase_Count", BEST, 0, health.wear.min().into()),
        (207, "Max_Erase_Count", BEST, 0, health.wear.max().into()),
        (208, "Average_Erase_Count", BEST, 0, of.mean),
        (209, "Remaining_Lifetime_Perc", of.left, 0, of.left.into()),
    ]
}

fn sandforce(health: &Health, of: &Figures) -> Vec<Row> {
    let spread =
        f64::from(health.wear.max() - health.wear.min()) / f64::from(health.wear.max().max(1));
    let delta = (100.0 * spread) as u64;
    // The lower of what is left of the cycles and of the spare blocks.
    let left = of.left.min(of.reserve);
    let host_gib = health.host_bytes_written / GIBIBYTE;
    vec![
        (5, "Retired_Block_Count", BEST, 3, of.grown_bad),
        (171, "Program_Fail_Count", BEST, 0, of.programs),
        (172, "Erase_Fail_Count", BEST, 0, of.erases),
        (177, "Wear_Range_Delta", BEST, 0, delta),
        (187, "Reported_Uncorrect", BEST, 0, of.unreadable),
        // What ECC could not correct and RAISE did.
        (
            204,
            "Soft_ECC_Correct_Rate",
            BEST,
            0,
            health.faults.made_good,
        ),
        (0xe7, "SSD_Life_Left", left, 10, left.into()),
        (0xe9, "SandForce_Internal", BEST, 0, of.nand_gib),
        (0xf1, "Lifetime_Writes_GiB", BEST, 0, host_gib),
    ]
}

fn micron(health: &Health, of: &Figures) -> Vec<Row> {
    let used = (100.0 * health.worn_share()).round().min(255.0) as u64;
    let [host, other] = health.pages_programmed;
    vec![
        (5, "Reallocated_Sector_Ct", BEST, 10, of.grown_bad),
        (170, "Grown_Failing_Block_Ct", BEST, 10, of.grown_bad),
        (171, "Program_Fail_Count", BEST, 0, of.programs),
        (172, "Erase_Fail_Count", BEST, 0, of.erases),
        (173, "Wear_Leveling_Count", of.left, 10, of.mean),
        (187, "Reported_Uncorrect", BEST, 0, of.unreadable),
        (189, "Factory_Bad_Block_Ct", BEST, 0, of.factory_bad),
        (202, "Perc_Rated_Life_Used", of.left, 0, used),
        (246, "Total_LBAs_Written", BEST, 0, of.sectors),
        (247, "Host_Program_Page_Count", BEST, 0, host),
        (248, "Bckgnd_Program_Page_Cnt", BEST, 0, other),
    ]
}

fn samsung(health: &Health, of: &Figures) -> Vec<Row> {
    let used = (health.spare.at_first - health.spare.left.min(health.spare.at_first)).into();
    let unused = health.spare.left.into();
    vec![
        (5, "Reallocated_Sector_Ct", BEST, 10, of.grown_bad),
        (177, "Wear_Leveling_Count", of.left, 0, of.mean),
        (179, "Used_Rsvd_Blk_Cnt_Tot", of.reserve, 10, used),
        (180, "Unused_Rsvd_Blk_Cnt_Tot", of.reserve, 10, unused),
        (181, "Program_Fail_Cnt_Total", BEST, 10, of.programs),
        (182, "Erase_Fail_Count_Total", BEST, 10, of.erases),
        (187, "Uncorrectable_Error_Cnt", BEST, 0, of.unreadable),
        (241, "Total_LBAs_Written", BEST, 0, of.sectors),
    ]
}

/// Number, name, normalised value, threshold, raw value.
type Row = (u8, &'static str, u8, u8, u64);

/// Percent that are left when the mean block has used that share of its rated cycles; `floor` at least, however worn.
fn life_left(health: &Health, floor: f64) -> u8 {
    (100.0 * (1.0 - health.worn_share()))
        .clamp(floor, 100.0)
        .round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_ftl::Spare;
    use ftlab_nand::{FaultCounters, WearHistogram};

    fn health(cycles: u32, spare_left: u32) -> Health {
        Health {
            wear: WearHistogram::of([cycles, cycles].into_iter()),
            rated_cycles: Some(3000),
            faults: FaultCounters {
                factory_bad: 9,
                erase_failed: 5,
                program_failed: 2,
                retries: 0,
                unreadable: 1,
                made_good: 0,
            },
            spare: Spare {
                at_first: 40,
                left: spare_left,
            },
            host_bytes_written: 1007 << 30,
            nand_bytes_programmed: 2014 << 30,
            pages_programmed: [10, 20],
        }
    }

    fn of(vendor: Vendor, health: &Health, id: u8) -> (u8, u64) {
        let all = vendor.attributes(health);
        let found = all.iter().find(|a| a.id == id).expect("the vendor has it");
        (found.value, found.raw)
    }

    #[test]
    fn intel_counts_down_to_one_and_stays_there() {
        let wearout = |cycles| of(Vendor::Intel, &health(cycles, 40), 0xe9).0;
        assert_eq!([0, 1500, 2970, 6000].map(wearout), [100, 50, 1, 1]);
        // 1,007 GiB in units of 32 MiB.
        assert_eq!(of(Vendor::Intel, &health(0, 40), 0xe1).1, 1007 * 32);
        assert_eq!(of(Vendor::Intel, &health(0, 40), 0x05).1, 7);
    }

    #[test]
    fn spare_blocks_count_down_to_nothing() {
        let left = |n| of(Vendor::Intel, &health(0, n), 0xe8).0;
        assert_eq!([40, 20, 1, 0].map(left), [100, 50, 2, 0]);
        assert_eq!(of(Vendor::Samsung, &health(0, 10), 179), (25, 30));
        assert_eq!(of(Vendor::Samsung, &health(0, 10), 180), (25, 10));
    }

    #[test]
    fn every_vendor_tells_life_in_its_own_way() {
        let worn = health(1500, 40);
        assert_eq!(of(Vendor::SandForce, &worn, 0xe7), (50, 50));
        assert_eq!(of(Vendor::SandForce, &health(1500, 4), 0xe7), (10, 10));
        assert_eq!(of(Vendor::SandForce, &worn, 0xf1).1, 1007);
        assert_eq!(of(Vendor::SandForce, &worn, 0xe9).1, 2014);
        assert_eq!(of(Vendor::Indilinx, &worn, 209), (50, 50));
        assert_eq!(of(Vendor::Micron, &worn, 202), (50, 50));
        assert_eq!(of(Vendor::Micron, &health(6000, 40), 202), (0, 200));
        assert_eq!(of(Vendor::Samsung, &worn, 177), (50, 1500));
    }

    #[test]
    fn attributes_are_in_order_and_names_known() {
        for name in ["intel", "indilinx", "sandforce", "micron", "samsung"] {
            let setting = format!("smart.vendor={name}");
            let file = crate::Catalog::default()
                .load("generic-mlc-8", &[setting])
                .unwrap();
            let all = file.smart_vendor().unwrap().attributes(&health(10, 40));
            assert!(all.is_sorted_by(|a, b| a.id < b.id), "{name}");
        }
        let unknown =
            crate::Catalog::default().load("generic-mlc-8", &["smart.vendor=acme".to_owned()]);
        let why = unknown.unwrap_err().to_string();
        assert!(
            why.contains("unknown variant `acme`, expected one of `intel`"),
            "{why}"
        );
    }
}
