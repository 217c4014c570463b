//! `ftlab serve`: a drive that holds data, attached as a block device.

mod clients;
mod crash_log;
mod daemon;
mod lateness;
mod listen;
mod outputs;
mod pid_file;
mod place;
mod record;
mod signals;
mod stop;

use clap::{Args, ValueEnum};
use clients::Clients;
use crash_log::CrashLogging;
use ftlab_attach::control::{self, Control};
use ftlab_attach::engine::Power;
use ftlab_attach::fuse::{FILE_NAME, Mounted};
use ftlab_attach::{DriveExport, Engine, Timing};
use ftlab_console::drives;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::options::{self, OutputFormat, choice};
use ftlab_console::progress::Signs;
use ftlab_console::screen;
use ftlab_drive::{Catalog, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_image::{DataDrive, OnKill};
use ftlab_nbd::{Limits, Listen, NamedExport, Server};
use ftlab_states::State;
pub use listen::beside;
use pid_file::PidFile;
use place::Opened;
pub use place::bytes;
use record::Recording;
use signals::{Signal, Signals};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub use stop::{StopOptions, stop};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab serve --drive intel-x25-m-g1-80 --image x25m.img
  ftlab serve --image x25m.img --timing off --listen 127.0.0.1:10809
  ftlab serve --image x25m.img --listen 0.0.0.0:10809 --tls-certificates pki
  ftlab serve --drive jmf602-mlc-64 --set spare.op=10% --unix jmf602.sock
  ftlab serve --image x25m.img --fuse mnt
  ftlab serve --image x25m.img --daemon
  ftlab serve --drive intel-x25-m-g1-80 --state used --image aged.img
  ftlab serve --base aged.img --image changes.img
  ftlab serve --image slow.img --image sound.img

An image that does not exist is made, from --drive or on --base. An image that
exists is opened, as the drive it was made from. Without an image the drive is
in memory and gone at the end. A base is only read, by any number of servers:
the image holds what changed, and `ftlab reset` goes back.

Several images are several drives in one server. Each is an export with the name
of its file, without .img. Give --drive and --base once for all of them, or once
for each.

The server says how to attach the drive, and then that it is ready. With
--daemon the call then returns and the server continues in the background;
`ftlab stop` ends it. SIGINT and SIGTERM stop it when the requests under way are
done; a second signal stops it at once. SIGUSR1 makes it say how late answers
were.")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file; may be left out if the image is there
    #[arg(long, value_parser = drives::name(), hide_possible_values = true)]
    drive: Vec<String>,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "drive")]
    settings: Vec<String>,
    /// State of a new drive, before it holds data; earlier writes read as zeros
    #[arg(long, value_parser = choice(State::ALL.map(|state| (state.name(), state, state.words()))), default_value = "new", requires = "drive", conflicts_with = "base")]
    state: State,
    /// The file that holds the drive's data; may be repeated
    #[arg(long, value_name = "FILE", required_unless_present_any = ["drive", "base"])]
    image: Vec<PathBuf>,
    /// An image below, which is only read: what changes lies in the image, or in memory without one
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    base: Vec<PathBuf>,
    /// Let a new drive have less capacity than its own, for example 20g; the rest is spare area
    #[arg(long, value_name = "BYTES", value_parser = place::bytes)]
    size: Option<u64>,
    /// Root of every random stream of a new drive
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = options::seed)]
    seed: u64,
    /// Test machine whose share of every command is added: a name, or a path to a .toml file
    #[arg(long, value_name = "TESTBED", default_value = "attached")]
    testbed: String,
    /// Whether answers take as long as the drive's would
    #[arg(long, value_parser = choice(TIMINGS), default_value = "model")]
    timing: Timing,
    /// Listen at a Unix socket; IMAGE.sock, of the first image, if neither this nor --listen nor --fuse is given
    #[arg(long, value_name = "SOCKET", conflicts_with = "listen")]
    unix: Option<PathBuf>,
    /// Listen at an IP address of this machine; port 0 is a free one
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen::address)]
    listen: Option<SocketAddr>,
    /// Require TLS, with ca-cert.pem, server-cert.pem, server-key.pem and, if it is there, ca-crl.pem of a
    /// directory; clients must have a certificate that a CA of ca-cert.pem signed
    #[arg(long, value_name = "DIR", requires = "listen")]
    tls_certificates: Option<PathBuf>,
    /// Whether clients must have a certificate; if not, everybody may read and write
    #[arg(long, value_enum, default_value_t = VerifyPeer::On, requires = "tls_certificates")]
    tls_verify_peer: VerifyPeer,
    /// Listen at an address that other machines reach, too, although everybody there may read and write;
    /// without --tls-certificates, nothing is encrypted
    #[arg(long, requires = "listen")]
    insecure: bool,
    /// Mount the drive as the file `disk` in an empty directory, for a loop device
    #[arg(long, value_name = "DIR")]
    fuse: Option<PathBuf>,
    /// Report the drive's state, and take commands, at a Unix socket; IMAGE.control with --image
    #[arg(long, value_name = "SOCKET")]
    control: Option<PathBuf>,
    /// The name clients ask for; the name of the file, without .img, if there are several. A client that gives no name gets
    /// the first drive
    #[arg(long, default_value = "")]
    name: String,
    /// Record what clients do as a trace, as blktrace does: reads, writes, TRIMs, flushes and FUA with their times. The
    /// drive as it is before lies beside it, in FILE.state: `ftlab run FILE --drive DRIVE --from-state FILE.state` replays it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Log what clients write, with its data, flushes and TRIMs, for `ftlab crash`: what could a power cut have left?
    #[arg(long, value_name = "FILE", conflicts_with = "read_only")]
    crash_log: Option<PathBuf>,
    /// Refuse writes
    #[arg(long)]
    read_only: bool,
    /// Survive the host's power cut, too: a flush waits for the disk under the image. Without it the drive
    /// survives when its process is killed, but after the host's power cut some slots may be unreadable
    #[arg(long, requires = "image")]
    sync: bool,
    /// Effect on the drive when the server is killed: a power cut, in which a volatile write buffer loses what
    /// was not flushed, or no more than the end of a program
    #[arg(long, value_parser = choice(ENDS), default_value = "cut", requires = "image")]
    on_kill: OnKill,
    /// Stop when standard input ends: a program that keeps a pipe to it leaves no server behind, however it ends
    #[arg(long, conflicts_with = "daemon")]
    until_stdin_closes: bool,
    /// Return when the drive can be used; the server goes on in the background
    #[arg(long, visible_alias = "fork")]
    daemon: bool,
    /// What `--daemon` starts: the server itself
    #[arg(long, hide = true, requires = "daemon")]
    in_background: bool,
    /// Write the server's process number to a file as soon as the drive can be used; with --daemon IMAGE.pid
    #[arg(long, alias = "pidfile", value_name = "FILE")]
    pid_file: Option<PathBuf>,
    /// Append the messages of a server in the background to a file; IMAGE.log if left out
    #[arg(long, value_name = "FILE", requires = "daemon")]
    log: Option<PathBuf>,
    #[command(flatten)]
    signs: Signs,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerifyPeer {
    /// No client without one
    On,
    /// Any client will do
    Off,
}

