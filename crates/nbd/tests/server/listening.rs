//! Where a server listens, and where it does not.

use crate::raw::Raw;
use crate::{MIB, Site};
use ftlab_nbd::{
    BlockSizes, Export, Extents, Features, Limits, Listen, MemoryExport, NamedExport, Request,
    Server, ServerError,
};
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixListener;
use std::sync::Arc;

fn exports() -> Vec<NamedExport> {
    vec![NamedExport {
        name: "disk".into(),
        read_only: false,
        export: Arc::new(MemoryExport::new(MIB)),
    }]
}

fn start(listen: &Listen) -> Result<Server, ServerError> {
    Server::start(listen, exports(), Limits::default(), |_, _| {})
}

#[test]
fn loopback_is_served_and_other_addresses_only_when_said_so() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let server = start(&Listen::Loopback(address.parse().expect("an address")));
        let server = match server {
            Ok(server) => server,
            // A machine may have no IPv6.
            Err(ServerError::Bind { source, .. }) if address.starts_with('[') => {
                println!("skipped: {source}");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let Listen::Loopback(bound) = *server.listen() else {
            panic!("{}", server.listen());
        };
        let mut stream = TcpStream::connect(bound).expect("it listens");
        let mut magic = [0; 8];
        stream.read_exact(&mut magic).expect("a greeting");
        assert_eq!(&magic, b"NBDMAGIC");
    }
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:10809"] {
        let address: SocketAddr = address.parse().expect("an address");
        match start(&Listen::Loopback(address)) {
            Err(ServerError::LeavesTheMachine(refused)) => assert_eq!(refused, address),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("{address} is served"),
        }
    }
}

#[test]
fn a_socket_left_behind_is_replaced_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nbd.sock");
    // Closing a listener leaves its file.
    drop(UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists());
    let listen = Listen::Unix(path.clone());
    let first = start(&listen).expect("the old socket is nobody's");
    assert!(matches!(start(&listen), Err(ServerError::Bind { .. })));
    drop(first);
    assert!(!path.exists());

    std::fs::write(&path, "no socket").expect("a file");
    assert!(matches!(start(&listen), Err(ServerError::Bind { .. })));
    assert_eq!(std::fs::read(&path).expect("the file"), b"no socket");
}

/// A device of any size and blocks.
struct Odd(u64, BlockSizes);

impl Export for Odd {
    fn size_bytes(&self) -> u64 {
        self.0
    }
    fn block_sizes(&self) -> BlockSizes {
        self.1
    }
    fn features(&self) -> Features {
        Features::default()
    }
    fn description(&self) -> String {
        "odd".into()
    }
    fn submit(&self, request: Request) {
        request.complete(Ok(()));
    }
    fn block_status(&self, _: u64, _: &mut Extents) {}
}

#[test]
fn exports_that_the_protocol_cannot_describe_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let listen = Listen::Unix(folder.path().join("nbd.sock"));
    let sizes = |minimum_bytes, preferred_bytes, maximum_bytes| BlockSizes {
        minimum_bytes,
        preferred_bytes,
        maximum_bytes,
    };
    for (size, sizes, is_lawful) in [
        (MIB, sizes(512, 4096, 32 << 20), true),
        (1000, sizes(512, 4096, 32 << 20), false),
        (0, sizes(512, 4096, 32 << 20), false),
        (MIB, sizes(0, 4096, 32 << 20), false),
        (MIB, sizes(513, 4096, 32 << 20), false),
        (MIB, sizes(4096, 512, 32 << 20), false),
        (MIB, sizes(512, 4096, 1000), false),
    ] {
        let exports = vec![NamedExport {
            name: String::new(),
            read_only: false,
            export: Arc::new(Odd(size, sizes)),
        }];
        let server = Server::start(&listen, exports, Limits::default(), |_, _| {});
        assert_eq!(server.is_ok(), is_lawful, "{size} {sizes:?}");
    }
}

#[test]
fn a_stop_handle_ends_a_wait() {
    let mut site = Site::memory(MIB);
    let server = site.server.take().expect("a server");
    let handle = server.stop_handle();
    let mut raw = Raw::begin(&site);
    let stopper = std::thread::spawn(move || handle.stop());
    server.wait();
    raw.assert_closed();
    stopper.join().expect("no panic");
}
