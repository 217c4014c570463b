//! Attributes of SMART that count what all drives have, by their names in smartmontools' database.
//!
//! The numbers of attributes mean one thing at one maker and another at the next, so the database's name decides, and
//! the number only where the name is that of several.

/// Bytes of the units in which makers count.
const MEBIBYTE: u64 = 1 << 20;
const GIBIBYTE: u64 = 1 << 30;

/// What an attribute tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Logical blocks that hosts wrote, in the raw value.
    HostBlocks,
    /// What hosts wrote, in units of that many bytes, in the raw value.
    HostUnits(u64),
    /// What the drive wrote to its flash, in units of that many bytes, in the raw value.
    FlashUnits(u64),
    /// Percent of the endurance that are used, in the raw value.
    UsedPercent,
    /// Percent of the endurance that are left, as the normalised value.
    LeftPercent,
    /// Percent of the spare blocks that are left, as the normalised value.
    SparePercent,
    /// Times that the power went while the drive was at work, in the raw value.
    UnsafeShutdowns,
    /// Errors that the drive could not correct, in the raw value.
    MediaErrors,
}

/// Number, name, meaning. Names of one number stand for all numbers if that is 0.
const TABLE: &[(u8, &str, Counted)] = &[
    (0, "Total_LBAs_Written", Counted::HostBlocks),
    (0, "Write_Sectors_Tot_Ct", Counted::HostBlocks),
    (0, "Host_Writes_32MiB", Counted::HostUnits(32 * MEBIBYTE)),
    (0, "Host_Writes_MiB", Counted::HostUnits(MEBIBYTE)),
    (0, "Host_Writes_GiB", Counted::HostUnits(GIBIBYTE)),
    (0, "Lifetime_Writes_GiB", Counted::HostUnits(GIBIBYTE)),
    (0, "NAND_Writes_32MiB", Counted::FlashUnits(32 * MEBIBYTE)),
    (0, "NAND_Writes_1GiB", Counted::FlashUnits(GIBIBYTE)),
    (0, "Flash_Writes_GiB", Counted::FlashUnits(GIBIBYTE)),
    // The database has this name for other attributes of SandForce, too.
    (233, "SandForce_Internal", Counted::FlashUnits(GIBIBYTE)),
    (0, "Perc_Rated_Life_Used", Counted::UsedPercent),
    (0, "Percent_Lifetime_Used", Counted::UsedPercent),
    (0, "Media_Wearout_Indicator", Counted::LeftPercent),
    (0, "SSD_Life_Left", Counted::LeftPercent),
    (0, "Remaining_Lifetime_Perc", Counted::LeftPercent),
    (0, "Available_Reservd_Space", Counted::SparePercent),
    (0, "Unsafe_Shutdown_Count", Counted::UnsafeShutdowns),
    (0, "Unexpect_Power_Loss_Ct", Counted::UnsafeShutdowns),
    (0, "POR_Recovery_Count", Counted::UnsafeShutdowns),
    (0, "Reported_Uncorrect", Counted::MediaErrors),
    (0, "Uncorrectable_Error_Cnt", Counted::MediaErrors),
];

impl Counted {
    /// What an attribute of that number and name tells; none where it is not known.
    #[must_use]
    pub fn of(id: u8, name: &str) -> Option<Counted> {
        let is_it = |row: &&(u8, &str, Counted)| row.1 == name && (row.0 == 0 || row.0 == id);
        TABLE.iter().find(is_it).map(|row| row.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_decides_and_a_number_where_the_name_is_of_several() {
        assert_eq!(
            Counted::of(249, "NAND_Writes_1GiB"),
            Some(Counted::FlashUnits(1 << 30))
        );
        assert_eq!(
            Counted::of(225, "Host_Writes_32MiB"),
            Counted::of(241, "Host_Writes_32MiB")
        );
        assert_eq!(Counted::of(234, "SandForce_Internal"), None);
        assert!(Counted::of(233, "SandForce_Internal").is_some());
        assert_eq!(Counted::of(233, "Unknown_Attribute"), None);
    }
}
