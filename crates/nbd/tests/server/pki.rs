//! Certification authorities, and the certificates that they sign.

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams,
    SerialNumber, date_time_ymd,
};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Whom a certificate is for.
pub use ExtendedKeyUsagePurpose::{ClientAuth as CLIENT, ServerAuth as SERVER};

/// The first year of a long time to come; what ends before it began has expired.
const END: i32 = 4000;

/// An authority, and a folder for what it signs.
pub struct Pki {
    authority: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
    serials: u64,
}

impl Pki {
    pub fn new(name: &str) -> Pki {
        let mut about = CertificateParams::default();
        about.distinguished_name.push(DnType::CommonName, name);
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        about.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(about, key).expect("an authority");
        Pki {
            authority,
            folder: TempDir::new().expect("a folder"),
            serials: 0,
        }
    }

    /// A folder with the authority's certificate.
    pub fn folder(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        write(&folder.join("ca-cert.pem"), &self.authority.pem());
        folder
    }

    /// A folder with a key and a certificate of this machine, until a year; the certificate's number.
    pub fn sign(&mut self, folder: &Path, whom: &ExtendedKeyUsagePurpose, until: i32) -> u64 {
        self.serials += 1;
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let mut about = CertificateParams::new(names).expect("names");
        about.serial_number = Some(self.serials.into());
        about.not_after = date_time_ymd(until, 1, 1);
        about.use_authority_key_identifier_extension = true;
        let name = if *whom == SERVER { "server" } else { "client" };
        about.extended_key_usages = vec![whom.clone()];
        let key = KeyPair::generate().expect("a key");
        let certificate = about.signed_by(&key, &self.authority).expect("it signs");
        let in_folder = |what: &str| folder.join(format!("{name}-{what}.pem"));
        write(&in_folder("cert"), &certificate.pem());
        write(&in_folder("key"), &key.serialize_pem());
        self.serials
    }

    /// A folder for a server.
    pub fn server(&mut self) -> PathBuf {
        let folder = self.folder("server");
        self.sign(&folder, &SERVER, END);
        folder
    }

    /// A folder for a client of a name.
    pub fn client(&mut self, name: &str) -> PathBuf {
        let folder = self.folder(name);
        self.sign(&folder, &CLIENT, END);
        folder
    }

    /// Takes certificates back, in a list that is good until a year.
    pub fn revoke(&self, folder: &Path, numbers: &[u64], until: i32) {
        let revoked = |number: &u64| RevokedCertParams {
            serial_number: SerialNumber::from(*number),
            revocation_time: date_time_ymd(2000, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2000, 1, 1),
            next_update: date_time_ymd(until, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: numbers.iter().map(revoked).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.authority).expect("it signs");
        write(&folder.join("ca-crl.pem"), &list.pem().expect("PEM"));
    }
}

/// Has a certificate and its key be found as somebody else's.
pub fn pass_off(folder: &Path, from: &str, to: &str) {
    for what in ["cert", "key"] {
        let [from, to] = [from, to].map(|who| folder.join(format!("{who}-{what}.pem")));
        std::fs::rename(from, to).expect("a file");
    }
}

/// Writes a file that nobody else may read.
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).expect("a file");
}
