//! Who has a place at the server: clients, and strangers, who have yet to show who they are.
//!
//! Where there is TLS, whoever connects is a stranger until its handshake is over, and takes no place of a client. Strangers have
//! places of their own. An address that has its share of them, or else the one that has most, gives one up when another
//! stranger comes: that of its stranger who has been waited for longest. Everybody has a while before that ([`Limits::grace`]),
//! for which whoever comes waits to be taken up; so who reconnects without end displaces others of its kind, and nobody who
//! gets on with it.

use super::limits::Limits;
use super::socket::Socket;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Who has a place, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// A client.
    Client,
    /// Somebody who has yet to show a certificate.
    Stranger,
}

#[derive(Default)]
struct Taken {
    /// Those that clients may use, by number.
    clients: BTreeMap<u64, Arc<Socket>>,
    strangers: BTreeMap<u64, Stranger>,
    /// Those whose end was not told yet either.
    untold: usize,
    is_stopping: bool,
}

struct Stranger {
    socket: Arc<Socket>,
    /// Where it comes from; one place for all whose address says nothing.
    from: Option<IpAddr>,
    /// Since when it is waited for: it came, or it began with TLS.
    since: Instant,
    /// It was hung up on for another's sake.
    gave_way: bool,
}

/// The places of a server.
pub(super) struct Places {
    taken: Mutex<Taken>,
    /// A place came free, or the server stops.
    freed: Condvar,
    limits: Limits,
}

impl Places {
    pub fn new(limits: Limits) -> Places {
        Places {
            taken: Mutex::default(),
            freed: Condvar::new(),
            limits,
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("no panic holds the places")
    }

    /// Gives a place to whoever has connected; false if there is none, or the server stops. For that of a stranger it waits until
    /// another has had its while.
    pub fn enter(&self, number: u64, standing: Standing, socket: &Arc<Socket>) -> bool {
        let mut taken = self.taken();
        let socket = Arc::clone(socket);
        match standing {
            Standing::Client => {
                if taken.clients.len() >= self.limits.connections_max {
                    return false;
                }
                taken.clients.insert(number, socket);
            }
            Standing::Stranger => {
                let from = socket.peer().map(network_of);
                while let Some((next, since)) = taken.to_give_way(from, &self.limits) {
                    if taken.is_stopping {
                        return false;
                    }
                    let left = self.limits.grace.saturating_sub(since.elapsed());
                    if left == Duration::ZERO {
                        taken.displace(next);
                    } else {
                        let woken = self.freed.wait_timeout(taken, left);
                        taken = woken.expect("no panic holds the places").0;
                    }
                }
                let stranger = Stranger {
                    socket,
                    from,
                    since: Instant::now(),
                    gave_way: false,
                };
                taken.strangers.insert(number, stranger);
            }
        }
        taken.untold += 1;
        true
    }

    /// A stranger begins with TLS: it is waited for anew.
    pub fn begins_tls(&self, number: u64) {
        if let Some(stranger) = self.taken().strangers.get_mut(&number) {
            stranger.since = Instant::now();
        }
    }

    /// A stranger has shown who it is, and takes a place of a client; false if there is none.
    pub fn is_known(&self, number: u64) -> bool {
        let mut taken = self.taken();
        let Some(Stranger { socket, .. }) = taken.strangers.remove(&number) else {
            return true;
        };
        let has_room = taken.clients.len() < self.limits.connections_max;
        if has_room {
            taken.clients.insert(number, socket);
        }
        self.freed.notify_all();
        has_room
    }

    /// A connection has ended; whether it gave way to another.
    pub fn leave(&self, number: u64) -> bool {
        let mut taken = self.taken();
        taken.clients.remove(&number);
        let stranger = taken.strangers.remove(&number);
        self.freed.notify_all();
        stranger.is_some_and(|stranger| stranger.gave_way)
    }

    /// The end of a connection was told.
    pub fn told(&self, number: u64) {
        self.leave(number);
        self.taken().untold -= 1;
        self.freed.notify_all();
    }

    /// Ends the connections of all clients of an export.
    pub fn hang_up(&self, export: usize) {
        let taken = self.taken();
        let clients = taken.clients.values();
        clients
            .filter(|socket| socket.is_of(export))
            .for_each(|socket| socket.hang_up());
    }

    /// Nobody is given a place any more.
    pub fn stop(&self) {
        self.taken().is_stopping = true;
        self.freed.notify_all();
    }

    /// Ends all connections: first those that wait for requests, then those whose clients do not
    /// take their answers. Those whose export does not answer are left behind.
    pub fn drain(&self) {
        for end in [Socket::stop_reading, Socket::hang_up] {
            let taken = self.taken();
            let strangers = taken.strangers.values().map(|stranger| &stranger.socket);
            taken
                .clients
                .values()
                .chain(strangers)
                .for_each(|socket| end(socket));
            let live = |taken: &mut Taken| taken.untold > 0;
            let waited = self
                .freed
                .wait_timeout_while(taken, self.limits.drain, live);
            drop(waited.expect("no panic holds the places"));
        }
    }
}

impl Taken {
    /// Who has to give way before another from there comes in, and since when it is waited for; none if there is room.
    fn to_give_way(&self, from: Option<IpAddr>, limits: &Limits) -> Option<(u64, Instant)> {
        let waiting = || {
            self.strangers
                .iter()
                .filter(|(_, stranger)| !stranger.gave_way)
        };
        let mut held: BTreeMap<Option<IpAddr>, usize> = BTreeMap::new();
        for (_, stranger) in waiting() {
            *held.entry(stranger.from).or_default() += 1;
        }
        let own = held.get(&from).copied().unwrap_or(0);
        let whose = match own >= limits.strangers_of_address_max {
            true => from,
            false if waiting().count() < limits.strangers_max => return None,
            false => *held.iter().max_by_key(|(_, count)| **count)?.0,
        };
        let longest = waiting().filter(|(_, stranger)| stranger.from == whose);
        longest
            .min_by_key(|(_, stranger)| stranger.since)
            .map(|(number, stranger)| (*number, stranger.since))
    }

