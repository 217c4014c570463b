//! Memory that clients hold: each a bounded share, and none of what others need for small requests.

use crate::order::{Held, next};
use crate::pki::Pki;
use crate::raw::Raw;
use crate::tls::{begin, client, credentials};
use crate::{MIB, PATIENCE, Site};
use ftlab_nbd::protocol::constants::{NBD_CMD_READ, NBD_CMD_WRITE};
use ftlab_nbd::{Limits, MemoryExport};
use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const KIB: usize = 1 << 10;

/// A mebibyte for all, and little patience.
const LIMITS: Limits = Limits {
    negotiation: Duration::from_secs(10),
    in_flight_max: 256,
    in_flight_bytes_max: 64 << 20,
    own_bytes: 64 * KIB,
    shared_bytes_max: 1 << 20,
    patience: Duration::from_millis(100),
    connections_max: 64,
    unauthenticated_max: 64,
    unauthenticated_of_address_max: 32,
    grace: Duration::from_millis(500),
    drain: Duration::from_millis(100),
};

#[test]
fn what_all_clients_hold_is_bounded_and_small_requests_go_past() {
    const CLIENTS: usize = 4;
    const REQUESTS: usize = 16;
    const LARGE: u32 = 128 << 10;
    let limits = Limits {
        patience: PATIENCE,
        ..LIMITS
    };
    let (held, requests) = Held::new();
    let site = Site::with(held, false, limits);
    let mut small = Raw::begin(&site);
    let clients = (0..CLIENTS).map(|_| {
        let mut raw = Raw::begin(&site);
        thread::spawn(move || {
            for _ in 0..REQUESTS {
                raw.request(NBD_CMD_READ, 0, 0, LARGE, &[]);
            }
            for _ in 0..REQUESTS {
                assert_eq!(raw.answer().1.map(|data| data.len()), Ok(LARGE as usize));
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    let mut answered = 0;
    while answered < CLIENTS * REQUESTS {
        let mut in_flight = vec![next(&requests)];
        while let Ok(request) = requests.recv_timeout(Duration::from_millis(50)) {
            in_flight.push(request);
        }
        // Nobody waits for memory of his own.
        small.request(NBD_CMD_READ, 0, 0, 4096, &[]);
        loop {
            let request = next(&requests);
            if request.length_bytes() == 4096 {
                request.complete(Ok(()));
                break;
            }
            in_flight.push(request);
        }
        assert_eq!(small.answer().1, Ok(vec![0; 4096]));
        let bytes = in_flight.len() * LARGE as usize;
        let most = limits.shared_bytes_max + CLIENTS * limits.own_bytes;
        assert!(bytes <= most, "{bytes} bytes are held");
        answered += in_flight.len();
        for request in in_flight {
            request.complete(Ok(()));
        }
    }
    for client in clients {
        client.join().expect("it is answered");
    }
}

#[test]
fn a_deep_queue_of_small_requests_waits_for_its_own_answers_alone() {
    let limits = Limits {
        patience: PATIENCE,
        ..LIMITS
    };
    let (held, requests) = Held::new();
    let site = Site::with(held, false, limits);
    // One has most of the memory, and another waits for as much.
    let (mut first, mut second) = (Raw::begin(&site), Raw::begin(&site));
    asks_for(&mut first, 1);
    let large = next(&requests);
    asks_for(&mut second, 1);
    let mut deep = Raw::begin(&site);
    for _ in 0..64 {
        deep.request(NBD_CMD_READ, 0, 0, 4096, &[]);
    }
    for _ in 0..64 {
        let small = next(&requests);
        assert_eq!(small.length_bytes(), 4096);
        small.complete(Ok(()));
        assert_eq!(deep.answer().1, Ok(vec![0; 4096]));
    }
    large.complete(Ok(()));
    assert_eq!(first.answer().1.map(|data| data.len()), Ok(MIB as usize));
    next(&requests).complete(Ok(()));
    assert_eq!(second.answer().1.map(|data| data.len()), Ok(MIB as usize));
}

fn asks_for<S: Read + Write>(raw: &mut Raw<S>, requests: usize) {
    for _ in 0..requests {
        raw.request(NBD_CMD_READ, 0, 0, MIB as u32, &[]);
    }
}

/// A client that has memory lie goes when others wait for it, and not before.
fn gives_way<S: Read + Write>(site: &Site, other: &mut Raw<S>) {
    thread::sleep(3 * LIMITS.patience);
    let ended = site.ends.lock().expect("one test, one thread").try_recv();
    assert!(ended.is_err(), "{ended:?}, though nobody waits");
    asks_for(other, 1);
    assert_eq!(other.answer().1.map(|data| data.len()), Ok(MIB as usize));
    assert!(site.next_end().contains("others wait for the memory"));
}

#[test]
fn a_client_that_does_not_read_gives_way_to_those_who_wait_for_memory() {
    let site = Site::with(Arc::new(MemoryExport::new(64 * MIB)), false, LIMITS);
    let (mut deaf, mut other) = (Raw::begin(&site), Raw::begin(&site));
    asks_for(&mut deaf, 16);
    gives_way(&site, &mut other);
}

#[test]
fn a_client_that_sends_half_a_write_gives_way_to_those_who_wait_for_memory() {
    let site = Site::with(Arc::new(MemoryExport::new(64 * MIB)), false, LIMITS);
    let (mut half, mut other) = (Raw::begin(&site), Raw::begin(&site));
    half.request(NBD_CMD_WRITE, 0, 0, MIB as u32, &vec![1; 512 * KIB]);
    gives_way(&site, &mut other);
}

#[test]
fn within_tls_it_is_the_same() {
    let mut pki = Pki::new("authority");
    let export = Arc::new(MemoryExport::new(64 * MIB));
    let site = Site::with_tls(credentials(&pki.server()), export, LIMITS);
    let config = client(&pki.client("client"));
    let mut other = begin(&site, &config, true);
    let mut deaf = begin(&site, &config, true);
    asks_for(&mut deaf, 16);
    gives_way(&site, &mut other);
    let mut half = begin(&site, &config, true);
    half.request(NBD_CMD_WRITE, 0, 0, MIB as u32, &vec![1; 512 * KIB]);
    gives_way(&site, &mut other);
}
