//! From write amplification to speed.

use crate::{OutOfDomain, domain};

/// The flash of a drive as sustained random writes see it. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomWriteBound {
    /// Dies, or planes where each programs on its own, that work side by side.
    pub write_units: u32,
    /// Pages of a block, of one write unit.
    pub pages_per_block: u32,
    /// Host writes that one page takes.
    pub writes_per_page: u32,
    /// Time to program a page, in seconds.
    pub program_s: f64,
    /// Time to read a page, in seconds.
    pub read_s: f64,
    /// Time to erase a block, in seconds.
    pub erase_s: f64,
    /// Moving a page from the host to the die, as far as the die cannot do anything else.
    pub host_transfer_s: f64,
    /// Moving a page that is copied out of a die and into one, likewise.
    pub copy_transfer_s: f64,
}

impl RandomWriteBound {
    /// Host writes a second that the flash allows when every unit is always busy:
    ///
    /// n P / [WA t_PROG + (WA − 1)(t_R + t_copy) + (WA/b) t_BERS + t_host].
    ///
    /// A bound of the first order: queues that run dry, firmware and link only take away from it.
    /// The sum is this project's own.
    ///
    /// # Errors
    /// WA is below 1, a count is 0, or a time negative or not a number.
    pub fn writes_per_s(&self, wa: f64) -> Result<f64, OutOfDomain> {
        domain(
            "write amplification",
            wa,
            wa >= 1.0 && wa.is_finite(),
            "finite and at least 1",
        )?;
        let counts = [
            ("write units", self.write_units),
            ("pages per block", self.pages_per_block),
            ("writes per page", self.writes_per_page),
        ];
        for (name, count) in counts {
            domain(name, f64::from(count), count > 0, "at least 1")?;
        }
        let times = [
            ("time to program", self.program_s, self.program_s > 0.0),
            ("time to read", self.read_s, self.read_s >= 0.0),
            ("time to erase", self.erase_s, self.erase_s >= 0.0),
            (
                "transfer from the host",
                self.host_transfer_s,
                self.host_transfer_s >= 0.0,
            ),
            (
                "transfer of a copy",
                self.copy_transfer_s,
                self.copy_transfer_s >= 0.0,
            ),
        ];
        for (name, seconds, fits) in times {
            domain(
                name,
                seconds,
                fits && seconds.is_finite(),
                "finite, and above 0 for programs",
            )?;
        }
        // Steps of one die follow one another, so their times add up.
        let busy_s = wa * self.program_s
            + (wa - 1.0) * (self.read_s + self.copy_transfer_s)
            + wa / f64::from(self.pages_per_block) * self.erase_s
            + self.host_transfer_s;
        Ok(f64::from(self.write_units) * f64::from(self.writes_per_page) / busy_s)
    }
}
