//! `ftlab serve` with TLS, and certificates that OpenSSL made.

use super::server::{Serve, json, refused, run, said};
use ftlab_base::RootSeed;
use rand::Rng;
use std::path::Path;
use tempfile::TempDir;

const DRIVE: &str = "generic-mlc-8";

const NEW_KEY: [&str; 7] = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
];

/// A folder with an authority, and a server and a client that it signed, in folders of their own.
fn pki() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("ASCII").to_owned();
    let (authority, authority_key) = (at("authority.pem"), at("authority-key.pem"));
    let out = |certificate: &str, key: &str| {
        ["-out", certificate, "-keyout", key]
            .map(str::to_owned)
            .to_vec()
    };
    let new = |subject: &str, more: &[&str], out: &[String]| {
        let out: Vec<&str> = out.iter().map(String::as_str).collect();
        said(
            "openssl",
            &[&NEW_KEY[..], &["-subj", subject], more, &out].concat(),
        );
    };
    new("/CN=authority", &[], &out(&authority, &authority_key));
    for who in ["server", "client"] {
        std::fs::create_dir(at(who)).expect("a folder");
        std::fs::copy(&authority, at(&format!("{who}/ca-cert.pem"))).expect("a copy");
        let usage = format!("extendedKeyUsage={who}Auth");
        let signed = [
            "-CA",
            &authority,
            "-CAkey",
            &authority_key,
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext",
            &usage,
        ];
        let [certificate, key] = ["cert", "key"].map(|what| at(&format!("{who}/{who}-{what}.pem")));
        new(&format!("/CN={who}"), &signed, &out(&certificate, &key));
    }
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("ASCII").to_owned()
}

/// What it says to type, after one of its words and with the client's folder.
fn line<'a>(server: &'a Serve, word: &str) -> &'a str {
    let line = server.said.lines().find_map(|line| line.strip_prefix(word));
    line.unwrap_or_else(|| panic!("no {word} in {}", server.said))
        .trim()
}

#[test]
fn a_drive_is_served_to_clients_with_a_certificate_as_it_says() {
    let pki = pki();
    let folder = TempDir::new().expect("a folder");
    let [server_pki, client_pki] = ["server", "client"].map(|name| path(pki.path(), name));
    let mut arguments = vec![
        "--drive",
        DRIVE,
        "--set",
        "nand.blocks_per_die=32",
        "--image",
        "disk.img",
        "--listen",
        "127.0.0.1:0",
        "--name",
        "x",
        "--timing",
        "off",
        "--tls-certificates",
        &server_pki,
    ];
    let server = Serve::start(folder.path(), &arguments);
    let uri = server.uri();
    assert!(
        uri.starts_with("nbds://127.0.0.1:") && uri.ends_with("/x"),
        "{uri}"
    );
    assert!(line(&server, "clients ").contains("those with a certificate"));
    for word in ["look ", "write "] {
        let command = line(&server, word).replace("DIR", &client_pki);
        said("sh", &["-c", &command]);
    }
    let client = format!("{uri}?tls-certificates={client_pki}");
    let info = json(&said("nbdinfo", &["--json", &client]));
    assert_eq!(info["TLS"], true, "{info}");

    let (there, back) = (path(folder.path(), "there"), path(folder.path(), "back"));
    let mut bytes = vec![0; 32 << 20];
    RootSeed(1).stream("image").fill_bytes(&mut bytes);
    std::fs::write(&there, &bytes).expect("a file");
    said("nbdcopy", &["--flush", "--requests=64", &there, &client]);
    said("nbdcopy", &["--requests=64", &client, &back]);
    let copy = std::fs::read(&back).expect("a copy");
    assert!(copy[..bytes.len()] == bytes, "the copy differs");

    let none = path(folder.path(), "none");
    std::fs::create_dir(&none).expect("a folder");
    let authority = format!("{client_pki}/ca-cert.pem");
    std::fs::copy(authority, format!("{none}/ca-cert.pem")).expect("a copy");
    let nobody = format!("{uri}?tls-certificates={none}");
    let plain = uri.replace("nbds:", "nbd:");
    for uri in [&nobody, &plain] {
        assert!(!run("nbdinfo", &["--size", uri]).status.success(), "{uri}");
    }
    let (status, _, error) = server.end("TERM");
    assert!(status.success(), "{status}");
    assert!(error.contains("peer sent no certificates"), "{error}");

    // The same drive, for whoever speaks TLS.
    arguments.extend(["--tls-verify-peer", "off"]);
    let server = Serve::start(folder.path(), &arguments);
    assert!(line(&server, "clients ").contains("everybody"));
    let nobody = format!("{}?tls-certificates={none}", server.uri());
    said("nbdcopy", &[&nobody, &back]);
    let copy = std::fs::read(&back).expect("a copy");
    assert!(copy[..bytes.len()] == bytes, "the copy differs");
    server.stop();
}

#[test]
fn other_machines_are_served_if_they_show_a_certificate_or_nobody_need() {
    let pki = pki();
    let folder = TempDir::new().expect("a folder");
    let server_pki = path(pki.path(), "server");
    let open = ["--drive", DRIVE, "--listen", "0.0.0.0:0"];
    let tls = ["--tls-certificates", &server_pki];
    let off = ["--tls-verify-peer", "off"];
    let insecure = ["--insecure"];
    for more in [&tls[..], &[&tls[..], &off, &insecure].concat()] {
        let server = Serve::start(folder.path(), &[&open[..], more].concat());
        assert!(
            server.uri().starts_with("nbds://0.0.0.0:"),
            "{}",
            server.uri()
        );
    }
    for (more, why) in [
        (&[][..], "--tls-certificates"),
        (&[&tls[..], &off].concat(), "--insecure"),
        (&[&tls[..], &insecure].concat(), "--tls-verify-peer off"),
    ] {
        let error = refused(folder.path(), &[&open[..], more].concat());
        assert!(error.contains(why), "{more:?}: {error}");
    }
}

#[test]
fn certificates_are_looked_at_before_an_image_is_made() {
    let pki = pki();
    let folder = TempDir::new().expect("a folder");
    let arguments = |pki: &str| {
        let words = "--image new.img --listen 127.0.0.1:0 --tls-certificates";
        let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        words.extend(["--drive", DRIVE].map(str::to_owned));
        words.insert(5, pki.to_owned());
        words
    };
    // A folder that is not there, and one that is a client's.
    for (name, file) in [("none", "ca-cert.pem"), ("client", "server-cert.pem")] {
        let words = arguments(&path(pki.path(), name));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let error = refused(folder.path(), &words);
        assert!(
            error.contains(file) && error.lines().count() == 1,
            "{error}"
        );
    }
    assert!(!folder.path().join("new.img").exists());
}
