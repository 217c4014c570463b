//! TLS: who is let in, who is not, and what is read and written within it.

mod clients;
mod credentials;
mod hostile;

use crate::Site;
use crate::raw::{Encrypted, Raw};
use ftlab_nbd::protocol::constants::{NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK};
use ftlab_nbd::{Limits, MemoryExport, TlsCredentials};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

pub fn credentials(folder: &Path) -> TlsCredentials {
    TlsCredentials::load(folder, true).unwrap_or_else(|error| panic!("{error}"))
}

pub fn serve(folder: &Path, size_bytes: u64) -> Site {
    let export = MemoryExport::new(size_bytes);
    Site::with_tls(credentials(folder), Arc::new(export), Limits::default())
}

pub fn client(folder: &Path) -> Arc<ClientConfig> {
    let pem = |name: &str| CertificateDer::from_pem_file(folder.join(name)).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(pem("ca-cert.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(folder.join("client-key.pem")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![pem("client-cert.pem")], key);
    Arc::new(config.expect("a client"))
}

/// A client of the server that begins, with structured replies or without.
pub fn begin(site: &Site, config: &Arc<ClientConfig>, is_structured: bool) -> Raw<Encrypted> {
    let mut raw = Raw::connect_tcp(site);
    raw.client_flags();
    let mut raw = raw.start_tls(config);
    if is_structured {
        raw.option(NBD_OPT_STRUCTURED_REPLY, &[]);
        assert_eq!(raw.option_reply(), (NBD_REP_ACK, vec![]));
    }
    raw.go();
    raw
}
