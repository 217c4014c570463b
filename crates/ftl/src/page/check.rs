//! Limits of a configuration, and invariants that hold between two requests.

use super::streams::{FRONTIERS_PER_CELL, collected_frontier, host_frontier};
use super::{PageConfig, PageLayer};
use crate::donors::wear_of_all;
use ftlab_base::{ConfigError, Layout, SuperblockId};
use std::collections::BTreeSet;

impl PageConfig {
    /// Checks that a layer can be built of this on `layout`, without making one.
    ///
    /// # Errors
    /// Says what does not fit, and what it may be.
    pub fn check(&self, layout: &Layout) -> Result<(), ConfigError> {
        let config = self;
        let fail = |why| Err(ConfigError(why));
        let reserve = config.reserve_superblocks;
        if reserve >= layout.superblocks_per_group {
            return fail(format!(
                "a reserve of {reserve} superblocks; a group has only {}",
                layout.superblocks_per_group
            ));
        }
        let unit_bytes = layout.geometry.planes_per_die * layout.geometry.page_bytes;
        let slot_bytes = layout.geometry.slot_bytes;
        // Otherwise some slot would straddle two program units and share one of them.
        if !unit_bytes.is_multiple_of(slot_bytes) && !slot_bytes.is_multiple_of(unit_bytes) {
            return fail(format!(
                "slots of {slot_bytes} bytes on program units of {unit_bytes}: one must divide the other"
            ));
        }
        if let Some(translation) = &config.translation {
            translation.check().map_err(ConfigError)?;
        }
        let has_tables = config.translation.is_some() || config.checkpoint.is_some();
        if has_tables && layout.data_units_per_parity().is_some() {
            return fail(
                "parity over dies protects data, and no tables on flash; leave one of the two out"
                    .to_owned(),
            );
        }
        self.check_companions(layout)?;
        let streams = config.streams.check(config.user_slots);
        streams.map_err(ConfigError)?;
        self.check_room(layout)
    }

    /// Checks what may not stand beside what else, and how much of each there may be.
    fn check_companions(&self, layout: &Layout) -> Result<(), ConfigError> {
        let config = self;
        let fail = |why| Err(ConfigError(why));
        let reserve = config.reserve_superblocks;
        let cells = layout.groups as usize * config.streams.count();
        // The table counts cells in 16 bits.
        if cells > usize::from(u16::MAX) {
            return fail(format!(
                "{} groups of dies with {} streams each; at most 65535 together",
                layout.groups,
                config.streams.count()
            ));
        }
        if config.one_log && config.streams.of_collected().is_some() {
            return fail(
                "one log for host and collected data beside placement handles whose collected data lie together: \
             leave one of the two out, or isolate them persistently"
                    .to_owned(),
            );
        }
        let least = config.least_reserve();
        if reserve < least {
            return fail(format!(
                "a reserve of {reserve} superblocks; each group needs at least {least}, one for host \
             data and one for collected data of each stream, or one for each placement handle and one for what is collected"
            ));
        }
        if let Some(slc) = &config.slc {
            slc.check(layout)?;
            let others = [
                ("several streams", config.streams.count() > 1),
                ("one log for host and collected data", config.one_log),
                ("collection in batches or turns", config.pace.slots() > 0),
                ("checkpoints of tables", config.checkpoint.is_some()),
                ("parity over dies", layout.data_units_per_parity().is_some()),
            ];
            if let Some((other, _)) = others.into_iter().find(|(_, has)| *has) {
                return fail(format!(
                    "a cache of SLC beside {other}: leave one of the two out"
                ));
            }
        }
        Ok(())
    }

    /// Checks that the user's data fit beside the reserve, and what is collected in one go or ahead beside both.
    fn check_room(&self, layout: &Layout) -> Result<(), ConfigError> {
        let config = self;
        let fail = |why| Err(ConfigError(why));
        let reserve = config.reserve_superblocks;
        let slots = u64::from(layout.slots_per_superblock);
        let have = u64::from(layout.superblocks_per_group) * slots;
        // What is collected in one go has an error of its own below.
        let need = slots_needed_in_a_group(layout, config) - u64::from(config.pace.slots());
        if config.user_slots == 0 || need > have {
            return fail(format!(
                "{} user slots do not fit: each of {} groups of dies has {have} slots and needs {need} \
             for its share, a reserve of {reserve} superblocks of {} slots, and room to collect; \
             lower the user capacity",
                config.user_slots, layout.groups, layout.slots_per_superblock,
            ));
        }
        let spare = (have - need) / slots;
        if u64::from(config.pace.slots()) > have - need {
            return fail(format!(
                "a group of dies collects {} superblocks in one go; its spare area has only {spare} beside \
             the reserve and room to collect",
                f64::from(config.pace.slots()) / slots as f64
            ));
        }
        if u64::from(config.ahead_superblocks) > spare {
            return fail(format!(
                "{} superblocks made writable ahead; the spare area of a group has only {spare} beside the \
             reserve and room to collect",
                config.ahead_superblocks
            ));
        }
        Ok(())
    }
}

