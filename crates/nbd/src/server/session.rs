//! TLS over a stream that one thread reads from while others send.
//!
//! What encrypts and decrypts is one state, behind a lock that nobody holds while waiting for the
//! client: the reader waits with ciphertext of its own in hand, and whoever sends gives the stream what it
//! takes. Ciphertext that the stream did not take stays in the state; its plaintext counts as sent only
//! when it is gone, so senders see what they see of a stream that is full.

use super::inbox::Inbox;
use super::stream::Stream;
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, IoSlice, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

#[derive(Debug)]
pub(super) struct Session {
    state: Mutex<State>,
    /// Ciphertext that has arrived. Only the reader takes this lock, and it holds it while it waits.
    arrived: Mutex<Inbox>,
}

#[derive(Debug)]
struct State {
    tls: ServerConnection,
    /// Bytes of plaintext that are encrypted and were not said to be sent, as their ciphertext is not gone.
    unsaid_bytes: usize,
}

impl Session {
    /// The handshake of TLS, until `deadline`. `ahead` is what was read of it already.
    pub fn start(
        stream: &Stream,
        config: &Arc<ServerConfig>,
        mut ahead: Inbox,
        deadline: Instant,
    ) -> io::Result<Session> {
        let tls = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        let mut state = State {
            tls,
            unsaid_bytes: 0,
        };
        loop {
            // Everything goes out before the thread waits for the client, which may be waiting for just that.
            while !state.flush(stream)? {
                stream.wait_for_room(deadline)?;
            }
            if !state.tls.is_handshaking() {
                break;
            }
            if ahead.unread().is_empty() {
                match stream.receive(ahead.room(), Some(deadline))? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => ahead.arrived(count),
                }
            }
            state.decrypt(stream, &mut ahead)?;
        }
        Ok(Session {
            state: Mutex::new(state),
            arrived: Mutex::new(ahead),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds a session")
    }

    /// Receives as [`Stream::receive`], and decrypts.
    pub fn receive(
        &self,
        stream: &Stream,
        into: &mut [u8],
        deadline: Option<Instant>,
    ) -> io::Result<usize> {
        let mut arrived = self.arrived.lock().expect("no panic holds a session");
        loop {
            let (count, is_end) = self.state().read(stream, &mut arrived, into)?;
            if count > 0 || is_end {
                return Ok(count);
            }
            // Without a good-bye: it makes no difference to a client that is gone, as what is whole ends
            // with a message of the protocol within.
            match stream.receive(arrived.room(), deadline)? {
                0 => return Ok(0),
                count => arrived.arrived(count),
            }
        }
    }

    /// As [`Stream::send_some`], encrypted. A call that follows one that sent less than it was given begins
    /// with the same bytes.
    pub fn send_some(&self, stream: &Stream, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.state();
        if state.unsaid_bytes == 0 {
            // No more than a bounded piece of it.
            state.unsaid_bytes = state.tls.writer().write_vectored(parts)?;
        }
        Ok(match state.flush(stream)? {
            true => std::mem::take(&mut state.unsaid_bytes),
            false => 0,
        })
    }

    /// Says that nothing more will come, if that can be said at once.
    pub fn say_good_bye(&self, stream: &Stream) {
        if let Ok(mut state) = self.state.lock() {
            state.tls.send_close_notify();
            // Whoever is gone does not mind.
            let _ = state.flush(stream);
        }
    }
}

impl State {
    /// Decrypts the bytes that have arrived until `into` is full. Returns their number, and true if the client
    /// said that there will be no more.
    fn read(
        &mut self,
        stream: &Stream,
        arrived: &mut Inbox,
        into: &mut [u8],
    ) -> io::Result<(usize, bool)> {
        let mut count = 0;
        while count < into.len() {
            match self.tls.reader().read(&mut into[count..]) {
                Ok(0) => return Ok((count, true)),
                Ok(more) => count += more,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) if arrived.unread().is_empty() => break,
                Err(_) => self.decrypt(stream, arrived)?,
            }
        }
        Ok((count, false))
    }