    fn displace(&mut self, number: u64) {
        if let Some(stranger) = self.strangers.get_mut(&number) {
            stranger.gave_way = true;
            stranger.socket.hang_up();
        }
    }
}

/// What counts as one address: of IPv6, whoever has one has a network of them.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(network.into())
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::stream::Stream;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    /// The other end of a connection from an address.
    fn from(address: &str) -> (Arc<Socket>, UnixStream) {
        let (here, there) = UnixStream::pair().expect("a socket");
        let address = Some(address.parse().expect("an address"));
        (
            Arc::new(Socket::new(Stream::unix(here.into()), address)),
            there,
        )
    }

    fn places(grace: Duration) -> Places {
        Places::new(Limits {
            strangers_max: 4,
            strangers_of_address_max: 2,
            connections_max: 1,
            grace,
            ..Limits::default()
        })
    }

    fn is_hung_up(end: &mut UnixStream) -> bool {
        end.set_nonblocking(true).expect("a socket");
        end.read(&mut [0]).is_ok_and(|count| count == 0)
    }

    #[test]
    fn the_longest_waiting_of_an_address_with_its_share_gives_way_and_nobody_elses() {
        let places = places(Duration::ZERO);
        let addresses = [
            "10.0.0.1",
            "10.0.0.2",
            "10.0.0.1",
            "::ffff:10.0.0.1",
            "10.0.0.3",
            "10.0.0.4",
        ];
        let mut ends: Vec<_> = addresses.map(from).into_iter().collect();
        for (number, (socket, _)) in (1..).zip(&ends) {
            assert!(places.enter(number, Standing::Stranger, socket));
        }
        // The first gave way to the fourth, which is of the same address; the third to the sixth, as one of the most.
        let hung_up: Vec<bool> = ends.iter_mut().map(|(_, end)| is_hung_up(end)).collect();
        assert_eq!(hung_up, [true, false, true, false, false, false]);
        assert!(places.leave(1) && places.leave(3));
        assert!(!places.leave(2));
    }

    #[test]
    fn addresses_of_one_network_have_one_share() {
        let network = |address: &str| network_of(address.parse().expect("an address"));
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
    }

    #[test]
    fn who_is_known_has_a_place_that_no_stranger_takes() {
        let places = places(Duration::ZERO);
        let ends: Vec<_> = (0..9).map(|_| from("10.0.0.1")).collect();
        assert!(places.enter(0, Standing::Stranger, &ends[0].0));
        assert!(places.is_known(0));
        for number in 1..9 {
            assert!(places.enter(number, Standing::Stranger, &ends[number as usize].0));
        }
        // All places of clients are taken, by one that is there.
        assert!(!places.is_known(8));
        assert!(!places.leave(0));
        assert!(places.enter(9, Standing::Client, &ends[0].0));
    }

    #[test]
    fn a_stranger_has_a_while_for_which_who_comes_waits_unless_a_place_comes_free() {
        let places = places(Duration::from_secs(3600));
        let mut ends: Vec<_> = (0..4).map(|_| from("10.0.0.1")).collect();
        for number in 0..2 {
            assert!(places.enter(number, Standing::Stranger, &ends[number as usize].0));
        }
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| places.enter(2, Standing::Stranger, &ends[2].0));
            places.leave(0);
            assert!(waiting.join().expect("no panic"));
            let waiting = scope.spawn(|| places.enter(3, Standing::Stranger, &ends[3].0));
            places.stop();
            assert!(
                !waiting.join().expect("no panic"),
                "a server that stops takes nobody"
            );
        });
        assert!(!is_hung_up(&mut ends[1].1) && !is_hung_up(&mut ends[2].1));
    }
}
