//! What clients say before TLS, instead of it and within it; and clients that do not read.

use super::{begin, client, credentials, serve};
use crate::pki::Pki;
use crate::programs::run;
use crate::raw::Raw;
use crate::{MIB, PATIENCE, Site};
use ftlab_nbd::protocol::constants::{
    NBD_CMD_READ, NBD_CMD_WRITE, NBD_OPT_ABORT, NBD_OPT_EXPORT_NAME, NBD_OPT_GO, NBD_OPT_LIST,
    NBD_OPT_STARTTLS, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK, NBD_REP_ERR_INVALID,
    NBD_REP_ERR_TLS_REQD,
};
use ftlab_nbd::protocol::{OPTION_BYTES_MAX, OptionHeader};
use ftlab_nbd::{Limits, MemoryExport};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn in_the_open_everything_but_tls_and_the_end_is_refused() {
    let mut pki = Pki::new("authority");
    let site = serve(&pki.server(), MIB);
    let plain = format!("nbd://{}", site.address.expect("a port"));
    for (tool, before, why) in [
        ("nbdinfo", &[][..], "not supported"),
        (
            "qemu-img",
            &["info", "-f", "raw"],
            "TLS negotiation required",
        ),
    ] {
        let output = run(tool, &[before, &[plain.as_str()]].concat());
        assert!(!output.status.success(), "{tool}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(why), "{tool}: {error}");
    }

    let mut raw = Raw::connect_tcp(&site);
    raw.client_flags();
    let long = vec![0; OPTION_BYTES_MAX as usize + 1];
    for (code, data) in [
        (NBD_OPT_GO, &[0; 6][..]),
        (NBD_OPT_GO, &[9, 9, 9, 9]),
        (NBD_OPT_GO, &long),
        (NBD_OPT_LIST, &[]),
        (NBD_OPT_STRUCTURED_REPLY, &[]),
        (0x1234_5678, b"what?"),
    ] {
        raw.option(code, data);
        assert_eq!(raw.option_reply().0, NBD_REP_ERR_TLS_REQD, "{code}");
    }
    raw.option(NBD_OPT_STARTTLS, &[1]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.option(NBD_OPT_ABORT, &[]);
    assert_eq!(raw.option_reply().0, NBD_REP_ACK);
    raw.assert_closed();

    // This one knows no error.
    let mut raw = Raw::connect_tcp(&site);
    raw.client_flags();
    raw.option(NBD_OPT_EXPORT_NAME, &[]);
    raw.assert_closed();
}

#[test]
fn within_tls_the_negotiation_begins_anew_and_knows_no_second_tls() {
    let mut pki = Pki::new("authority");
    let site = serve(&pki.server(), MIB);
    let config = client(&pki.client("client"));
    let mut raw = Raw::connect_tcp(&site);
    raw.client_flags();
    // Whoever sits between could say this; it must not hold for the client that comes after.
    raw.option(NBD_OPT_STRUCTURED_REPLY, &[]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_TLS_REQD);
    let mut raw = raw.start_tls(&config);
    raw.option(NBD_OPT_STARTTLS, &[]);
    assert_eq!(raw.option_reply().0, NBD_REP_ERR_INVALID);
    raw.option(NBD_OPT_LIST, &[]);
    assert!(raw.option_reply().1.ends_with(b"diskmemory"));
    assert_eq!(raw.option_reply().0, NBD_REP_ACK);
    raw.go();
    // A simple reply has 16 bytes.
    let cookie = raw.request(NBD_CMD_READ, 0, 0, 512, &[]);
    let head: [u8; 16] = raw.array();
    assert_eq!(head[8..], cookie.to_be_bytes());
}

#[test]
fn nonsense_and_silence_within_the_handshake_end_that_connection_only() {
    let mut pki = Pki::new("authority");
    let limits = Limits {
        negotiation: Duration::from_millis(600),
        ..Limits::default()
    };
    let export = Arc::new(MemoryExport::new(MIB));
    let site = Site::with_tls(credentials(&pki.server()), export, limits);
    let mut other = begin(&site, &client(&pki.client("client")), true);
    let start = || {
        let mut raw = Raw::connect_tcp(&site);
        raw.client_flags();
        raw.option(NBD_OPT_STARTTLS, &[]);
        assert_eq!(raw.option_reply().0, NBD_REP_ACK);
        raw
    };
    let list = OptionHeader {
        code: NBD_OPT_LIST,
        length_bytes: 0,
    };
    for (bytes, why) in [
        // Nonsense; an option as if nothing had been agreed on; a good-bye.
        (&[0x55; 4096][..], "TLS: "),
        (&list.encode(), "TLS: "),
        (&[21, 3, 3, 0, 2, 1, 0], "amid a message"),
        // A record that does not come whole, and none.
        (&[22, 3, 1, 2, 0, 1, 0], "too long"),
        (&[], "too long"),
    ] {
        let began = Instant::now();
        let mut raw = start();
        raw.send(bytes);
        if why == "amid a message" {
            raw.stream.shutdown(Shutdown::Write).expect("a socket");
        }
        let end = site.next_end();
        assert!(end.contains(why), "{bytes:?}: {end}");
        assert!(began.elapsed() < PATIENCE / 2);
    }
    // An option that comes with the request for TLS is no option of a client within it.
    let mut raw = Raw::connect_tcp(&site);
    raw.client_flags();
    let starts = OptionHeader {
        code: NBD_OPT_STARTTLS,
        length_bytes: 0,
    };
    raw.send(&[starts.encode(), list.encode()].concat());
    assert_eq!(raw.option_reply().0, NBD_REP_ACK);
    assert!(site.next_end().starts_with("TLS: "));
    // A handshake that goes on, a byte at a time.
    let mut slow = start();
    let began = Instant::now();
    for byte in [22, 3, 1, 63, 0].into_iter().chain(std::iter::repeat(1)) {
        if slow.stream.write_all(&[byte]).is_err() {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "the server listens on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let end = site.next_end();
    assert!(
        end.contains("too long") || end.starts_with("TLS: "),
        "{end}"
    );
    other.assert_alive();
}

#[test]
fn strangers_without_a_certificate_take_no_place_of_a_client() {
    let mut pki = Pki::new("authority");
    let limits = Limits {
        connections_max: 2,
        unauthenticated_max: 4,
        unauthenticated_of_address_max: 2,
        grace: Duration::ZERO,
        ..Limits::default()
    };
    let export = Arc::new(MemoryExport::new(MIB));
    let site = Site::with_tls(credentials(&pki.server()), export, limits);
    let config = client(&pki.client("client"));
    let mut first = begin(&site, &config, true);
    // Far more than there are places of either kind.
    let mut strangers = Vec::new();
    for n in 0..12 {
        let mut raw = Raw::connect_tcp(&site);
        raw.client_flags();
        raw.option(NBD_OPT_STARTTLS, &[]);
        assert_eq!(raw.option_reply().0, NBD_REP_ACK);
        strangers.push(raw);
        // This address has its share, and each takes the place of the one before the last.
        if n >= 2 {
            assert!(site.next_end().contains("made room for others"));
        }
    }
    let mut second = begin(&site, &config, true);
    assert!(site.next_end().contains("made room for others"));
    first.assert_alive();
    second.assert_alive();
    // The places of clients are taken by clients.
    let mut raw = Raw::connect_tcp(&site);
    raw.client_flags();
    let mut third = raw.start_tls(&config);
    let _ = third.stream.flush();
    assert!(!matches!(third.stream.read(&mut [0]), Ok(1..)));
    let end = site.next_end();
    assert!(end.contains("as many clients as may be"), "{end}");
    drop(first);
    assert_eq!(site.next_end(), "ok");
    begin(&site, &config, true).assert_alive();
    second.assert_alive();
    drop(strangers);
}

#[test]
fn a_deep_queue_is_answered_to_a_client_that_reads_late() {
    const COUNT: u64 = 200;
    let mut pki = Pki::new("authority");
    let limits = Limits {
        in_flight_max: 64,
        ..Limits::default()
    };
    // Answers come from the pacer's thread, and what the socket does not take from the writer's.
    let export = MemoryExport::with_delay(16 * MIB, |_| Duration::from_micros(50));
    let export = Arc::new(export.expect("a thread"));
    let site = Site::with_tls(credentials(&pki.server()), export, limits);
    let config = client(&pki.client("client"));
    let mut raw = begin(&site, &config, true);
    let data = |n: u64| -> Vec<u8> {
        let words = (0..65_536 / 8).map(|word| (word << 32) + n + 1);
        words.flat_map(u64::to_le_bytes).collect()
    };
    for n in 0..COUNT {
        let answer = raw.ask(NBD_CMD_WRITE, 0, n * 65_536, 65_536, &data(n));
        assert_eq!(answer, Ok(vec![]));
    }
    let first = raw.request(NBD_CMD_READ, 0, 0, 65_536, &[]);
    for n in 1..COUNT {
        raw.request(NBD_CMD_READ, 0, n * 65_536, 65_536, &[]);
    }
    // Meanwhile others are served.
    let mut other = begin(&site, &config, false);
    for _ in 0..50 {
        other.assert_alive();
    }
    for _ in 0..COUNT {
        let (cookie, result) = raw.answer();
        let n = cookie - first;
        assert!(result == Ok(data(n)), "request {n} has other data");
    }
    raw.assert_alive();
}

#[test]
fn a_client_within_tls_that_does_not_read_does_not_hold_up_the_end() {
    let mut pki = Pki::new("authority");
    let limits = Limits {
        drain: Duration::from_millis(100),
        ..Limits::default()
    };
    let export = Arc::new(MemoryExport::new(MIB));
    let mut site = Site::with_tls(credentials(&pki.server()), export, limits);
    let config = client(&pki.client("client"));
    let mut deaf = begin(&site, &config, true);
    for _ in 0..200 {
        deaf.request(NBD_CMD_READ, 0, 0, 65_536, &[]);
    }
    let mut idle = begin(&site, &config, true);
    idle.assert_alive();
    let began = Instant::now();
    site.stop();
    assert!(began.elapsed() < PATIENCE);
    // It hears that this is the end, and not that somebody cut the line.
    assert_eq!(idle.stream.read(&mut [0]).expect("a good-bye"), 0);
    for _ in 0..2 {
        site.next_end();
    }
}
