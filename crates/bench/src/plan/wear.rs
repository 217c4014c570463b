//! Wear by a day's writes: cycles of the flash a day, and the years that it lasts.

use ftlab_drive::{DriveFile, RatedBytes};
use ftlab_result::plan::Wear;

const DAYS_A_YEAR: f64 = 365.0;

/// The share of failed blocks at which a drive counts as failing.
const FAILED_SHARE: f64 = 0.01;

/// The years after which the share of the rated cycles used is shown.
const YEARS: f64 = 5.0;

/// The flash of a drive, as far as wear goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flash {
    /// Bytes of the array, spare bytes of pages left out.
    pub bytes: u64,
    /// P/E cycles: those rated, and those by which 1 % of the blocks have worn out. None where the file has neither.
    pub cycles: Option<[f64; 2]>,
    /// Bytes that the maker lets the host write; none where the file does not say.
    pub announced: Option<RatedBytes>,
}

impl Flash {
    /// The wear of a drive; none without flash.
    pub fn of(file: &DriveFile) -> Option<Flash> {
        let rated = file.rated_cycles().map(f64::from);
        let lives = rated.zip(file.worn_out_cycles(FAILED_SHARE));
        Some(Flash {
            bytes: file.raw_bytes()?,
            cycles: lives.map(|(rated, failing)| [rated, failing]),
            announced: file.rated_bytes(),
        })
    }

    /// The wear by `host_bytes_per_day` from the host, each byte programmed `wa` times.
    pub fn wear(&self, wa: f64, host_bytes_per_day: f64) -> Wear {
        let flash_bytes_per_day = wa * host_bytes_per_day;
        let cycles_per_day = flash_bytes_per_day / self.bytes as f64;
        let years = |cycles: f64| cycles / (cycles_per_day * DAYS_A_YEAR);
        let [rated_years, failed_1_pct_years] = match self.cycles {
            Some(cycles) if cycles_per_day > 0.0 => cycles.map(|cycles| Some(years(cycles))),
            _ => [None, None],
        };
        let announced = self.announced.filter(|_| host_bytes_per_day > 0.0);
        let mut wear = Wear {
            flash_bytes_per_day,
            cycles_per_day,
            rated_years,
            announced_years: announced.map(|rated| rated.years(host_bytes_per_day)),
            failed_1_pct_years,
            used_pct_5_years: None,
        };
        wear.used_pct_5_years = wear.years().map(|years| 100.0 * YEARS / years);
        wear
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::Catalog;

    fn amount(bytes: u64) -> RatedBytes {
        RatedBytes {
            bytes,
            is_assumed: false,
        }
    }

    #[test]
    fn years_are_those_of_arithmetic_by_hand() {
        // 16 dies of 512 blocks of 256 pages of 4 KiB, each rated for 5,000 cycles: 8 GiB × 5,000 = 42.95 TB.
        let file = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        let flash = Flash::of(&file).unwrap();
        assert_eq!(flash.bytes, 8_589_934_592);
        // 20 GB a day at 2.5: 50 GB of flash, 858.99 days, 2.3534 years.
        let wear = flash.wear(2.5, 20e9);
        assert_eq!(wear.flash_bytes_per_day, 50e9);
        let near = |value: Option<f64>, wanted: f64| {
            let value = value.unwrap();
            assert!((value / wanted - 1.0).abs() < 1e-4, "{value} for {wanted}");
        };
        near(Some(wear.cycles_per_day), 5.820_77);
        near(wear.rated_years, 2.353_41);
        near(wear.used_pct_5_years, 212.458);
        // 15,000 × (log2 of 1/0.99)^(1/4) = 15,000 × 0.347 = 5,205 cycles.
        near(wear.failed_1_pct_years, 2.353_41 * 5_205.1 / 5_000.0);
    }

    #[test]
    fn what_wears_nothing_or_says_nothing_of_cycles_has_no_years() {
        let flash = Flash {
            bytes: 1 << 30,
            cycles: Some([3000.0, 3100.0]),
            announced: Some(amount(1_000_000_000_000)),
        };
        assert_eq!(flash.wear(1.0, 0.0).years(), None);
        let flash = Flash {
            cycles: None,
            announced: None,
            ..flash
        };
        let wear = flash.wear(2.0, 1e9);
        assert_eq!((wear.rated_years, wear.used_pct_5_years), (None, None));
        assert_eq!(wear.flash_bytes_per_day, 2e9);
    }

    #[test]
    fn the_announced_amount_counts_host_bytes_and_what_ends_first_is_the_answer() {
        let flash = Flash {
            bytes: 1_000_000_000_000,
            cycles: None,
            announced: Some(amount(1_752_000_000_000_000)),
        };
        // A drive write a day of 960 GB for five years, however often the drive programs it.
        let wear = flash.wear(4.0, 960e9);
        assert_eq!(wear.announced_years, Some(5.0));
        assert_eq!(
            (wear.years(), wear.used_pct_5_years),
            (Some(5.0), Some(100.0))
        );
        // 3,000 cycles of 1 TB at 3.84 TB a day are 2.14 years.
        let flash = Flash {
            cycles: Some([3000.0, 3100.0]),
            ..flash
        };
        let wear = flash.wear(4.0, 960e9);
        assert!((wear.years().unwrap() - 3000.0 / 3.84 / 365.0).abs() < 1e-9);
    }
}
