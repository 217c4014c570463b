//! Clients that err, stall or lie cost themselves a connection at most.

use crate::raw::{Raw, meta_context};
use crate::{MIB, PATIENCE, Site};
use ftlab_nbd::protocol::constants::{
    NBD_CMD_BLOCK_STATUS, NBD_CMD_CACHE, NBD_CMD_FLAG_DF, NBD_CMD_FLAG_FUA, NBD_CMD_FLAG_NO_HOLE,
    NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_TRIM, NBD_CMD_WRITE, NBD_CMD_WRITE_ZEROES, NBD_EINVAL,
    NBD_ENOSPC, NBD_EPERM, NBD_FLAG_READ_ONLY, NBD_OPT_GO, NBD_OPT_INFO, NBD_OPT_LIST,
    NBD_OPT_SET_META_CONTEXT, NBD_OPT_STARTTLS, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK,
    NBD_REP_ERR_INVALID, NBD_REP_ERR_TOO_BIG, NBD_REP_ERR_UNKNOWN, NBD_REP_ERR_UNSUP,
};
use ftlab_nbd::protocol::{OPTION_BYTES_MAX, OptionHeader};
use ftlab_nbd::{Limits, MemoryExport};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn malformed_options_are_refused_and_the_negotiation_goes_on() {
    let site = Site::memory(MIB);
    let mut raw = Raw::connect(&site);
    raw.client_flags();
    // A name longer than the option; a count of kinds that are not there; data behind the end.
    for data in [
        &[0, 0, 0, 9, 1][..],
        &[0, 0, 0, 0, 0, 5, 0, 3],
        &[0, 0, 0, 0, 0, 0, 7],
        &[],
    ] {
        raw.option(NBD_OPT_GO, data);
        assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID, "{data:?}");
    }
    raw.option(NBD_OPT_LIST, &[1]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.option(NBD_OPT_STRUCTURED_REPLY, &[1]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    // Before structured replies; then with a count of queries that no memory holds.
    raw.option(
        NBD_OPT_SET_META_CONTEXT,
        &meta_context(b"", &[b"base:allocation"]),
    );
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.option(NBD_OPT_STRUCTURED_REPLY, &[]);
    assert_eq!(raw.option_reply().0, NBD_REP_ACK);
    raw.option(
        NBD_OPT_SET_META_CONTEXT,
        &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
    );
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.option(NBD_OPT_INFO, &[0, 0, 0, 1, b'x', 0, 0]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_UNKNOWN);
    raw.option(NBD_OPT_STARTTLS, &[]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_UNSUP);
    raw.option(0x1234_5678, b"what?");
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_UNSUP);
    raw.go();
    raw.assert_alive();
}

