use super::*;
use std::thread;

const PATIENCE: Duration = Duration::from_secs(20);

/// What is made of bytes after which the client sends no more.
fn received(bytes: &[u8]) -> Result<Request, RequestError> {
    let (mut client, server) = UnixStream::pair().expect("sockets");
    client.write_all(bytes).expect("it fits");
    client.shutdown(Shutdown::Write).expect("it is there");
    receive(&server, PATIENCE)
}

fn status(bytes: &[u8]) -> u16 {
    match received(bytes) {
        Err(RequestError::Refused(answer)) => answer.status,
        other => panic!("{}: {other:?}", String::from_utf8_lossy(bytes)),
    }
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    format!("POST /trim HTTP/1.1\r\nHost: x\r\n{headers}\r\n{body}").into_bytes()
}

#[test]
fn a_whole_request_is_received_however_it_is_cut_into_pieces() {
    let whole = post("content-LENGTH: 13\r\n", "{\"all\": true}");
    let right = Request {
        method: "POST".to_owned(),
        url: "/trim".to_owned(),
        body: "{\"all\": true}".to_owned(),
    };
    assert_eq!(received(&whole).as_ref(), Ok(&right));
    let (mut client, server) = UnixStream::pair().expect("sockets");
    let sent = thread::spawn(move || {
        for byte in whole {
            client.write_all(&[byte]).expect("it is read");
        }
        client
    });
    assert_eq!(receive(&server, PATIENCE).as_ref(), Ok(&right));
    sent.join().expect("no panic");
}

#[test]
fn every_part_of_a_request_is_refused_and_a_client_without_a_word_is_not_answered() {
    let whole = post("Content-Length: 13\r\n", "{\"all\": true}");
    for length in 1..whole.len() {
        assert_eq!(status(&whole[..length]), 400, "{length} bytes");
    }
    assert_eq!(received(b""), Err(RequestError::Silent));
}

#[test]
fn a_length_that_leaves_a_doubt_is_refused() {
    let body = "{\"all\": true}";
    for (headers, why) in [
        ("Content-Length:\r\n", 400),
        ("Content-Length: 38x\r\n", 400),
        ("Content-Length: -1\r\n", 400),
        ("Content-Length: +13\r\n", 400),
        ("Content-Length: 0x0d\r\n", 400),
        ("Content-Length: 13, 13\r\n", 400),
        ("Content-Length: 1 3\r\n", 400),
        ("Content-Length: 13.0\r\n", 400),
        ("Content-Length: 13\r\nContent-Length: 13\r\n", 400),
        ("Content-Length: 13\r\nContent-Length: 12\r\n", 400),
        ("Content-Length: 13\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\nContent-Length: 13\r\n", 400),
        ("Content-Length : 13\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 411),
        ("Transfer-Encoding: identity\r\n", 411),
        // Less and more than there is.
        ("Content-Length: 12\r\n", 400),
        ("Content-Length: 14\r\n", 400),
        ("", 400),
        ("Content-Length: 65537\r\n", 413),
        ("Content-Length: 18446744073709551616\r\n", 413),
        ("Content-Length: 99999999999999999999999999\r\n", 413),
    ] {
        assert_eq!(status(&post(headers, body)), why, "{headers:?}");
    }
}

#[test]
fn heads_are_bounded() {
    let endless = vec![b'x'; 64 << 10];
    assert_eq!(status(&[b"GET /".as_slice(), &endless].concat()), 431);
    let long = [b"GET / HTTP/1.1\r\nA: ".as_slice(), &endless].concat();
    assert_eq!(status(&long), 431);
    let many = "A: b\r\n".repeat(HEADERS_MAX + 1);
    assert_eq!(status(&post(&many, "")), 431);
    assert_eq!(status(b"\x16\x03\x01\x02\x00 TLS\r\n\r\n"), 400);
}

#[test]
fn a_body_may_be_as_long_as_the_limit_and_must_be_text() {
    let body = "x".repeat(BODY_BYTES_MAX);
    let headers = format!("Content-Length: {BODY_BYTES_MAX}\r\n");
    let whole = received(&post(&headers, &body)).expect("no longer than that");
    assert_eq!(whole.body, body);
    let mut binary = post("Content-Length: 2\r\n", "{}");
    *binary.last_mut().expect("bytes") = 0xff;
    assert_eq!(status(&binary), 400);
}

/// A byte now and then does not move the deadline.
#[test]
fn a_request_that_trickles_in_is_given_up() {
    let (mut client, server) = UnixStream::pair().expect("sockets");
    let trickle = thread::spawn(move || {
        let begun = post("Content-Length: 60000\r\n", "");
        let _ = client.write_all(&begun);
        while client.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
    });
    match receive(&server, Duration::from_millis(200)) {
        Err(RequestError::Refused(answer)) => assert_eq!(answer.status, 408),
        other => panic!("{other:?}"),
    }
    drop(server);
    trickle.join().expect("no panic");
}

#[test]
fn an_answer_that_nobody_takes_is_given_up() {
    let (client, server) = UnixStream::pair().expect("sockets");
    let answer = Answer::wrong(400, "x".repeat(16 << 20));
    let error = send(&server, &answer, Duration::from_millis(200)).expect_err("nobody reads");
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    drop(client);
}

#[test]
fn a_client_that_is_refused_can_send_the_rest_and_read_why() {
    let (mut client, server) = UnixStream::pair().expect("sockets");
    let refuses = thread::spawn(move || {
        let Err(RequestError::Refused(answer)) = receive(&server, PATIENCE) else {
            panic!("it is too long");
        };
        send(&server, &answer, PATIENCE).expect("it is taken");
        linger(&server);
    });
    let body = "x".repeat(1 << 20);
    let request = post(&format!("Content-Length: {}\r\n", body.len()), &body);
    client.write_all(&request).expect("nobody hangs up");
    client.shutdown(Shutdown::Write).expect("it is there");
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    refuses.join().expect("no panic");
}
