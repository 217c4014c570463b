//! Admission of clients: those that may use the exports, and those that have yet to show a certificate.
//!
//! Where there is TLS, a client is unauthenticated until its handshake is over, and does not count as a client.
//! Connections that are unauthenticated have slots of their own. An address that has its share of them, or else
//! the one that has most, gives one up when another comes: the one that has been waited for longest. Each has a
//! while before that ([`Limits::grace`]), for which a new connection waits to be admitted; so a client that
//! reconnects without end displaces others of its kind, and none that gets on with its handshake.

use super::limits::Limits;
use super::socket::Socket;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Standing of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It may use the exports.
    Client,
    /// It has yet to show a certificate.
    Unauthenticated,
}

#[derive(Default)]
struct Taken {
    /// Clients that may use the exports, by number.
    clients: BTreeMap<u64, Arc<Socket>>,
    unauthenticated: BTreeMap<u64, Unauthenticated>,
    /// Connections whose end is not reported yet.
    untold: usize,
    is_stopping: bool,
}

struct Unauthenticated {
    socket: Arc<Socket>,
    /// Network of the client's address; the same for all that have none.
    from: Option<IpAddr>,
    /// Since when it is waited for: it came, or it began with TLS.
    since: Instant,
    /// It was hung up on for another's sake.
    gave_way: bool,
}

/// The connections that a server has admitted.
pub(super) struct Admission {
    taken: Mutex<Taken>,
    /// A connection ended, or the server stops.
    freed: Condvar,
    limits: Limits,
}

