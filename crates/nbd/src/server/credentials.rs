//! Certificates and keys of a server with TLS, in the files that NBD servers keep them in.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime,
};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{CertificateError, Error, InconsistentKeys, RootCertStore, ServerConfig};
use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Certificates of who may sign those of clients, and of the server.
const CA_CERTIFICATES: &str = "ca-cert.pem";
/// Lists of certificates that these take back; may be missing.
const REVOCATIONS: &str = "ca-crl.pem";
/// The server's certificate, and those between it and a CA's.
const CERTIFICATE: &str = "server-cert.pem";
const KEY: &str = "server-key.pem";

/// Error of a server's certificates and keys.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct CredentialsError {
    /// Path of the file.
    pub path: PathBuf,
    /// Description of the fault.
    pub what: String,
}

/// Certificate and key of a server, and the authority that clients are checked against, if they are.
#[derive(Debug, Clone)]
pub struct TlsCredentials {
    config: Arc<ServerConfig>,
    verifies_peers: bool,
}

impl TlsCredentials {
    /// Reads them from the files of a folder: `ca-cert.pem`, `server-cert.pem`, `server-key.pem`, and
    /// `ca-crl.pem` if there is one. If peers are verified, a client must have a certificate that a CA
    /// of `ca-cert.pem` signed; if not, any client will do.
    ///
    /// # Errors
    /// When a file is missing or holds something else, others may read the key, or the server's
    /// certificate is none that a client would take today.
    pub fn load(folder: &Path, verify_peers: bool) -> Result<TlsCredentials, CredentialsError> {
        let in_file = |name: &str| {
            let path = folder.join(name);
            move |what: String| CredentialsError { path, what }
        };
        let provider = Arc::new(ring::default_provider());

        let mut roots = RootCertStore::empty();
        for certificate in certificates(&folder.join(CA_CERTIFICATES))? {
            roots
                .add(certificate)
                .map_err(|error| in_file(CA_CERTIFICATES)(of_certificate(&error)))?;
        }
        let roots = Arc::new(roots);
        let revocations = folder.join(REVOCATIONS);
        let revocations = match revocations.try_exists() {
            Ok(false) => Vec::new(),
            _ => parsed(&revocations, &read(&revocations)?, "revocation list")?,
        };
        let chain = certificates(&folder.join(CERTIFICATE))?;
        check_own(&chain, &roots, &revocations, &provider)
            .map_err(|(name, what)| in_file(name)(what))?;
        let key = key(&folder.join(KEY))?;

        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| in_file(KEY)(error.to_string()))?;
        let config = match verify_peers {
            true => {
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                    .with_crls(revocations)
                    .enforce_revocation_expiration()
                    .build()
                    .map_err(|error| in_file(CA_CERTIFICATES)(error.to_string()))?;
                config.with_client_cert_verifier(verifier)
            }
            false => config.with_no_client_auth(),
        };
        let mut config = config
            .with_single_cert(chain, key)
            .map_err(|error| in_file(KEY)(of_key(&error)))?;
        // A session that is resumed would ask for no certificate again, and clients come rarely.
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        Ok(TlsCredentials {
            config: Arc::new(config),
            verifies_peers: verify_peers,
        })
    }

    /// True if clients must show a certificate.
    #[must_use]
    pub fn verifies_peers(&self) -> bool {
        self.verifies_peers
    }

    pub(super) fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CredentialsError> {
    std::fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> CredentialsError {
    CredentialsError {
        path: path.to_owned(),
        what: error.to_string(),
    }
}

/// Parses the items of one kind in a PEM file.
///
/// # Errors
/// When the file is damaged, or has none.
fn parsed<T: PemObject>(path: &Path, text: &[u8], kind: &str) -> Result<Vec<T>, CredentialsError> {
    let found: Result<Vec<T>, pem::Error> = T::pem_slice_iter(text).collect();
    let what = match found {
        Ok(found) if !found.is_empty() => return Ok(found),
        Ok(_) => format!("there is no {kind} in it, as PEM and not encrypted"),
        Err(error) => format!("is damaged PEM: {error}"),
    };
    Err(CredentialsError {
        path: path.to_owned(),
        what,
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CredentialsError> {
    parsed(path, &read(path)?, "certificate")
}

/// The server's key, if it is a secret: nobody but its owner may read it, and root's group root's.
fn key(path: &Path) -> Result<PrivateKeyDer<'static>, CredentialsError> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let about = file.metadata().map_err(|error| unreadable(path, &error))?;
    let may_be = if about.uid() == 0 { 0o640 } else { 0o600 };
    let mode = about.mode() & 0o777;
    if mode & !may_be & 0o077 != 0 {
        return Err(CredentialsError {
            path: path.to_owned(),
            what: format!(
                "others can read or change this key, its mode is {mode:03o}: chmod {may_be:o} it, and make a \
                 new one if they may have"
            ),
        });
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text)
        .map_err(|error| unreadable(path, &error))?;
    let keys = parsed(path, &text, "private key")?;
    Ok(keys.into_iter().next().expect("one at least"))
}

/// Sees that the server's own certificate is one that clients take; if not, which file is to blame.
fn check_own(
    chain: &[CertificateDer<'_>],
    roots: &Arc<RootCertStore>,
    revocations: &[CertificateRevocationListDer<'static>],
    provider: &Arc<CryptoProvider>,
) -> Result<(), (&'static str, String)> {
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider))
            .with_crls(revocations.iter().cloned())
            .enforce_revocation_expiration()
            .build()
            .map_err(|error| (REVOCATIONS, error.to_string()))?;
    // The name is checked last, and by which name clients know this machine is theirs to know.
    let anywhere = ServerName::from(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let result =
        verifier.verify_server_cert(&chain[0], &chain[1..], &anywhere, &[], UnixTime::now());
    match result {
        Ok(_)
        | Err(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => Ok(()),
        Err(
            error @ Error::InvalidCertificate(
                CertificateError::ExpiredRevocationList
                | CertificateError::ExpiredRevocationListContext { .. }
                | CertificateError::UnknownRevocationStatus,
            ),
        ) => Err((REVOCATIONS, of_certificate(&error))),
        Err(error) => Err((CERTIFICATE, of_certificate(&error))),
    }
}

fn of_certificate(error: &Error) -> String {
    let Error::InvalidCertificate(error) = error else {
        return error.to_string();
    };
    match error {
        CertificateError::BadEncoding => "the certificate is malformed".to_owned(),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet".to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            format!("no CA of {CA_CERTIFICATES} has signed the certificate")
        }
        CertificateError::Revoked => format!("the certificate is revoked in {REVOCATIONS}"),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the certificate is not for servers".to_owned()
        }
        CertificateError::ExpiredRevocationList
        | CertificateError::ExpiredRevocationListContext { .. } => {
            "the list is out of date: a new one is due".to_owned()
        }
        CertificateError::UnknownRevocationStatus => {
            format!("there is no list of the CA that signed {CERTIFICATE}, so nobody could connect")
        }
        other => format!("the certificate cannot be used: {other}"),
    }
}

fn of_key(error: &Error) -> String {
    match error {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            format!("this is not the key of {CERTIFICATE}")
        }
        other => format!("the key cannot be used: {other}"),
    }
}
