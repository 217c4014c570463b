//! From what a file says of compression, parity and collection to a packed layer's configuration.

use super::schema::{CollectionReads, SsdFile};
use ftlab_base::Layout;
use ftlab_ftl::packed::PackedConfig;
use ftlab_ftl::page::VictimPolicy;

/// The configuration of a packed layer; the error says what is missing or does not belong there.
pub(super) fn config(
    ssd: &SsdFile,
    user_slots: u32,
    policy: Box<dyn VictimPolicy>,
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
    if gc.ahead.is_some() || gc.idle_after.is_some() {
        return Err("gc.ahead and gc.idle_after belong to map.scheme `page`".into());
    }
    if ssd.map.dram.is_some() || ssd.map.entry.is_some() {
        return Err("map.dram and map.entry belong to map.scheme `page`".into());
    }
    if ssd.reliability.is_some() || ssd.ecc.is_some() {
        return Err(
            "[reliability] and [ecc] belong to map.scheme `page` or `block`; with `packed` no block \
             fails alone"
                .into(),
        );
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
        reserve_superblocks: gc.reserve.get(),
        policy,
    })
}

/// Slots of incompressible data that a packed layer holds beside what collection needs.
pub(super) fn usable_slots(ssd: &SsdFile, layout: &Layout) -> Result<u32, String> {
    let policy = Box::new(ftlab_ftl::page::Greedy);
    let config = config(ssd, 1, policy)?;
    config.check(layout).map_err(|why| why.to_string())?;
    Ok(config.slots_max(layout))
}

/// Bytes of slots that may wait for one program unit to fill up, and one slot that does not fit in.
pub(super) fn least_buffer(ssd: &SsdFile, layout: &Layout, config: &PackedConfig) -> u64 {
    let slots = u64::from(config.slots_per_unit_max(layout)) + 1;
    slots * ssd.map.slot.get()
}

/// Refuses what only a packed layer knows.
pub(super) fn refuse_elsewhere(ssd: &SsdFile) -> Result<(), String> {
    let reads = ssd.gc.as_ref().is_some_and(|gc| gc.reads.is_some());
    if ssd.compress.is_some() || ssd.raise.is_some() || reads {
        return Err("[compress], [raise] and gc.reads belong to map.scheme `packed`".into());
    }
    Ok(())
}