/// Words for the effect of a server's death on its drives.
const ENDS: [(&str, OnKill, &str); 2] = [
    ("cut", OnKill::Cut, "What was not flushed may be lost"),
    ("keep", OnKill::Keep, "What reached the flash is kept"),
];

const TIMINGS: [(&str, Timing, &str); 2] = [
    (
        "model",
        Timing::Model,
        "Each answer leaves when the model is done",
    ),
    ("off", Timing::Off, "As fast as possible"),
];

/// The last line that a server says before it waits for clients.
const READY: &str = "ready\n";

pub fn command(options: &Options, catalog: &Catalog, version: &str) -> Outcome {
    match options.daemon && !options.in_background {
        true => daemon::start(options),
        false => serve(options, catalog, version),
    }
}

fn serve(options: &Options, catalog: &Catalog, version: &str) -> Outcome {
    if options.in_background {
        daemon::leave_session();
    }
    let drive_specs = options.drive_specs()?;
    options.check_outputs()?;
    let listen = options.listen()?;
    // Before anything takes long: whoever stops the program finds it listening to that.
    let signals = Signals::catch()?;
    if options.until_stdin_closes {
        signals.catch_end_of_input()?;
    }
    let testbed = Testbed::load(&options.testbed)?;
    if testbed.path.is_some() {
        return Err(Failure::Input(format!(
            "--testbed {}: its [path] says what requests cost the host, and a drive that is attached has a real host; take \
             attached, or another testbed without a [path]",
            testbed.slug
        )));
    }
    let mut opened: Vec<Opened> = Vec::new();
    let mut outcome = Ok(());
    for one in drive_specs {
        let others = opened.iter().map(|one| one.drive.drive_file());
        let others_bytes = others.map(DriveFile::memory_bytes).sum();
        match place::open(options, one, (catalog, &testbed), others_bytes) {
            Ok(one) => opened.push(one),
            Err(why) => {
                outcome = Err(why);
                break;
            }
        }
    }
    let made: Vec<PathBuf> = opened.iter().filter_map(|one| one.made.clone()).collect();
    let mut is_reached = false;
    if outcome.is_ok() {
        outcome = attach(options, version, listen, &signals, opened, &mut is_reached);
    } else {
        drop(opened);
    }
    // Nobody could have written to them, and nothing is to be left of a call that was refused.
    let unused = made.iter().filter(|_| !is_reached);
    let removed = unused.map(|made| {
        std::fs::remove_file(made)
            .map_err(|error| Failure::Running(format!("cannot remove {}: {error}", made.display())))
    });
    outcome.and(removed.collect())
}

