//! Address of a server: on this machine alone, unless clients show a certificate, or the user says that none
//! need.

use super::{Options, VerifyPeer};
use ftlab_console::failure::Failure;
use ftlab_nbd::{Listen, TlsCredentials};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The port that is NBD's.
const PORT: u16 = 10_809;

/// An address of this machine as `--listen` has it. No name is looked up: what a name means is up to the machine.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("give an IP address and a port, for example 127.0.0.1:{PORT}; names of machines are not looked up")
    })
}

impl Options {
    /// The address to listen on, if any.
    pub(super) fn listen(&self) -> Result<Option<Listen>, Failure> {
        if let Some(path) = &self.unix {
            return Ok(Some(Listen::Unix(path.clone())));
        }
        Ok(Some(match (self.listen, self.image.first()) {
            (Some(address), _) => self.tcp(address)?,
            (None, _) if self.fuse.is_some() => return Ok(None),
            (None, Some(image)) => Listen::Unix(beside(image, ".sock")),
            (None, None) => Listen::Loopback(([127, 0, 0, 1], PORT).into()),
        }))
    }

    fn tcp(&self, address: SocketAddr) -> Result<Listen, Failure> {
        // Only users of this machine reach a loopback address, so it is safe without TLS.
        let is_open = !address.ip().is_loopback() && !self.insecure;
        let Some(folder) = &self.tls_certificates else {
            return match is_open {
                true => Err(Failure::Input(format!(
                    "{address} can be reached from other machines, and nothing is encrypted: give an \
                     address such as 127.0.0.1:{PORT}, or certificates with --tls-certificates, or --insecure \
                     if everybody there may read and write"
                ))),
                false if self.insecure => Ok(Listen::Insecure(address)),
                false => Ok(Listen::Loopback(address)),
            };
        };
        let verifies = self.tls_verify_peer == VerifyPeer::On;
        if verifies && self.insecure {
            return Err(Failure::Input(
                "with --tls-certificates clients must have a certificate: leave out --insecure, or give \
                 --tls-verify-peer off, too, if everybody may read and write"
                    .into(),
            ));
        }
        if !verifies && is_open {
            return Err(Failure::Input(format!(
                "{address} can be reached from other machines, and no client is asked for a certificate: \
                 leave out --tls-verify-peer off, or give --insecure if everybody there may read and write"
            )));
        }
        let credentials = TlsCredentials::load(folder, verifies);
        let credentials = credentials.map_err(|error| Failure::Input(error.to_string()))?;
        Ok(Listen::Tls(address, credentials))
    }

    /// Path of the control socket of an image's drive.
    pub(super) fn control_path(&self, image: Option<&Path>) -> Option<PathBuf> {
        let default = || image.map(|image| beside(image, ".control"));
        self.control.clone().or_else(default)
    }
}

/// The path of a file with something added to its name.
pub fn beside(path: &Path, added: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(added);
    path.into()
}

/// Lines that say what to type to use the drive that is served there, as the export of a name.
pub fn addresses(at: &Listen, name: &str) -> String {
    let uri = at.to_string();
    let (uri, who) = match at {
        Listen::Unix(_) => (uri.replacen("///", &format!("///{name}"), 1), String::new()),
        Listen::Loopback(_) | Listen::Insecure(_) => (format!("{uri}/{name}"), String::new()),
        Listen::Tls(_, credentials) => (format!("{uri}/{name}"), clients(credentials)),
    };
    let (full, options, target) = match at {
        Listen::Tls(address, _) => (
            format!("{uri}?tls-certificates=DIR"),
            "--object tls-creds-x509,id=tls,dir=DIR,endpoint=client --image-opts",
            for_qemu(*address, name),
        ),
        _ => (uri.clone(), "-f raw", uri.clone()),
    };
    // It does not let its library read certificates.
    let measure = match at {
        Listen::Tls(..) => String::new(),
        _ => format!(
            "measure  fio --name=reads --ioengine=nbd --uri='{uri}' --rw=randread --bs=4k --size=64m\n"
        ),
    };
    format!(
        "\
at       {uri}
{who}look     nbdinfo '{full}'
write    qemu-io {options} -c 'write -P 7 0 64k' -c 'read -P 7 0 64k' '{target}'
{measure}mount    mkdir -p nbd && nbdfuse nbd/disk '{full}' &
         losetup --find --show --direct-io=on nbd/disk    (as root; then mkfs and mount what it names)
"
    )
}

/// Describes the clients that may connect, and the certificate that they need.
fn clients(credentials: &TlsCredentials) -> String {
    match credentials.verifies_peers() {
        true => {
            "clients  those with a certificate; each has ca-cert.pem, client-cert.pem and client-key.pem in a DIR\n"
        }
        false => "clients  everybody, none is asked for a certificate; each has ca-cert.pem in a DIR\n",
    }
    .to_owned()
}

/// The options that QEMU's tools take in place of a URI, which has no room for certificates.
fn for_qemu(address: SocketAddr, name: &str) -> String {
    let export = match name {
        "" => String::new(),
        // A comma would be the end of it.
        name => format!(",export={}", name.replace(',', ",,")),
    };
    let (host, port) = (address.ip(), address.port());
    format!("driver=nbd,host={host},port={port}{export},tls-creds=tls")
}
