//! From what a file says of compression, parity and collection to a packed layer's configuration.

use super::schema::{CollectionReads, SsdFile};
use ftlab_base::Layout;
use ftlab_ftl::packed::{PackedConfig, TableConfig};
use ftlab_ftl::page::VictimPolicy;
use ftlab_nand::Reliability;

/// The configuration of a packed layer; the error says what is missing or does not belong there.
pub(super) fn config(
    ssd: &SsdFile,
    user_slots: u32,
    policy: Box<dyn VictimPolicy>,
    reliability: Option<Reliability>,
) -> Result<PackedConfig, String> {
    let compress = ssd
        .compress
        .as_ref()
        .ok_or("map.scheme `packed` needs a [compress] section")?;
    let gc = ssd
        .gc
        .as_ref()
        .ok_or("map.scheme `packed` needs a [gc] section")?;
    if ssd.map.log_blocks.is_some() || ssd.map.copy_window.is_some() {
        return Err("map.log_blocks and map.copy_window belong to map.scheme `block`".into());
    }
    if ssd.checkpoint.is_some() || ssd.wear.is_some() || gc.has_streams() {
        return Err(
            "[checkpoint], [wear] and the streams of [gc] belong to map.scheme `page`".into(),
        );
    }
    if gc.batch.is_some() || gc.erased_share.is_some() {
        return Err("gc.batch and gc.erased_share belong to map.scheme `page`".into());
    }
    if gc.ahead.is_some() || gc.idle_after.is_some() {
        return Err("gc.ahead and gc.idle_after belong to map.scheme `page`".into());
    }
    if ssd.map.dram.is_some() {
        return Err("map.dram belongs to map.scheme `page`; with `packed` it is map.cache".into());
    }
    let bytes = |key: &str, bytes: u64| {
        u32::try_from(bytes)
            .ok()
            .filter(|&bytes| bytes <= 1 << 20)
            .ok_or_else(|| format!("compress.{key}: {bytes} bytes; at most 1 MiB"))
    };
    Ok(PackedConfig {
        user_slots,
        chunk_bytes: bytes("chunk", compress.chunk.get())?,
        header_bytes: match &compress.header {
            Some(header) => bytes("header", header.get())?,
            None => 0,
        },
        dedup: compress.dedup,
        raise: ssd.raise.as_ref().is_some_and(|raise| raise.parity),
        reads_whole: gc.reads == Some(CollectionReads::All),
        early_valid: gc.early_valid.as_ref().map(|share| share.base),
        reserve_superblocks: gc.reserve.get(),
        policy,
        table: table(ssd, user_slots)?,
        reliability,
    })
}

/// Slots of incompressible data that a packed layer holds beside what collection needs.
pub(super) fn usable_slots(ssd: &SsdFile, layout: &Layout) -> Result<u32, String> {
    let policy = Box::new(ftlab_ftl::page::Greedy);
    let config = config(ssd, 1, policy, None)?;
    config.check(layout).map_err(|why| why.to_string())?;
    Ok(config.slots_max(layout))
}

/// Bytes of slots that may wait for one program unit to fill up, and one slot that does not fit in.
pub(super) fn least_buffer(ssd: &SsdFile, layout: &Layout, config: &PackedConfig) -> u64 {
    let slots = u64::from(config.slots_per_unit_max(layout)) + 1;
    slots * ssd.map.slot.get()
}

/// The mapping table of a packed drive, if memory does not hold all of it; the error says what is
/// missing or impossible.
fn table(ssd: &SsdFile, user_slots: u32) -> Result<Option<TableConfig>, String> {
    let (cache, entry) = match (&ssd.map.cache, &ssd.map.entry) {
        (None, None) => return Ok(None),
        (Some(cache), Some(entry)) => (cache.get(), entry.get()),
        _ => return Err("map.cache and map.entry go together: give both or neither".into()),
    };
    let page = ssd.nand.page.get();
    if entry > page {
        return Err(format!(
            "map.entry: {entry} bytes; a page of {page} bytes must hold one"
        ));
    }
    let entries_per_page = (page / entry) as u32;
    let all = user_slots.div_ceil(entries_per_page);
    match cache / page {
        0 => Err(format!(
            "map.cache: {cache} bytes; the least is a page of the table, {page} bytes"
        )),
        held if held >= u64::from(all) => Ok(None),
        held => Ok(Some(TableConfig {
            cached_pages: held as u32,
            entries_per_page,
        })),
    }
}

/// Refuses what only a packed layer knows.
pub(super) fn refuse_elsewhere(ssd: &SsdFile) -> Result<(), String> {
    let gc = ssd.gc.as_ref();
    let own = gc.is_some_and(|gc| gc.reads.is_some() || gc.early_valid.is_some());
    if ssd.compress.is_some() || ssd.raise.is_some() || own {
        return Err(
            "[compress], [raise], gc.reads and gc.early_valid belong to map.scheme `packed`".into(),
        );
    }
    if ssd.map.cache.is_some() {
        return Err("map.cache belongs to map.scheme `packed`".into());
    }
    Ok(())
}