/// The trace and the crash log of a drive that is served.
#[derive(Default)]
struct Recordings {
    trace: Option<Recording>,
    crash_log: Option<CrashLogging>,
}

impl Recordings {
    /// Begins what is asked for; nothing is left of it if a part cannot begin.
    fn begin(
        options: &Options,
        version: &str,
        drive: &mut DataDrive,
    ) -> Result<Recordings, Failure> {
        let mut recordings = Recordings::default();
        if options.crash_log.is_some() && options.on_kill == OnKill::Keep {
            return Err(Failure::Input(
                "--crash-log is for what a power cut takes, and --on-kill keep has none: leave one of them out".into(),
            ));
        }
        if let Some(path) = &options.record {
            recordings.trace = Some(Recording::begin(path, drive, version, options.seed)?);
        }
        if let Some(path) = &options.crash_log {
            match CrashLogging::begin(path, drive, version) {
                Ok(log) => recordings.crash_log = Some(log),
                Err(why) => {
                    recordings.end(None, false)?;
                    return Err(why);
                }
            }
        }
        Ok(recordings)
    }

    /// Ends all of it, and says what it holds; nothing is left of what nobody could have done anything to.
    fn end(self, drive: Option<&mut DataDrive>, is_reached: bool) -> Result<String, Failure> {
        let logged = self
            .crash_log
            .map_or(Ok(String::new()), |log| log.end(drive, is_reached));
        let recorded = self
            .trace
            .map_or(Ok(String::new()), |trace| trace.end(is_reached));
        Ok(recorded? + &logged?)
    }
}

/// A drive that is served, under its name and with its description for clients.
struct Served {
    engine: Arc<Engine>,
    /// Name of the export.
    name: String,
    description: String,
    is_rotational: bool,
    control: Option<PathBuf>,
    /// Lines on the drive that are printed when it is ready.
    greeting: String,
}

impl Served {
    fn start(
        options: &Options,
        opened: Opened,
        is_one_of_several: bool,
        begin: impl FnOnce(&mut DataDrive) -> Outcome,
    ) -> Result<Served, Failure> {
        let Opened {
            mut drive,
            how,
            image,
            ..
        } = opened;
        begin(&mut drive)?;
        let file = drive.drive_file();
        let description = format!("{} ({})", file.name(), file.slug());
        let is_rotational = file.kind() == Kind::Disk;
        let has_time = options.timing == Timing::Model;
        let about = place::of_image(&drive) + &place::of_faults(&drive, has_time);
        // A thread reads the base in advance, so that a reset takes no time for that.
        drive.expect_resets();
        let engine = Engine::start(drive, options.timing);
        let engine = engine.map_err(|error| Failure::Running(format!("cannot start: {error}")))?;
        let name = match &image {
            Some(image) if is_one_of_several => place::export_name(image),
            _ => options.name.clone(),
        };
        let mut greeting = format!("drive    {description}\n");
        if is_one_of_several {
            greeting += &format!("export   {name}\n");
        }
        greeting += &format!(
            "         {}, {how}\n{about}",
            screen::capacity(engine.size_bytes())
        );
        Ok(Served {
            engine: Arc::new(engine),
            name,
            description,
            is_rotational,
            control: options.control_path(image.as_deref()),
            greeting,
        })
    }
}

