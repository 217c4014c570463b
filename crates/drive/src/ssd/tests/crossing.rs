//! Reads that cross the link while the rest of them comes out of the flash.

use super::reliability::ECC;
use super::sums::{FRONT, LINK, SENSE, channel, drive, fill, latency};
use super::*;

#[test]
fn where_slots_overlap_a_read_crosses_the_link_as_its_pages_come() {
    let mut ssd = drive(&["firmware.overlap=true"]);
    fill(&mut ssd, 8);
    let mut read = |slots: u64| {
        let us = slots * 1_000;
        latency(&mut ssd, us, CommandKind::Read, 0, slots as u32 * 8).0 - FRONT
    };
    // Four slots lie on four dies: they sense side by side, then share two channels. The link begins
    // with the first page, and ends a slot after the last one at the earliest.
    let mut check = |slots, last_page: u64| {
        let after_first = SENSE + channel() + slots * LINK;
        assert_eq!(read(slots), after_first.max(last_page + LINK));
    };
    for (slots, transfers) in [(1, 1), (2, 1), (4, 2)] {
        check(slots, SENSE + transfers * channel());
    }
    // Eight lie two to a die, which holds one page at a time; a die moves its first page while the
    // other die of the channel waits, and senses its second while that one moves.
    check(8, 2 * (SENSE + channel()) + channel());
}

#[test]
fn what_is_corrected_crosses_the_link_while_the_rest_comes() {
    let read = |link: &str, overlap: &str| {
        let settings = [&ECC[..], &[link, overlap]].concat();
        let mut ssd = drive(&settings);
        fill(&mut ssd, 1);
        latency(&mut ssd, 0, CommandKind::Read, 0, 8).0 - FRONT
    };
    let sector = (channel() - 1_000) / 8;
    // A slow link is at work from the first codeword on; a fast one waits for the last.
    let slow = "link.rate=100";
    let from_the_first = SENSE + 1_000 + sector + LINK;
    assert_eq!(read(slow, "firmware.overlap=true"), from_the_first);
    let fast = SENSE + channel() + LINK / 8 / 2;
    assert_eq!(read("link.rate=200", "firmware.overlap=true"), fast);
    // Where a command goes as a whole, all of it is there first.
    let whole = SENSE + channel() + LINK;
    assert_eq!(read(slow, "firmware.overlap=false"), whole);
}
