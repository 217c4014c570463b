//! Many requests in flight, answered out of order and from many threads.

use crate::raw::Raw;
use crate::{MIB, PATIENCE, Site};
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{
    NBD_CMD_BLOCK_STATUS, NBD_CMD_CACHE, NBD_CMD_DISC, NBD_CMD_FLAG_FAST_ZERO, NBD_CMD_FLAG_FUA,
    NBD_CMD_FLAG_NO_HOLE, NBD_CMD_FLAG_REQ_ONE, NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_TRIM,
    NBD_CMD_WRITE, NBD_CMD_WRITE_ZEROES, NBD_EIO, NBD_ENOTSUP,
};
use ftlab_nbd::{Command, Completions, Export, Extents, Features, Limits, MemoryExport, Request};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Hands requests to the test, which answers them.
pub struct Held(Mutex<mpsc::Sender<Request>>);

impl Held {
    pub fn new() -> (Arc<Held>, mpsc::Receiver<Request>) {
        let (sender, receiver) = mpsc::channel();
        (Arc::new(Held(Mutex::new(sender))), receiver)
    }
}

impl Export for Held {
    fn size_bytes(&self) -> u64 {
        1 << 40
    }

    fn features(&self) -> Features {
        Features {
            rotational: true,
            trim: true,
            fast_zero: true,
        }
    }

    fn description(&self) -> String {
        "held".into()
    }

    fn submit(&self, request: Request) {
        let sender = self.0.lock().expect("no panic");
        sender.send(request).expect("the test listens");
    }

    fn block_status(&self, _: u64, _: &mut Extents) {}
}

pub fn next(requests: &mpsc::Receiver<Request>) -> Request {
    requests.recv_timeout(PATIENCE).expect("a request arrives")
}

#[test]
fn answers_leave_when_due_and_not_in_the_order_of_requests() {
    // The first of four takes longest.
    let delay = |request: &Request| Duration::from_millis(40 - request.offset_bytes() / 512 * 10);
    let export = MemoryExport::with_delay(MIB, delay).expect("a thread");
    let site = Site::of(Arc::new(export));
    let mut raw = Raw::begin(&site);
    let start = Instant::now();
    let sent: Vec<u64> = (0..4)
        .map(|i| raw.request(NBD_CMD_READ, 0, i * 512, 512, &[]))
        .collect();
    for (i, cookie) in sent.iter().enumerate().rev() {
        let (answered, data) = raw.answer();
        assert_eq!((answered, data), (*cookie, Ok(vec![0; 512])));
        assert!(start.elapsed() >= Duration::from_millis(40 - 10 * i as u64));
    }
}

#[test]
fn what_the_client_says_reaches_the_export() {
    let (held, requests) = Held::new();
    let site = Site::of(held);
    let mut raw = Raw::begin(&site);
    let wanted = [
        (NBD_CMD_READ, 0, 512, 1024, Command::Read),
        (NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, 4096, 512, Command::Write),
        (NBD_CMD_TRIM, NBD_CMD_FLAG_FUA, 0, 1 << 31, Command::Trim),
        (
            NBD_CMD_WRITE_ZEROES,
            NBD_CMD_FLAG_NO_HOLE,
            0,
            512,
            Command::WriteZeroes,
        ),
        (
            NBD_CMD_WRITE_ZEROES,
            NBD_CMD_FLAG_FAST_ZERO,
            512,
            512,
            Command::WriteZeroes,
        ),
        (NBD_CMD_CACHE, 0, 1 << 30, 4096, Command::Cache),
        (NBD_CMD_FLUSH, 0, 0, 0, Command::Flush),
    ];
    for (code, flags, offset, length, command) in wanted {
        let data = if command == Command::Write {
            vec![9; 512]
        } else {
            vec![]
        };
        raw.request(code, flags, offset, length, &data);
        let mut request = next(&requests);
        assert_eq!(request.command(), command);
        assert_eq!(
            (request.offset_bytes(), request.length_bytes()),
            (offset, length)
        );
        assert_eq!(request.fua(), flags & NBD_CMD_FLAG_FUA != 0);
        assert_eq!(request.no_hole(), flags & NBD_CMD_FLAG_NO_HOLE != 0);
        assert_eq!(request.fast_zero(), flags & NBD_CMD_FLAG_FAST_ZERO != 0);
        assert!(request.arrived_at() <= Instant::now());
        if command == Command::Write {
            assert_eq!(request.data(), data);
        }
        if command == Command::Read {
            request.data_mut().fill(3);
        }
        request.complete(Ok(()));
        let read = if command == Command::Read {
            vec![3; 1024]
        } else {
            vec![]
        };
        assert_eq!(raw.answer().1, Ok(read));
    }
    // An export that says nothing of what is stored, and one that loses a request.
    assert_eq!(raw.ask(NBD_CMD_BLOCK_STATUS, 0, 0, 512, &[]), Err(NBD_EIO));
    raw.request(NBD_CMD_FLUSH, 0, 0, 0, &[]);
    drop(next(&requests));
    assert_eq!(raw.answer().1, Err(NBD_EIO));
}