    /// Decrypts some of what has arrived.
    fn decrypt(&mut self, stream: &Stream, arrived: &mut Inbox) -> io::Result<()> {
        let count = self.tls.read_tls(&mut arrived.unread())?;
        if count == 0 {
            // It has said that there would be no more.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        arrived.take(count);
        if let Err(error) = self.tls.process_new_packets() {
            // The client is told why, if it listens.
            let _ = self.flush(stream);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(())
    }

    /// Sends ciphertext as far as the stream takes it, and says whether that was all of it.
    fn flush(&mut self, stream: &Stream) -> io::Result<bool> {
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut Sent(stream)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// A stream as what is written to without waiting.
struct Sent<'a>(&'a Stream);

impl Write for Sent<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.0.send_some(parts)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            count => Ok(count),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::crypto::ring;
    use rustls::pki_types::{PrivateKeyDer, ServerName};
    use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(20);

    type Client = StreamOwned<ClientConnection, UnixStream>;

    /// Both ends of a session, on a socket that little fits into.
    fn pair() -> (Stream, Session, Client) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("one");
        let chain = vec![made.cert.der().clone()];
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let provider = Arc::new(ring::default_provider());
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(chain.clone(), key);
        let mut roots = RootCertStore::empty();
        roots.add(chain[0].clone()).expect("a certificate");
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").expect("a name");
        let client = ClientConnection::new(Arc::new(client), name).expect("a client");

        let (here, there) = UnixStream::pair().expect("a socket");
        there.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let stream = Stream::unix(here.into());
        let mut client = StreamOwned::new(client, there);
        let session = thread::scope(|scope| {
            let server = Arc::new(server.expect("a server"));
            let deadline = Instant::now() + PATIENCE;
            let stream = &stream;
            let session =
                scope.spawn(move || Session::start(stream, &server, Inbox::new(), deadline));
            client
                .conn
                .complete_io(&mut client.sock)
                .expect("it shakes hands");
            session.join().expect("no panic")
        });
        (stream, session.expect("it shakes hands"), client)
    }

    /// Different everywhere.
    fn data(bytes: usize) -> Vec<u8> {
        let words = (0..bytes as u32 / 4).flat_map(u32::to_le_bytes);
        words.collect()
    }

    #[test]
    fn what_counts_as_sent_needs_nobody_to_send_more() {
        let (stream, session, mut client) = pair();
        let data = data(8 << 20);
        let mut sent = 0;
        let mut received = vec![0; data.len()];
        let mut taken = 0;
        let began = Instant::now();
        while sent < data.len() {
            assert!(began.elapsed() < PATIENCE, "nothing goes out");
            // As small pieces as answers are, until the socket is full.
            loop {
                let end = data.len().min(sent + 5000);
                let count = session.send_some(&stream, &[IoSlice::new(&data[sent..end])]);
                match count.expect("it is there") {
                    0 => break,
                    count => sent += count,
                }
            }
            // All of it arrives, and nobody sends meanwhile.
            client
                .read_exact(&mut received[taken..sent])
                .expect("it arrives");
            taken = sent;
        }
        assert!(received == data, "something else arrives");
    }

    #[test]
    fn one_reads_while_others_send() {
        let (stream, session, mut client) = pair();
        let data = data(4 << 20);
        let (mut here, mut there) = (vec![0; data.len()], vec![0; data.len()]);
        thread::scope(|scope| {
            scope.spawn(|| {
                // It waits for either in turn, so the other end must do both at once.
                for (out, back) in data.chunks(1 << 16).zip(there.chunks_mut(1 << 16)) {
                    client.write_all(out).expect("it reads");
                    client.read_exact(back).expect("it sends");
                }
            });
            scope.spawn(|| {
                let mut sent = 0;
                while sent < data.len() {
                    let part = IoSlice::new(&data[sent..]);
                    match session.send_some(&stream, &[part]).expect("it is there") {
                        0 => stream
                            .wait_for_room(Instant::now() + PATIENCE)
                            .expect("the client reads"),
                        count => sent += count,
                    }
                }
            });
            let mut read = 0;
            while read < here.len() {
                let deadline = Some(Instant::now() + PATIENCE);
                let count = session.receive(&stream, &mut here[read..], deadline);
                read += count.expect("the client sends");
            }
        });
        assert!(here == data && there == data, "something else arrives");
    }
}
