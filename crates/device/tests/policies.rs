//! Policies of one's own belong to the device that was given them.

use ftlab_device::policy::{OwnPolicies, PolicyNameError, SuperblockId, VictimPolicy, VictimView};
use ftlab_device::{Builder, Command, Device};

/// Collects what was closed first.
#[derive(Debug, Clone)]
struct Oldest;

impl VictimPolicy for Oldest {
    fn name(&self) -> &'static str {
        "oldest"
    }

    fn choose(&mut self, view: &VictimView<'_>) -> Option<SuperblockId> {
        let oldest = view.candidates().max_by_key(|candidate| candidate.age)?;
        Some(oldest.superblock)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(Oldest)
    }
}

fn small(policy: &str) -> Builder {
    let builder = Device::named("generic-mlc-8").set("nand.blocks_per_die=64");
    let builder = builder.set("nand.pages_per_block=16").set("spare.op=28%");
    builder.set(&format!("gc.policy={policy}"))
}

/// Hash of the flash operations of writes all over a drive.
fn hash(builder: &Builder) -> u64 {
    let mut device = builder.build().unwrap();
    let places = device.capacity_bytes() / 4096;
    let mut done = Vec::new();
    for id in 0..4 * places {
        let place = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        let write = Command::write(id, place * 4096, 4096);
        device.submit(write, device.now_ns()).unwrap();
        device.advance_to_completion(u64::MAX, &mut done);
    }
    device.counters().operations_hash
}

#[test]
fn a_policy_is_the_devices_that_was_given_it() {
    let mut own = OwnPolicies::default();
    own.add_victim("oldest", |_| Box::new(Oldest)).unwrap();
    let with = small("oldest").policies(own.clone());
    assert_eq!(hash(&with), hash(&small("fifo")));
    assert_ne!(hash(&with), hash(&small("greedy")));
    let without = small("oldest").build().unwrap_err().to_string();
    assert!(without.contains("oldest"), "{without}");
    let taken = own.add_victim("fifo", |_| Box::new(Oldest)).unwrap_err();
    assert_eq!(taken, PolicyNameError::Taken("fifo".to_owned()));

    // A drive file names it as well as a setting does.
    let text = "schema = 1\nkind = \"ssd\"\nbase = \"generic-mlc-8\"\nname = \"one that names it\"\nsummary = \"as its base\"\n
        [gc]\npolicy = \"oldest\"\n";
    let size = |builder: Builder| {
        let builder = builder.set("nand.blocks_per_die=64");
        builder.set("nand.pages_per_block=16").set("spare.op=28%")
    };
    let file = || size(Device::of_text("generic-mlc-8", text));
    assert_eq!(hash(&file().policies(own)), hash(&with));
    let without = file().build().unwrap_err().to_string();
    assert!(without.contains("policy `oldest` is none of"), "{without}");
}