#[test]
fn an_option_that_is_too_long_is_skipped() {
    let site = Site::memory(MIB);
    let mut raw = Raw::connect(&site);
    raw.client_flags();
    raw.option(NBD_OPT_GO, &vec![0; OPTION_BYTES_MAX as usize + 1]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_TOO_BIG);
    raw.option(NBD_OPT_GO, &vec![0; 3 * OPTION_BYTES_MAX as usize]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_TOO_BIG);
    // The longest that is looked at has zeroes behind its end.
    raw.option(NBD_OPT_GO, &vec![0; OPTION_BYTES_MAX as usize]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.go();
    raw.assert_alive();
}

#[test]
fn what_is_no_option_or_no_request_ends_that_connection_only() {
    let site = Site::memory(MIB);
    let mut other = Raw::begin(&site);

    let mut raw = Raw::connect(&site);
    raw.client_flags();
    raw.send(&[0x55; 64]);
    raw.assert_closed();
    assert!(site.next_end().contains("magic number"));

    let mut raw = Raw::connect(&site);
    raw.send(&[0xff; 4]);
    raw.assert_closed();
    assert!(site.next_end().contains("client flags"));

    let mut raw = Raw::begin(&site);
    raw.send(&[0x55; 28]);
    raw.assert_closed();
    assert!(site.next_end().contains("0x55555555"));

    other.assert_alive();
}

#[test]
fn a_client_that_says_nothing_or_too_little_is_hung_up_on() {
    let limits = Limits {
        negotiation: Duration::from_millis(400),
        ..Limits::default()
    };
    let site = Site::with(Arc::new(MemoryExport::new(MIB)), false, limits);
    // Whoever is through with the negotiation may be silent.
    let mut other = Raw::begin(&site);

    let mut silent = Raw::connect(&site);
    silent.assert_closed();
    assert!(site.next_end().contains("too long"));

    let mut slow = Raw::connect(&site);
    slow.client_flags();
    let start = Instant::now();
    // An option without end, byte by byte.
    let endless = OptionHeader {
        code: NBD_OPT_LIST,
        length_bytes: 1 << 31,
    };
    for byte in endless.encode().iter().cycle() {
        if slow.stream.write_all(&[*byte]).is_err() {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "the server listens on");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(site.next_end().contains("too long"));
    other.assert_alive();
}

#[test]
fn a_client_that_goes_amid_a_write_changes_nothing() {
    let site = Site::memory(MIB);
    let mut other = Raw::begin(&site);
    for sent in [1, 5_000] {
        let mut raw = Raw::begin(&site);
        raw.request(NBD_CMD_WRITE, 0, 0, 8192, &vec![1; sent]);
        drop(raw);
        assert!(site.next_end().contains("amid a message"));
    }
    let mut raw = Raw::begin(&site);
    raw.send(&[0x25, 0x60]);
    drop(raw);
    assert!(site.next_end().contains("amid a message"));
    assert_eq!(other.ask(NBD_CMD_READ, 0, 0, 8192, &[]), Ok(vec![0; 8192]));
}

#[test]
fn what_lies_beyond_the_end_is_an_error_and_the_session_goes_on() {
    let site = Site::memory(MIB);
    let (end, data) = (MIB, vec![1; 4096]);
    for mut raw in [Raw::begin(&site), Raw::begin_simple(&site)] {
        for offset in [end, end - 2048, u64::MAX - 511, 1 << 63] {
            let none: &[u8] = &[];
            for (code, data, error) in [
                (NBD_CMD_READ, none, NBD_EINVAL),
                (NBD_CMD_WRITE, &data[..], NBD_ENOSPC),
                (NBD_CMD_WRITE_ZEROES, none, NBD_ENOSPC),
                (NBD_CMD_TRIM, none, NBD_EINVAL),
                (NBD_CMD_CACHE, none, NBD_EINVAL),
                (NBD_CMD_BLOCK_STATUS, none, NBD_EINVAL),
            ] {
                let answer = raw.ask(code, 0, offset, 4096, data);
                assert_eq!(answer, Err(error), "{code} at {offset}");
            }
        }
        assert_eq!(
            raw.ask(NBD_CMD_WRITE, 0, end - 4096, 4096, &data),
            Ok(vec![])
        );
        assert_eq!(
            raw.ask(NBD_CMD_READ, 0, end - 4096, 4096, &[]),
            Ok(data.clone())
        );
    }
}

#[test]
fn malformed_requests_are_errors_and_the_session_goes_on() {
    let site = Site::memory(64 * MIB);
    let mut raw = Raw::begin(&site);
    for (code, flags, offset, length) in [
        (99, 0, 0, 512),
        (NBD_CMD_READ, 1 << 15, 0, 512),
        (NBD_CMD_READ, NBD_CMD_FLAG_NO_HOLE, 0, 512),
        (NBD_CMD_TRIM, NBD_CMD_FLAG_DF, 0, 512),
        (NBD_CMD_READ, 0, 0, 0),
        (NBD_CMD_READ, 0, 1, 512),
        (NBD_CMD_READ, 0, 512, 513),
        (NBD_CMD_READ, 0, 0, (32 << 20) + 512),
        (NBD_CMD_READ, 0, 0, u32::MAX),
        (NBD_CMD_FLUSH, 0, 0, 512),
        (NBD_CMD_FLUSH, 0, 512, 0),
    ] {
        let answer = raw.ask(code, flags, offset, length, &[]);
        assert_eq!(answer, Err(NBD_EINVAL), "{code} {flags} {offset} {length}");
    }
    let large = vec![7; (32 << 20) + 512];
    let answer = raw.ask(NBD_CMD_WRITE, 0, 0, large.len() as u32, &large);
    assert_eq!(answer, Err(NBD_EINVAL));
    let whole = &large[..32 << 20];
    assert_eq!(
        raw.ask(NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, 0, 32 << 20, whole),
        Ok(vec![])
    );
    assert_eq!(
        raw.ask(NBD_CMD_READ, NBD_CMD_FLAG_DF, 0, 32 << 20, &[])
            .as_deref(),
        Ok(whole)
    );
    // Without data, the largest block is no bound.
    assert_eq!(raw.ask(NBD_CMD_TRIM, 0, 0, 64 << 20, &[]), Ok(vec![]));

    // What was not negotiated is not there.
    let mut simple = Raw::begin_simple(&site);
    assert_eq!(
        simple.ask(NBD_CMD_READ, NBD_CMD_FLAG_DF, 0, 512, &[]),
        Err(NBD_EINVAL)
    );
    assert_eq!(
        simple.ask(NBD_CMD_BLOCK_STATUS, 0, 0, 512, &[]),
        Err(NBD_EINVAL)
    );
    simple.assert_alive();
}

#[test]
fn a_read_only_export_takes_no_writes() {
    let site = Site::with(Arc::new(MemoryExport::new(MIB)), true, Limits::default());
    let mut raw = Raw::connect(&site);
    raw.client_flags();
    let (size, flags) = raw.go();
    assert_eq!(size, MIB);
    assert_ne!(flags & NBD_FLAG_READ_ONLY, 0);
    assert_eq!(raw.ask(NBD_CMD_WRITE, 0, 0, 512, &[1; 512]), Err(NBD_EPERM));
    for code in [NBD_CMD_TRIM, NBD_CMD_WRITE_ZEROES] {
        assert_eq!(raw.ask(code, 0, 0, 512, &[]), Err(NBD_EPERM));
    }
    assert_eq!(raw.ask(NBD_CMD_FLUSH, 0, 0, 0, &[]), Ok(vec![]));
    assert_eq!(raw.ask(NBD_CMD_READ, 0, 0, 512, &[]), Ok(vec![0; 512]));
}

#[test]
fn clients_beyond_the_limit_are_hung_up_on_until_one_leaves() {
    let limits = Limits {
        connections_max: 2,
        ..Limits::default()
    };
    let site = Site::with(Arc::new(MemoryExport::new(MIB)), false, limits);
    let (mut first, second) = (Raw::begin(&site), Raw::begin(&site));
    let stream = std::os::unix::net::UnixStream::connect(&site.socket).expect("it listens");
    assert_eq!(site.next_end(), "too many");
    drop((stream, second));
    assert_eq!(site.next_end(), "ok");
    Raw::begin(&site).assert_alive();
    first.assert_alive();
}

#[test]
fn a_client_that_does_not_read_holds_up_nobody_else() {
    let limits = Limits {
        in_flight_max: 64,
        drain: Duration::from_millis(100),
        ..Limits::default()
    };
    // Answers come from the pacer's thread, which all clients share.
    let export = MemoryExport::with_delay(MIB, |_| Duration::from_micros(50));
    let mut site = Site::with(Arc::new(export.expect("a thread")), false, limits);
    let mut deaf = Raw::begin(&site);
    for _ in 0..200 {
        deaf.request(NBD_CMD_READ, 0, 0, 65_536, &[]);
    }
    let mut other = Raw::begin(&site);
    for _ in 0..50 {
        other.assert_alive();
    }
    // Nor does it hold up the end.
    let start = Instant::now();
    site.stop();
    assert!(start.elapsed() < PATIENCE);
    other.assert_closed();
    // Two connections there were, and both have ended.
    for _ in 0..2 {
        site.next_end();
    }
}