impl Admission {
    pub fn new(limits: Limits) -> Admission {
        Admission {
            taken: Mutex::default(),
            freed: Condvar::new(),
            limits,
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("no panic holds the admission")
    }

    /// Admits a connection; false if there is no room, or the server stops. An unauthenticated one waits until
    /// another has had its while.
    pub fn enter(&self, number: u64, role: Role, socket: &Arc<Socket>) -> bool {
        let mut taken = self.taken();
        let socket = Arc::clone(socket);
        match role {
            Role::Client => {
                if taken.clients.len() >= self.limits.connections_max {
                    return false;
                }
                taken.clients.insert(number, socket);
            }
            Role::Unauthenticated => {
                let from = socket.peer().map(network_of);
                // The wait gives the lock back, so the one that gives way is looked for anew after it.
                while let Some((next, since)) = taken.to_give_way(from, &self.limits) {
                    if taken.is_stopping {
                        return false;
                    }
                    let left = self.limits.grace.saturating_sub(since.elapsed());
                    if left == Duration::ZERO {
                        taken.displace(next);
                    } else {
                        let woken = self.freed.wait_timeout(taken, left);
                        taken = woken.expect("no panic holds the admission").0;
                    }
                }
                let client = Unauthenticated {
                    socket,
                    from,
                    since: Instant::now(),
                    gave_way: false,
                };
                taken.unauthenticated.insert(number, client);
            }
        }
        taken.untold += 1;
        true
    }

    /// Notes that a client begins with TLS: it is waited for anew.
    pub fn begins_tls(&self, number: u64) {
        if let Some(client) = self.taken().unauthenticated.get_mut(&number) {
            client.since = Instant::now();
        }
    }

    /// Makes an unauthenticated connection a client; false if there is no room for one.
    pub fn is_known(&self, number: u64) -> bool {
        let mut taken = self.taken();
        let Some(Unauthenticated { socket, .. }) = taken.unauthenticated.remove(&number) else {
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
        let client = taken.unauthenticated.remove(&number);
        self.freed.notify_all();
        client.is_some_and(|client| client.gave_way)
    }

    /// Takes a connection off the list of those whose end has yet to be reported, also after a panic.
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

    /// Admits nobody any more.
    pub fn stop(&self) {
        self.taken().is_stopping = true;
        self.freed.notify_all();
    }

    /// Ends all connections: first those that wait for requests, then those whose clients do not
    /// take their answers. Those whose export does not answer are left behind.
    pub fn drain(&self) {
        for end in [Socket::stop_reading, Socket::hang_up] {
            let taken = self.taken();
            let unauthenticated = taken.unauthenticated.values().map(|client| &client.socket);
            taken
                .clients
                .values()
                .chain(unauthenticated)
                .for_each(|socket| end(socket));
            let live = |taken: &mut Taken| taken.untold > 0;
            let waited = self
                .freed
                .wait_timeout_while(taken, self.limits.drain, live);
            drop(waited.expect("no panic holds the admission"));
        }
    }
}

impl Taken {
    /// The connection that gives way before another from there comes in, and the instant since which it is
    /// waited for; none if there is room.
    fn to_give_way(&self, from: Option<IpAddr>, limits: &Limits) -> Option<(u64, Instant)> {
        let waiting = || {
            self.unauthenticated
                .iter()
                .filter(|(_, client)| !client.gave_way)
        };
        let mut held: BTreeMap<Option<IpAddr>, usize> = BTreeMap::new();
        for (_, client) in waiting() {
            *held.entry(client.from).or_default() += 1;
        }
        let own = held.get(&from).copied().unwrap_or(0);
        let whose = match own >= limits.unauthenticated_of_address_max {
            true => from,
            false if waiting().count() < limits.unauthenticated_max => return None,
            false => *held.iter().max_by_key(|(_, count)| **count)?.0,
        };
        let longest = waiting().filter(|(_, client)| client.from == whose);
        longest
            .min_by_key(|(_, client)| client.since)
            .map(|(number, client)| (*number, client.since))
    }

    fn displace(&mut self, number: u64) {
        if let Some(client) = self.unauthenticated.get_mut(&number) {
            client.gave_way = true;
            client.socket.hang_up();
        }
    }
}

/// Network that counts as one address: a user of IPv6 has a whole one.
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

    fn admission(grace: Duration) -> Admission {
        Admission::new(Limits {
            unauthenticated_max: 4,
            unauthenticated_of_address_max: 2,
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
        let admission = admission(Duration::ZERO);
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
            assert!(admission.enter(number, Role::Unauthenticated, socket));
        }
        // The first gave way to the fourth, which is of the same address; the third to the sixth, as one of the most.
        let hung_up: Vec<bool> = ends.iter_mut().map(|(_, end)| is_hung_up(end)).collect();
        assert_eq!(hung_up, [true, false, true, false, false, false]);
        assert!(admission.leave(1) && admission.leave(3));
        assert!(!admission.leave(2));
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
        let admission = admission(Duration::ZERO);
        let ends: Vec<_> = (0..9).map(|_| from("10.0.0.1")).collect();
        assert!(admission.enter(0, Role::Unauthenticated, &ends[0].0));
        assert!(admission.is_known(0));
        for number in 1..9 {
            assert!(admission.enter(number, Role::Unauthenticated, &ends[number as usize].0));
        }
        // All places of clients are taken, by one that is there.
        assert!(!admission.is_known(8));
        assert!(!admission.leave(0));
        assert!(admission.enter(9, Role::Client, &ends[0].0));
    }

    #[test]
    fn a_stranger_has_a_while_for_which_who_comes_waits_unless_a_place_comes_free() {
        let admission = admission(Duration::from_secs(3600));
        let mut ends: Vec<_> = (0..4).map(|_| from("10.0.0.1")).collect();
        for number in 0..2 {
            assert!(admission.enter(number, Role::Unauthenticated, &ends[number as usize].0));
        }
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| admission.enter(2, Role::Unauthenticated, &ends[2].0));
            admission.leave(0);
            assert!(waiting.join().expect("no panic"));
            let waiting = scope.spawn(|| admission.enter(3, Role::Unauthenticated, &ends[3].0));
            admission.stop();
            assert!(
                !waiting.join().expect("no panic"),
                "a server that stops takes nobody"
            );
        });
        assert!(!is_hung_up(&mut ends[1].1) && !is_hung_up(&mut ends[2].1));
    }
}