#[test]
fn requests_in_flight_are_bounded_in_number_and_in_bytes() {
    for (in_flight_max, in_flight_bytes_max, length) in [(5, 1 << 30, 512), (100, 5 << 12, 4096)] {
        let (held, requests) = Held::new();
        let limits = Limits {
            in_flight_max,
            in_flight_bytes_max,
            ..Limits::default()
        };
        let site = Site::with(held, false, limits);
        let mut raw = Raw::begin(&site);
        let mut cookies: BTreeSet<u64> = (0..20)
            .map(|_| raw.request(NBD_CMD_READ, 0, 0, length, &[]))
            .collect();
        let mut held: Vec<Request> = (0..5).map(|_| next(&requests)).collect();
        let more = requests.recv_timeout(Duration::from_millis(50));
        assert!(more.is_err(), "a sixth request in flight");
        for _ in 0..20 {
            let request = held.pop().unwrap_or_else(|| next(&requests));
            request.complete(Ok(()));
            assert!(cookies.remove(&raw.answer().0));
        }
        // A request larger than the bound is in flight alone.
        let large = raw.request(NBD_CMD_READ, 0, 0, 1 << 20, &[]);
        next(&requests).complete(Ok(()));
        assert_eq!(raw.answer().0, large);
    }
}

#[test]
fn requests_that_pile_up_are_read_as_they_were_sent() {
    // More than the server reads ahead, and its buffer is no multiple of a request's length.
    const COUNT: u64 = 15_000;
    let site = Site::memory(MIB);
    let mut raw = Raw::begin(&site);
    let mut bytes = Vec::new();
    // Neighbours differ from their first bytes on.
    let code = |cookie: u64| match cookie % 3 {
        0 => NBD_CMD_READ,
        _ => NBD_CMD_CACHE,
    };
    for cookie in 0..COUNT {
        let header = RequestHeader {
            flags: 0,
            code: code(cookie),
            cookie,
            offset_bytes: cookie % 2048 * 512,
            length_bytes: 512,
        };
        bytes.extend(header.encode());
    }
    let mut sender = raw.stream.try_clone().expect("a socket");
    thread::scope(|scope| {
        scope.spawn(move || sender.write_all(&bytes));
        for cookie in 0..COUNT {
            let length = if code(cookie) == NBD_CMD_READ { 512 } else { 0 };
            assert_eq!(raw.answer(), (cookie, Ok(vec![0; length])));
        }
    });
}

#[test]
fn answers_of_many_threads_do_not_mix() {
    let (held, requests) = Held::new();
    let requests = Arc::new(Mutex::new(requests));
    let site = Site::of(held);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let requests = Arc::clone(&requests);
            thread::spawn(move || {
                loop {
                    let request = requests.lock().expect("no panic").recv();
                    let Ok(mut first) = request else {
                        return;
                    };
                    let fill = |request: &mut Request| {
                        let byte = (request.offset_bytes() / 4096) as u8;
                        request.data_mut().fill(byte);
                    };
                    // Several at once, unless somebody waits for requests already; and singly.
                    let more: Vec<Request> = match requests.try_lock() {
                        Ok(requests) => requests.try_iter().take(5).collect(),
                        Err(_) => Vec::new(),
                    };
                    let mut completions = Completions::default();
                    for mut request in more {
                        fill(&mut request);
                        completions.complete(request, Ok(()));
                    }
                    drop(completions);
                    fill(&mut first);
                    first.complete(Ok(()));
                }
            })
        })
        .collect();
    thread::scope(|scope| {
        for length in [512, 4096, 65_536] {
            let site = &site;
            scope.spawn(move || {
                let mut raw = Raw::begin(site);
                let mut in_flight = std::collections::BTreeMap::new();
                for i in 0..600_u64 {
                    let cookie = raw.request(NBD_CMD_READ, 0, i * 4096, length, &[]);
                    in_flight.insert(cookie, i as u8);
                    if in_flight.len() == 100 {
                        // More than a socket holds, so that the writer has its turn.
                        for _ in 0..100 {
                            let (cookie, data) = raw.answer();
                            let byte = in_flight.remove(&cookie).expect("asked for once");
                            assert_eq!(data, Ok(vec![byte; length as usize]));
                        }
                    }
                }
            });
        }
    });
    drop(site);
    for worker in workers {
        worker.join().expect("no panic");
    }
}