/// Has others get at drives until a signal ends that; notes when they can.
fn attach(
    options: &Options,
    version: &str,
    listen: Option<Listen>,
    signals: &Signals,
    opened: Vec<Opened>,
    is_reached: &mut bool,
) -> Outcome {
    let mut recordings = Recordings::default();
    let (served, started) = start(options, version, opened, &mut recordings);
    // It goes last: whoever waits for the end of the server finds the image closed.
    let mut pid_file = None;
    let ready = started
        .and_then(|()| FrontEnds::open(options, &served, listen))
        .and_then(|front_ends| {
            pid_file = options.pid_path()?.map(PidFile::write).transpose()?;
            let log = options.open_log()?;
            Ok((front_ends, log))
        });
    *is_reached = ready.is_ok();
    let outcome = ready.and_then(|(front_ends, log)| {
        let mut text: String = served.iter().map(|one| one.greeting.as_str()).collect();
        text +=
            &(front_ends.addresses(options, &served) + &daemon::notice(pid_file.as_ref()) + READY);
        screen::print(&text)?;
        log.map_or(Ok(()), |log| daemon::let_go(log, &text))?;
        run(options, &served, signals, &front_ends)
    });
    let (noted, closed) = stop_all(&served, recordings, *is_reached);
    outcome.and(closed)?;
    screen::print(&noted?)?;
    if options.timing == Timing::Model {
        tell_lateness(options, &served)?;
    }
    Ok(())
}

/// Starts the drives one by one, and what is written down of the first of them; those before one that does not start are
/// there.
fn start(
    options: &Options,
    version: &str,
    opened: Vec<Opened>,
    recordings: &mut Recordings,
) -> (Vec<Served>, Outcome) {
    let is_one_of_several = opened.len() > 1;
    let mut served: Vec<Served> = Vec::new();
    for one in opened {
        // Only one of one is recorded.
        let begin = |drive: &mut DataDrive| {
            *recordings = Recordings::begin(options, version, drive)?;
            Ok(())
        };
        match Served::start(options, one, is_one_of_several, begin) {
            Ok(one) => served.push(one),
            Err(why) => return (served, Err(why)),
        }
    }
    if let (Some(trace), Some(one)) = (&recordings.trace, served.first()) {
        one.engine.record(trace.recorder());
    }
    (served, Ok(()))
}

/// Stops the drives: what was written down of them, and whether each was closed. Whatever happened, each image is closed as
/// it should be.
fn stop_all(
    served: &[Served],
    mut recordings: Recordings,
    is_reached: bool,
) -> (Result<String, Failure>, Outcome) {
    let mut noted = Ok(String::new());
    let mut closed = Ok(());
    for one in served {
        let mut drive = one.engine.stop();
        let of_one = std::mem::take(&mut recordings).end(drive.as_mut(), is_reached);
        noted = noted.and_then(|noted| Ok(noted + &of_one?));
        let of_one = match drive {
            Some(drive) => drive
                .close()
                .map_err(|error| Failure::Running(error.to_string())),
            None => Err(Failure::Running(
                "the drive ended by a fault of the program".into(),
            )),
        };
        closed = closed.and(of_one);
    }
    if served.is_empty() {
        noted = recordings.end(None, false);
    }
    (noted, closed)
}

/// Says how late the answers of each drive were.
fn tell_lateness(options: &Options, served: &[Served]) -> Outcome {
    for one in served {
        if served.len() > 1 && options.output_format == OutputFormat::Normal {
            screen::print(&format!("{}\n", one.name))?;
        }
        screen::print(&lateness::report(&one.engine, options.output_format))?;
    }
    Ok(())
}

/// The ways to the drives. They are closed when this is dropped, and what came by them is answered.
struct FrontEnds {
    server: Option<Server>,
    mounted: Option<Mounted>,
    controls: Vec<Control>,
}

