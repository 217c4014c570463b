//! Files that hold no credentials, or bad ones.

use super::credentials;
use crate::pki::{CLIENT, Pki, SERVER, pass_off};
use ftlab_nbd::TlsCredentials;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Why a folder with something changed in it is refused.
fn refused(change: impl FnOnce(&mut Pki, &Path)) -> String {
    let mut pki = Pki::new("authority");
    let server = pki.server();
    credentials(&server);
    change(&mut pki, &server);
    match TlsCredentials::load(&server, true) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is taken"),
    }
}

#[test]
fn credentials_that_are_of_no_use_are_refused_with_the_file_and_the_reason() {
    let remove = |name: &'static str| {
        refused(move |_, folder| std::fs::remove_file(folder.join(name)).expect("a file"))
    };
    let replace = |name: &'static str, text: &'static str| {
        refused(move |_, folder| std::fs::write(folder.join(name), text).expect("a file"))
    };
    let mode = |mode: u32| {
        refused(move |_, folder| {
            let to = PermissionsExt::from_mode(mode);
            std::fs::set_permissions(folder.join("server-key.pem"), to).expect("a file");
        })
    };
    let other = |name: &'static str| {
        refused(move |_, folder| {
            let mut other = Pki::new("another");
            std::fs::copy(other.server().join(name), folder.join(name)).expect("a copy");
        })
    };
    let sealed =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let malformed = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let cut = "-----BEGIN CERTIFICATE-----\nAAAA\n";
    for (error, file, why) in [
        (remove("ca-cert.pem"), "ca-cert.pem", "No such file"),
        (remove("server-cert.pem"), "server-cert.pem", "No such file"),
        (remove("server-key.pem"), "server-key.pem", "No such file"),
        (replace("ca-cert.pem", ""), "ca-cert.pem", "no certificate"),
        (
            replace("ca-cert.pem", malformed),
            "ca-cert.pem",
            "malformed",
        ),
        (
            replace("server-cert.pem", "x"),
            "server-cert.pem",
            "no certificate",
        ),
        (
            replace("server-cert.pem", cut),
            "server-cert.pem",
            "damaged",
        ),
        (
            replace("server-cert.pem", malformed),
            "server-cert.pem",
            "malformed",
        ),
        (
            replace("server-key.pem", sealed),
            "server-key.pem",
            "not encrypted",
        ),
        (
            replace("ca-crl.pem", "x"),
            "ca-crl.pem",
            "no revocation list",
        ),
        (mode(0o644), "server-key.pem", "chmod"),
        (mode(0o620), "server-key.pem", "chmod"),
        (other("server-key.pem"), "server-key.pem", "not the key of"),
        (other("server-cert.pem"), "server-cert.pem", "has signed"),
        (
            refused(|pki, folder| {
                pki.sign(folder, &SERVER, 2001);
            }),
            "server-cert.pem",
            "has expired",
        ),
        (
            refused(|pki, folder| {
                pki.sign(folder, &CLIENT, 4000);
                pass_off(folder, "client", "server");
            }),
            "server-cert.pem",
            "not for servers",
        ),
        (
            refused(|pki, folder| pki.revoke(folder, &[1], 4000)),
            "server-cert.pem",
            "revoked",
        ),
        (
            refused(|pki, folder| pki.revoke(folder, &[], 2001)),
            "ca-crl.pem",
            "out of date",
        ),
    ] {
        assert!(
            error.contains(file) && error.contains(why),
            "{file}, {why}: {error}"
        );
    }
}
