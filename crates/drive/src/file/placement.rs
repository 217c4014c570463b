//! From what a file says of streams, wear levelling and memory for the mapping table to what a
//! translation layer is told.

use super::schema::{Gc, Map, Wear};
use ftlab_base::Layout;
use ftlab_ftl::page::{
    Allocation, Separation, SpareShare, StaticLevelling, StreamConfig, TranslationConfig,
    WearLevelling,
};
use ftlab_sheet::quantity::Quantity;

/// The ways to tell hot data from cold ones that a file can name.
const SEPARATIONS: [&str; 3] = ["none", "by-address", "by-age"];

/// Superblocks that each group of dies of a page-mapped drive keeps erased.
pub(super) fn reserve(gc: &Gc, layout: &Layout, user_slots: u32) -> u32 {
    let reserve = gc.reserve.get();
    let slots = u64::from(layout.groups) * u64::from(layout.slots_per_superblock);
    let data = u64::from(user_slots).div_ceil(slots) as u32;
    let left = layout.superblocks_per_group.saturating_sub(data);
    let share = gc.erased_share.as_ref().map_or(0.0, |share| share.base);
    reserve + (f64::from(left.saturating_sub(reserve)) * share) as u32
}

/// Hot and cold streams of a page-mapped drive.
pub(super) fn streams(gc: &Gc, layout: &Layout, user_slots: u32) -> Result<StreamConfig, String> {
    let name = gc.streams.as_deref().unwrap_or("none");
    if !SEPARATIONS.contains(&name) {
        return Err(format!(
            "gc.streams `{name}` is none of: {}",
            SEPARATIONS.join(", ")
        ));
    }
    let keys = [
        ("hot_share", &gc.hot_share, name == "by-address"),
        ("hot_age", &gc.hot_age, name == "by-age"),
        ("hot_spare", &gc.hot_spare, name != "none"),
    ];
    for (key, value, is_used) in keys {
        if value.is_some() && !is_used {
            return Err(format!(
                "gc.{key} has no meaning with gc.streams `{name}`; leave it out"
            ));
        }
    }
    let needed = |key: &str, value: &Option<_>| match value {
        Some(Quantity { base, .. }) => Ok(*base),
        None => Err(format!("gc.streams `{name}` needs gc.{key}")),
    };
    let separation = match name {
        "by-address" => Separation::ByAddress {
            ends: vec![(needed("hot_share", &gc.hot_share)? * f64::from(user_slots)) as u32],
        },
        "by-age" => Separation::ByAge {
            closings: vec![
                (needed("hot_age", &gc.hot_age)? * f64::from(layout.superblocks())) as u64,
            ],
        },
        _ => Separation::None,
    };
    let spare = gc.hot_spare.as_ref();
    Ok(StreamConfig {
        separation,
        spare: spare.map_or(SpareShare::SquareRoot, |share| {
            SpareShare::Given(vec![share.base])
        }),
    })
}

/// What tells a cached entry from others of its translation page: entries are kept in a list for each
/// page (TPFTL; Zhou et al., EuroSys 2015).
const NUMBER_BYTES: u64 = 2;

/// The mapping table of a page-mapped drive, if memory does not hold all of it. A table that fits is
/// a list, one entry a slot. Where it does not fit, each cached entry also says which one of its
/// translation page it is ([`NUMBER_BYTES`]).
pub(super) fn translation(
    map: &Map,
    layout: &Layout,
    user_slots: u32,
) -> Result<Option<TranslationConfig>, String> {
    let (dram, entry) = match (&map.dram, &map.entry) {
        (None, None) => return Ok(None),
        (Some(dram), Some(entry)) => (dram.get(), entry.get()),
        _ => return Err("map.dram and map.entry go together: give both or neither".into()),
    };
    let page_bytes = u64::from(layout.geometry.page_bytes);
    let slots = layout.slots();
    let counts = 1_u64
        .checked_shl(8 * entry.min(8) as u32)
        .unwrap_or(u64::MAX);
    if entry > page_bytes || counts < u64::from(slots) {
        return Err(format!(
            "map.entry: {entry} bytes; an entry must tell {slots} slots apart, and a page of \
             {page_bytes} bytes must hold one"
        ));
    }
    if dram >= u64::from(user_slots).saturating_mul(entry) {
        return Ok(None);
    }
    let cached = entry + NUMBER_BYTES;
    if dram < cached {
        return Err(format!(
            "map.dram: {dram} bytes; the least is a cached entry, {cached} bytes"
        ));
    }
    Ok(Some(TranslationConfig {
        // Fewer than there are slots.
        cached_entries: (dram / cached) as u32,
        entries_per_page: (page_bytes / entry) as u32,
    }))
}

/// Wear levelling of a page-mapped drive.
pub(super) fn page_wear(wear: Option<&Wear>) -> Result<WearLevelling, String> {
    let Some(wear) = wear else {
        return Ok(WearLevelling::default());
    };
    if wear.every_merges.is_some() || wear.blocks.is_some() {
        return Err("wear.every_merges and wear.blocks belong to map.scheme `block`".into());
    }
    let name = wear.allocation.as_deref();
    let allocation = match name {
        None => Allocation::default(),
        Some(name) => Allocation::named(name).ok_or_else(|| {
            let known = Allocation::NAMES.join(", ");
            format!("wear.allocation `{name}` is none of: {known}")
        })?,
    };
    let levelling = match (&wear.spread, &wear.every_collections) {
        (Some(spread), Some(every)) => Some(StaticLevelling {
            spread_erases: spread.get(),
            every_collections: every.get(),
        }),
        (None, None) => None,
        _ => {
            return Err(
                "wear.spread and wear.every_collections go together: give both or neither".into(),
            );
        }
    };
    Ok(WearLevelling {
        allocation,
        levelling,
    })
}

/// Static wear levelling of a block-mapped drive: merges between two passes, and superblocks moved
/// in one.
pub(super) fn block_wear(wear: Option<&Wear>) -> Result<(u32, u32), String> {
    let Some(wear) = wear else {
        return Ok((0, 0));
    };
    if wear.allocation.is_some() || wear.spread.is_some() || wear.every_collections.is_some() {
        return Err(
            "wear.allocation, wear.spread and wear.every_collections belong to map.scheme `page`"
                .into(),
        );
    }
    match (&wear.every_merges, &wear.blocks) {
        (Some(every), Some(blocks)) => Ok((every.get(), blocks.get())),
        _ => Err("[wear] of a block-mapped drive needs every_merges and blocks".into()),
    }
}