/// The slots without which a group could run out of superblocks that are worth collecting: its
/// share of the user's data, the superblock that it may hold more than its share, the tables, what
/// is writable when collection begins, what it makes writable in one go, and the open superblocks full
/// of invalid slots.
pub(super) fn slots_needed_in_a_group(layout: &Layout, config: &PageConfig) -> u64 {
    let slots = u64::from(layout.slots_per_superblock);
    let share = u64::from(config.user_slots.div_ceil(layout.groups));
    let above_share = if layout.groups > 1 { slots } else { 0 };
    let tables = config.checkpoint.map_or(0, |c| {
        // The old ones are kept until all of the new ones are written, and begin and end with a
        // superblock that they share with others.
        (2 * u64::from(c.pages.div_ceil(layout.pages_per_superblock)) + 1) * slots
    });
    let translation = config.translation.map_or(0, |translation| {
        u64::from(translation.superblocks_of_group(config.user_slots, layout)) * slots
    });
    let held = config.reserve_superblocks + config.held_for_failures();
    let low_water = u64::from(held) * slots + slots / 2;
    let cache = config
        .slc
        .map_or(0, |slc| u64::from(slc.own_superblocks) * slots);
    share
        + cache
        + translation
        + above_share
        + tables
        + low_water
        + u64::from(config.pace.slots())
        + u64::from(config.least_reserve()) * slots
        + 1
}

/// Writable slots of a group at which it begins to collect. [`PageConfig::check`] keeps it below 2^32.
pub(super) fn low_water(layout: &Layout, config: &PageConfig) -> u32 {
    let held = config.reserve_superblocks + config.held_for_failures();
    held * layout.slots_per_superblock + layout.slots_per_superblock / 2 + config.pace.turn_slots()
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Checks tables, counts and lists against one another.
    ///
    /// # Panics
    /// When they disagree.
    pub(super) fn check_all(&self) {
        self.table.check();
        for g in 0..self.groups.len() {
            self.check_group(g);
        }
        self.check_cache();
        let retired = |s: SuperblockId| self.groups.iter().any(|g| g.retired.contains(&s));
        let counted = wear_of_all(&self.layout, &self.array);
        for (n, (kept, counted)) in self.worn.iter().zip(counted).enumerate() {
            let superblock = SuperblockId(n as u32);
            assert!(
                *kept == counted || retired(superblock),
                "{superblock:?}: {kept} erases kept, {counted} counted"
            );
            let bounds = &self.wear_bounds[self.layout.group_of(superblock) as usize];
            assert!(bounds.hold(*kept), "{kept} erases, and {bounds:?}");
        }
        if let Err(what) = self.check_translation() {
            panic!("{what}");
        }
    }

    fn check_group(&self, g: usize) {
        let group = &self.groups[g];
        let streams = self.streams.count();
        let cells = g * streams..(g + 1) * streams;
        let frontiers = cells.flat_map(|cell| [host_frontier(cell), collected_frontier(cell)]);
        let mut open: Vec<_> = frontiers.map(|f| &self.frontiers[f]).collect();
        assert_eq!(open.len(), streams * FRONTIERS_PER_CELL);
        let slots = self.free_for_data(g) as u32 * self.layout.slots_per_superblock;
        let left: u32 = open.iter().map(|frontier| frontier.left()).sum();
        assert_eq!(
            group.writable_slots,
            slots + left,
            "writable slots of group {g}"
        );
        if self.config.slc.is_some() {
            open.push(&self.frontiers[self.slc_frontier(g)]);
        }
        // Every superblock is in one place only.
        let mut elsewhere = BTreeSet::new();
        let open = open
            .iter()
            .filter_map(|frontier| frontier.open_superblock());
        let victim = group.victim.as_ref().map(|victim| victim.superblock);
        let tables = self.tables.held.iter().copied();
        let tables = tables.filter(|s| self.layout.group_of(*s) as usize == g);
        let translation = self.translation.iter().flat_map(|t| t.superblocks());
        let translation = translation.filter(|s| self.layout.group_of(*s) as usize == g);
        for s in group
            .free
            .iter()
            .copied()
            .chain(open)
            .chain(victim)
            .chain(tables)
            .chain(translation)
            .chain(group.retired.iter().copied())
            .chain(group.slc.iter().copied())
        {
            assert_eq!(self.layout.group_of(s) as usize, g, "{s} of group {g}");
            assert!(elsewhere.insert(s), "{s} is in two places");
        }
        let first = g as u32 * self.layout.superblocks_per_group;
        for s in (first..first + self.layout.superblocks_per_group).map(SuperblockId) {
            assert_eq!(
                self.table.is_candidate(s),
                !elsewhere.contains(&s),
                "{s} may be collected when it is full, and only then"
            );
        }
        for s in group.free.iter().chain(&group.retired) {
            assert_eq!(self.table.valid_in(*s), 0, "{s} is free");
        }
    }
}
