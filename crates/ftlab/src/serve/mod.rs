//! `ftlab serve`: a drive that holds data, attached as a block device.

mod lateness;
mod place;
mod signals;

use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::screen;
use clap::{Args, ValueEnum};
use ftlab_attach::{DriveExport, Engine, Timing};
use ftlab_drive::{Catalog, Kind};
use ftlab_nbd::server::Event;
use ftlab_nbd::{Limits, Listen, NamedExport, Server};
use place::Opened;
use signals::{Signal, Signals};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The port that is NBD's.
const PORT: u16 = 10_809;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab serve --drive intel-x25-m-g1-80 --image x25m.img
  ftlab serve --image x25m.img --timing off --listen 127.0.0.1:10809
  ftlab serve --drive jmf602-mlc-64 --set spare.op=10% --unix /tmp/jmf602.sock

An image that is not there is made, of --drive; one that is there is opened, and is the drive it was made
of. Without an image the drive is in memory and gone at the end.

It says how to attach the drive, and then that it is ready. SIGINT and SIGTERM stop it when what is under
way is done, a second one at once; SIGUSR1 has it say how late answers were.")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file; may be left out if the image is there
    #[arg(long)]
    drive: Option<String>,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "drive")]
    settings: Vec<String>,
    /// The file that holds the drive's data
    #[arg(long, value_name = "FILE", required_unless_present = "drive")]
    image: Option<PathBuf>,
    /// Let a new drive have less capacity than its own, for example 20g; the rest is spare area
    #[arg(long, value_name = "BYTES", value_parser = place::bytes)]
    size: Option<u64>,
    /// Root of every random stream of a new drive
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Test machine whose share of every command is added: a name, or a path to a .toml file
    #[arg(long, value_name = "TESTBED", default_value = "attached")]
    testbed: String,
    /// Whether answers take as long as the drive's would
    #[arg(long, value_enum, default_value_t = TimingName::Model)]
    timing: TimingName,
    /// Listen at a Unix socket; IMAGE.sock if neither this nor --listen is given
    #[arg(long, value_name = "SOCKET", conflicts_with = "listen")]
    unix: Option<PathBuf>,
    /// Listen at an address of this machine; port 0 is a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Listen at an address that other machines reach, too: nothing is encrypted, and everybody may read
    /// and write
    #[arg(long, requires = "listen")]
    insecure: bool,
    /// The name clients ask for; any client that gives no name is given the drive, too
    #[arg(long, default_value = "")]
    name: String,
    /// Refuse writes
    #[arg(long)]
    read_only: bool,
    /// Bring flushed data to the disk under the image, so that they survive a power cut of this machine;
    /// a drive whose program is killed keeps them anyway
    #[arg(long, requires = "image")]
    sync: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TimingName {
    /// Each answer leaves when the model is done
    Model,
    /// As fast as possible
    Off,
}

pub fn command(options: &Options) -> Outcome {
    let listen = options.listen()?;
    // Before anything takes long: whoever stops the program finds it listening to that.
    let signals = Signals::catch()?;
    let testbed = Catalog::testbed(&options.testbed)?;
    let Opened { drive, how } = place::open(options, &testbed)?;
    let is_rotational = drive.file().kind() == Kind::Disk;
    let description = format!("{} ({})", drive.file().name(), drive.file().slug());
    let timing = match options.timing {
        TimingName::Model => Timing::Model,
        TimingName::Off => Timing::Off,
    };
    let engine = Engine::start(drive, timing);
    let engine = engine.map_err(|error| Failure::Running(format!("cannot start: {error}")))?;
    let engine = Arc::new(engine);
    let export = DriveExport::new(Arc::clone(&engine), description.clone(), is_rotational);
    let exports = vec![NamedExport {
        name: options.name.clone(),
        read_only: options.read_only,
        export: Arc::new(export),
    }];
    let server = Server::start(&listen, exports, Limits::default(), tell);
    let outcome = match server {
        Ok(server) => {
            let mut text = format!("drive    {description}\n");
            text += &format!("         {}, {how}\n", screen::capacity(engine.size_bytes()));
            text += &place::ways_in(&options.uri(server.listen()));
            screen::print(&(text + "ready\n")).and_then(|()| run(options, &engine, &signals, server))
        }
        Err(error) => Err(Failure::Input(error.to_string())),
    };
    // Whatever happened, the image is closed as it should be.
    let closed = match engine.stop() {
        Some(drive) => drive.close().map_err(|error| Failure::Running(error.to_string())),
        None => Err(Failure::Running("the drive ended by a fault of the program".into())),
    };
    outcome.and(closed)?;
    if options.timing == TimingName::Model {
        screen::print(&lateness::told(&engine, options.output_format))?;
    }
    Ok(())
}

/// Serves until a signal ends it.
fn run(options: &Options, engine: &Engine, signals: &Signals, server: Server) -> Outcome {
    while signals.next() == Signal::Tell {
        screen::print(&lateness::told(engine, options.output_format))?;
    }
    drop(server);
    Ok(())
}

/// Says on standard error what went wrong with a client.
fn tell(number: u64, event: Event) {
    match event {
        Event::Ended(Err(error)) => eprintln!("connection {number}: {error}"),
        Event::TooMany => eprintln!("connection {number}: refused, there are as many as may be"),
        Event::Connected | Event::Ended(Ok(())) => {}
    }
}

impl Options {
    fn listen(&self) -> Result<Listen, Failure> {
        if let Some(path) = &self.unix {
            return Ok(Listen::Unix(path.clone()));
        }
        match (self.listen, &self.image) {
            (Some(address), _) if self.insecure => Ok(Listen::Insecure(address)),
            (Some(address), _) if !address.ip().is_loopback() => Err(Failure::Input(format!(
                "{address} can be reached from other machines, and nothing is encrypted: give an address \
                 such as 127.0.0.1:{PORT}, or --insecure if everybody there may read and write"
            ))),
            (Some(address), _) => Ok(Listen::Loopback(address)),
            (None, Some(image)) => {
                let mut path = image.as_os_str().to_owned();
                path.push(".sock");
                Ok(Listen::Unix(path.into()))
            }
            (None, None) => Ok(Listen::Loopback(([127, 0, 0, 1], PORT).into())),
        }
    }

    /// What clients are given, with the export's name if it has one.
    fn uri(&self, at: &Listen) -> String {
        let uri = at.to_string();
        match at {
            Listen::Unix(_) => uri.replacen("///", &format!("///{}", self.name), 1),
            Listen::Loopback(_) | Listen::Insecure(_) => format!("{uri}/{}", self.name),
        }
    }
}