impl FrontEnds {
    fn open(
        options: &Options,
        served: &[Served],
        listen: Option<Listen>,
    ) -> Result<FrontEnds, Failure> {
        let mut controls = Vec::new();
        for one in served {
            let Some(path) = &one.control else { continue };
            let (engine, limits) = (Arc::clone(&one.engine), control::Limits::default());
            let control = Control::start(engine, path, options.read_only, limits);
            controls.push(control.map_err(|error| {
                Failure::Input(format!("cannot listen at {}: {error}", path.display()))
            })?);
        }
        let mounted = options.fuse.as_ref().zip(served.first());
        let mounted = mounted.map(|(folder, one)| {
            let mounted = Mounted::mount(Arc::clone(&one.engine), folder, options.read_only);
            mounted.map_err(|error| {
                Failure::Input(format!(
                    "cannot mount the drive in {}: {error}",
                    folder.display()
                ))
            })
        });
        let mounted = mounted.transpose()?;
        let server = listen.map(|listen| {
            let exports = served.iter().map(|one| {
                let (engine, description) = (Arc::clone(&one.engine), one.description.clone());
                NamedExport {
                    name: one.name.clone(),
                    read_only: options.read_only,
                    export: Arc::new(DriveExport::new(engine, description, one.is_rotational)),
                }
            });
            let clients = Clients::default();
            let log = move |number, event| clients.tell(number, &event);
            Server::start(&listen, exports.collect(), Limits::default(), log)
                .map_err(|error| Failure::Input(error.to_string()))
        });
        let server = server.transpose()?;
        // A power cut closes the connections of this drive's export alone; the other drives go on.
        for (number, one) in served.iter().enumerate() {
            let connections = server.as_ref().map(Server::stop_handle);
            one.engine.on_power(move |power| match power {
                Power::Off => {
                    if let Some(connections) = &connections {
                        connections.hang_up(number);
                    }
                }
                Power::On(None) => screen::say("power cut: this drive loses nothing\n"),
                Power::On(Some(cut)) => {
                    screen::say(&format!("power cut: {}\n", crate::power_cut(cut)))
                }
                Power::Lost(why) => {
                    screen::say(&format!("power cut: the drive does not come back: {why}\n"))
                }
            });
        }
        Ok(FrontEnds {
            server,
            mounted,
            controls,
        })
    }

    /// Lines that say how to use them.
    fn addresses(&self, options: &Options, served: &[Served]) -> String {
        let mut text = String::new();
        if let Some(server) = &self.server {
            for one in served {
                text += &listen::addresses(server.listen(), &one.name);
            }
        }
        if let Some(folder) = &options.fuse {
            text += &place::of_file(&folder.join(FILE_NAME));
        }
        for control in &self.controls {
            text += &place::of_control(control.path());
        }
        text
    }

    /// True while a loop device, or another program, has the mounted file open.
    fn is_in_use(&self) -> bool {
        self.mounted.as_ref().is_some_and(Mounted::is_in_use)
    }
}

impl Drop for FrontEnds {
    fn drop(&mut self) {
        if let Some(mounted) = self.mounted.take()
            && let Err(error) = mounted.unmount()
        {
            screen::say(&format!("cannot unmount the drive: {error}\n"));
        }
    }
}

/// Interval at which a stopping server looks if its file is still in use.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Looks after which it says what it waits for.
const LOOKS_IN_SILENCE: u32 = 20;

/// Serves until a signal ends it. While the mounted file is in use the drive stays, since the kernel would
/// wait for one that is gone, and goes when it is released: `losetup -d` comes back before the kernel has
/// let go.
fn run(options: &Options, served: &[Served], signals: &Signals, front_ends: &FrontEnds) -> Outcome {
    // Looks since the signal to stop.
    let mut looks = None;
    loop {
        let signal = match looks {
            Some(_) => signals.next_within(LOOK_EVERY),
            None => Some(signals.next()),
        };
        match (signal, looks) {
            (Some(Signal::Tell), _) => {
                tell_lateness(options, served)?;
            }
            _ if !front_ends.is_in_use() => return Ok(()),
            (Some(Signal::Stop), Some(_)) => signals::at_once(),
            (_, so_far) => {
                let so_far = so_far.map_or(0, |looks: u32| looks + 1);
                if so_far == LOOKS_IN_SILENCE {
                    screen::say(
                        "the mounted file is in use: detach the loop device (losetup -d), and the drive stops; \
                         a second signal to stop while it is in use cuts the drive's power\n",
                    );
                }
                looks = Some(so_far);
            }
        }
    }
}
