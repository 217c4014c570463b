//! A node in a turmoil simulation keeps its log on a drive. Seeded power cuts find out whether it answers for records that
//! are lost. Of the published crates for deterministic simulation, turmoil is the most downloaded.
//!
//! A runtime of tokio's counts milliseconds, so the node hears of an end up to one later. The drive counts nanoseconds.

use ftlab_device::{Command, Completion, Device};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use turmoil::net::{TcpListener, TcpStream};

const RECORD: u64 = 4096;
const PORT: u16 = 7000;

/// The drive of a node, which outlives the node's process.
#[derive(Clone)]
struct Disk(Rc<RefCell<(Device, BTreeSet<u64>)>>);

impl Disk {
    fn new() -> Disk {
        let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
        let device = builder.keep_data().build().expect("there is such a drive");
        Disk(Rc::new(RefCell::new((device, BTreeSet::new()))))
    }

    /// Lets the drive come to the present of the simulation.
    fn come_to(&self, now: Duration) -> u64 {
        let (device, ended) = &mut *self.0.borrow_mut();
        let (now_ns, mut done) = (now.as_nanos() as u64, Vec::new());
        device.advance(now_ns, &mut done);
        ended.extend(
            done.iter()
                .filter(|end| end.is_good())
                .map(|end: &Completion| end.id),
        );
        now_ns
    }

    /// Does something at the drive, and waits for its end.
    async fn finish(&self, command: Command, data: &[u8]) {
        let now = || turmoil::sim_elapsed().expect("in a simulation");
        let now_ns = self.come_to(now());
        let submitted = self.0.borrow_mut().0.submit_write(command, data, now_ns);
        submitted.expect("it fits the drive");
        while !self.0.borrow_mut().1.remove(&command.id) {
            let next_ns = self.0.borrow().0.next_event();
            let next_ns = next_ns.expect("the drive is at work");
            let left_ns = next_ns.saturating_sub(now().as_nanos() as u64);
            tokio::time::sleep(Duration::from_nanos(left_ns)).await;
            self.come_to(now());
        }
    }
}

/// Takes a byte, keeps it as a record, and answers.
async fn store(disk: Disk, flushes: bool) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let (mut client, _) = listener.accept().await?;
    for n in 0.. {
        let byte = client.read_u8().await?;
        let write = Command::write(2 * n, n * RECORD, RECORD);
        disk.finish(write, &[byte; RECORD as usize]).await;
        if flushes {
            disk.finish(Command::flush(2 * n + 1), &[]).await;
        }
        client.write_u8(byte).await?;
    }
    Ok(())
}

/// Sends one record after the other, and counts the answers.
async fn client(answered: Rc<Cell<u64>>) -> turmoil::Result {
    let mut store = TcpStream::connect(("store", PORT)).await?;
    for n in 0.. {
        store.write_u8(n as u8 + 1).await?;
        if store.read_u8().await.is_err() {
            break;
        }
        answered.set(n + 1);
    }
    Ok(())
}

/// Records that were answered for and are lost, in the world of a seed.
fn lost(flushes: bool, seed: u64) -> u64 {
    let (disk, answered) = (Disk::new(), Rc::new(Cell::new(0)));
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .max_message_latency(Duration::from_millis(3))
        .simulation_duration(Duration::from_secs(10))
        .build();
    let of_node = disk.clone();
    sim.host("store", move || store(of_node.clone(), flushes));
    sim.client("client", client(Rc::clone(&answered)));
    while sim.elapsed() < Duration::from_millis(150 + 7 * seed) {
        sim.step().expect("nobody fails");
    }
    // The machine of the node loses its power.
    sim.crash("store");
    let now_ns = disk.come_to(sim.elapsed());
    let device = &mut disk.0.borrow_mut().0;
    device.power_cut(now_ns, seed).expect("it keeps data");
    assert!(answered.get() > 10, "{} answers", answered.get());
    let is_lost = |n: u64| {
        let mut record = [0; RECORD as usize];
        device.read(n * RECORD, &mut record).expect("it keeps data");
        record[0] != n as u8 + 1
    };
    (0..answered.get()).filter(|n| is_lost(*n)).count() as u64
}

#[test]
fn a_power_cut_in_a_turmoil_simulation_finds_the_missing_flush() {
    let of = |flushes: bool| -> Vec<u64> { (0..12).map(|seed| lost(flushes, seed)).collect() };
    assert_eq!(of(true), [0; 12]);
    let without = of(false);
    assert!(without.iter().sum::<u64>() > 0, "{without:?}");
    assert_eq!(of(false), without, "a seed is a world");
}