#[test]
fn connections_see_each_other_s_writes_and_holes() {
    let site = Site::memory(MIB);
    let (mut a, mut b) = (Raw::begin(&site), Raw::begin_simple(&site));
    assert_eq!(
        a.ask(NBD_CMD_WRITE, 0, 65_536, 4096, &[5; 4096]),
        Ok(vec![])
    );
    assert_eq!(a.ask(NBD_CMD_FLUSH, 0, 0, 0, &[]), Ok(vec![]));
    assert_eq!(b.ask(NBD_CMD_READ, 0, 65_536, 4096, &[]), Ok(vec![5; 4096]));

    let extent = |length: u32, flags: u32| [length.to_be_bytes(), flags.to_be_bytes()].concat();
    let status =
        |raw: &mut Raw, flags| raw.ask(NBD_CMD_BLOCK_STATUS, flags, 512, (1 << 20) - 512, &[]);
    let all = [extent(65_024, 3), extent(65_536, 0), extent(917_504, 3)].concat();
    assert_eq!(status(&mut a, 0), Ok(all));
    assert_eq!(status(&mut a, NBD_CMD_FLAG_REQ_ONE), Ok(extent(65_024, 3)));

    assert_eq!(b.ask(NBD_CMD_TRIM, 0, 0, 1 << 20, &[]), Ok(vec![]));
    assert_eq!(status(&mut a, 0), Ok(extent((1 << 20) - 512, 3)));
    let both = NBD_CMD_FLAG_NO_HOLE | NBD_CMD_FLAG_FAST_ZERO;
    assert_eq!(
        b.ask(NBD_CMD_WRITE_ZEROES, both, 0, 512, &[]),
        Err(NBD_ENOTSUP)
    );
    assert_eq!(
        b.ask(NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_NO_HOLE, 0, 512, &[]),
        Ok(vec![])
    );
    let all = [extent(65_024, 0), extent(983_040, 3)].concat();
    assert_eq!(status(&mut a, 0), Ok(all));
}

#[test]
fn a_good_bye_waits_for_what_is_in_flight() {
    let (held, requests) = Held::new();
    let site = Site::of(held);
    let mut raw = Raw::begin(&site);
    let cookie = raw.request(NBD_CMD_FLUSH, 0, 0, 0, &[]);
    raw.request(NBD_CMD_DISC, 0, 0, 0, &[]);
    let request = next(&requests);
    thread::sleep(Duration::from_millis(20));
    request.complete(Ok(()));
    assert_eq!(raw.answer(), (cookie, Ok(vec![])));
    raw.assert_closed();
    assert_eq!(site.next_end(), "ok");
}

#[test]
fn a_stop_answers_what_is_in_flight_and_takes_no_more() {
    let (held, requests) = Held::new();
    let mut site = Site::of(held);
    let mut raw = Raw::begin(&site);
    let cookie = raw.request(NBD_CMD_FLUSH, 0, 0, 0, &[]);
    let request = next(&requests);
    let socket = site.socket.clone();
    thread::scope(|scope| {
        scope.spawn(|| site.stop());
        thread::sleep(Duration::from_millis(20));
        request.complete(Ok(()));
        assert_eq!(raw.answer(), (cookie, Ok(vec![])));
        raw.assert_closed();
    });
    assert!(!socket.exists(), "the socket is left behind");
}

/// As the connections of a machine that loses its power do.
#[test]
fn connections_can_be_ended_while_the_server_goes_on() {
    let site = Site::memory(MIB);
    let mut clients = [Raw::begin(&site), Raw::begin(&site)];
    clients.iter_mut().for_each(Raw::assert_alive);
    let server = site.server.as_ref().expect("it runs");
    server.stop_handle().hang_up(0);
    clients.iter_mut().for_each(Raw::assert_closed);
    Raw::begin(&site).assert_alive();
}
