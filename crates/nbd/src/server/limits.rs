//! Limits on the clients of a server.

use std::time::Duration;

/// Limits on the clients of a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest negotiation; a client that needs more is disconnected.
    pub negotiation: Duration,
    /// Requests of a connection that are not answered yet.
    pub in_flight_max: usize,
    /// Bytes of data of those requests; a single request may have more. They count until the answer is sent.
    pub in_flight_bytes_max: usize,
    /// Bytes of these that a connection has to itself.
    pub own_bytes: usize,
    /// Bytes that all connections together may have beyond that.
    pub shared_bytes_max: usize,
    /// Time that a client has to take its answers, or to send what it announced, while others wait for memory
    /// that it has of [`Limits::shared_bytes_max`]. Then it is disconnected.
    pub patience: Duration,
    /// Clients at once; more are disconnected. Where there is TLS, connections that have not shown a
    /// certificate are not counted.
    pub connections_max: usize,
    /// Connections at once that have yet to show a certificate: when there are more, one that has been waited for longest gives way.
    pub unauthenticated_max: usize,
    /// Number of these that may come from one address.
    pub unauthenticated_of_address_max: usize,
    /// Time that such a connection has, from its first byte and again from the beginning of TLS, before it
    /// gives way.
    pub grace: Duration,
    /// Time that clients have to take their answers when the server stops, and exports, after that, to complete
    /// the rest: a stop takes no longer than twice that.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            negotiation: Duration::from_secs(10),
            in_flight_max: 256,
            in_flight_bytes_max: 64 << 20,
            own_bytes: 2 << 20,
            shared_bytes_max: 256 << 20,
            patience: Duration::from_secs(10),
            connections_max: 64,
            unauthenticated_max: 64,
            unauthenticated_of_address_max: 32,
            grace: Duration::from_millis(500),
            drain: Duration::from_millis(1_500),
        }
    }
}
