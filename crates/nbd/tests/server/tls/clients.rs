//! Clients with certificates, and without.

use super::{client, credentials, serve};
use crate::clients::image;
use crate::pki::{CLIENT, Pki, SERVER, pass_off};
use crate::programs::{json, run, said};
use crate::raw::Raw;
use crate::{MIB, Site};
use ftlab_nbd::{Limits, MemoryExport, TlsCredentials};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What libnbd takes: where, and which folder the client has.
fn uri(site: &Site, client: &Path) -> String {
    let address = site.address.expect("a port");
    let client = client.display();
    format!("nbds://{address}/?tls-certificates={client}")
}

/// What QEMU's tools take: a client's credentials, and a server.
fn qemu(site: &Site, client: &Path, more: &str) -> [String; 2] {
    let port = site.address.expect("a port").port();
    let client = client.display();
    [
        format!("tls-creds-x509,id=tls,endpoint=client,dir={client}{more}"),
        format!("driver=nbd,host=localhost,port={port},tls-creds=tls"),
    ]
}

#[test]
fn nbdcopy_and_nbdinfo_with_a_certificate() {
    let mut pki = Pki::new("authority");
    let folder = tempfile::tempdir().expect("a folder");
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let bytes = image(&there);
    let [there, back] = [&there, &back].map(|path| path.to_str().expect("ASCII"));
    let (server, client) = (pki.server(), pki.client("client"));
    // At once, and a while later, out of order and from another thread.
    let delay = |request: &ftlab_nbd::Request| {
        Duration::from_micros(20 + request.offset_bytes() / 65_536 % 7 * 30)
    };
    let size_bytes = bytes.len() as u64;
    let delayed = MemoryExport::with_delay(size_bytes, delay).expect("a thread");
    for export in [MemoryExport::new(size_bytes), delayed] {
        let site = Site::with_tls(credentials(&server), Arc::new(export), Limits::default());
        let uri = uri(&site, &client);
        let info = json(&said("nbdinfo", &["--json", &uri]));
        assert_eq!(info["TLS"], true, "{info}");
        // Several connections with many requests each.
        let deep = ["--requests=64", "--request-size=65536"];
        said("nbdcopy", &[&deep[..], &["--flush", there, &uri]].concat());
        said("nbdcopy", &[&deep[..], &[&uri, back]].concat());
        let copy = std::fs::read(back).expect("a copy");
        assert!(copy == bytes, "the copy differs");
    }
}

#[test]
fn qemu_converts_and_compares_with_each_version_of_tls() {
    let mut pki = Pki::new("authority");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("image");
    let bytes = image(&path);
    let path = path.to_str().expect("ASCII");
    let (server, client) = (pki.server(), pki.client("client"));
    for versions in ["+VERS-TLS1.2", "+VERS-TLS1.3"] {
        let site = serve(&server, bytes.len() as u64);
        let only = format!(",priority=NORMAL:-VERS-ALL:{versions}");
        let [object, target] = qemu(&site, &client, &only);
        let object = ["--object", &object];
        let convert = ["convert", "-n", "-W", "-m", "16", "-f", "raw"];
        let to = ["--target-image-opts", path, &target];
        said("qemu-img", &[&convert[..], &object, &to].concat());
        // Both are said by options, as is one that is.
        let file = format!("driver=raw,file.driver=file,file.filename={path}");
        let compare = ["compare", "--image-opts", &file, &target];
        let out = said(
            "qemu-img",
            &[&compare[..1], &object, &compare[1..]].concat(),
        );
        assert!(out.contains("identical"), "{out}");
    }
}

#[test]
fn who_has_no_certificate_of_the_authority_is_refused() {
    let mut pki = Pki::new("authority");
    let server = pki.server();
    let good = pki.client("good");
    let none = pki.folder("none");
    // They trust the server, which does not trust them.
    let mut others = ["authority", "another"].map(Pki::new);
    let [impostor, foreign] = others.each_mut().map(|other| {
        let folder = other.client("client");
        std::fs::copy(none.join("ca-cert.pem"), folder.join("ca-cert.pem")).expect("a copy");
        folder
    });
    let revoked = pki.folder("revoked");
    let number = pki.sign(&revoked, &CLIENT, 4000);
    pki.revoke(&server, &[number], 4000);
    let site = serve(&server, MIB);
    said("nbdinfo", &["--size", &uri(&site, &good)]);
    assert_eq!(site.next_end(), "ok");
    for (folder, why) in [
        (&none, "no certificates"),
        (&impostor, "BadSignature"),
        (&revoked, "Revoked"),
    ] {
        let output = run("nbdinfo", &["--size", &uri(&site, folder)]);
        assert!(!output.status.success(), "{why}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{why}");
        let end = site.next_end();
        assert!(end.starts_with("TLS: ") && end.contains(why), "{end}");
        // QEMU sees itself that this one is another's.
        if folder == &impostor {
            continue;
        }
        let [object, target] = qemu(&site, folder, "");
        let tool = ["info", "--object", &object, "--image-opts", &target];
        assert!(!run("qemu-img", &tool).status.success(), "{why}");
        let end = site.next_end();
        assert!(end.contains(why), "{end}");
    }
    // These tools would not show certificates that are plainly of no use; others do.
    let [expired, servers] = ["expired", "servers"].map(|name| pki.folder(name));
    pki.sign(&expired, &CLIENT, 2001);
    pki.sign(&servers, &SERVER, 4000);
    pass_off(&servers, "server", "client");
    for (folder, why) in [
        (&foreign, "unknownissuer"),
        (&expired, "expired"),
        (&servers, "for client authentication"),
    ] {
        let mut raw = Raw::connect_tcp(&site);
        raw.client_flags();
        let mut raw = raw.start_tls(&client(folder));
        let _ = raw.stream.flush();
        let mut byte = [0];
        assert!(raw.stream.read(&mut byte).is_err(), "{why}");
        let end = site.next_end();
        assert!(end.to_lowercase().contains(why), "{end}");
    }
    said("nbdinfo", &["--size", &uri(&site, &good)]);
}

#[test]
fn without_verification_any_client_will_do_and_still_needs_tls() {
    let mut pki = Pki::new("authority");
    let credentials = TlsCredentials::load(&pki.server(), false).expect("credentials");
    assert!(!credentials.verifies_peers());
    let export = Arc::new(MemoryExport::new(MIB));
    let site = Site::with_tls(credentials, export, Limits::default());
    said("nbdinfo", &["--size", &uri(&site, &pki.folder("none"))]);
    let plain = format!("nbd://{}", site.address.expect("a port"));
    assert!(!run("nbdinfo", &[&plain]).status.success());
}
