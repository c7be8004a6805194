//! The pictures of the README: the overview of a simulated bank, and a key.

use crate::gate::{cargo, run};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

const KEYSCAPE: &str = "target/debug/keyscape";
const DATABASE: &str = "target/screenshots.redb";
/// The balance of an account in `uatom`.
const KEY: &str = "02146c82a562cb808d10d632be89c8513ebf6c929f347561746f6d";

/// Makes the pictures with Chromium.
pub(crate) fn make() -> Result<(), String> {
    cargo(&["build", "--locked", "--package", "keyscape-cli"])?;
    // A file of another run has other rows.
    let _ = std::fs::remove_file(DATABASE);
    let blocks = ["--blocks", "40", "--seed", "5", "--db", DATABASE];
    run(Command::new(KEYSCAPE).args(["sim", "bank"]).args(blocks))?;
    let mut server = Server::start()?;
    let address = server.address()?;
    // The address is `http://HOST/?token=TOKEN`.
    let (host, token) = address.split_once('?').ok_or("the server printed no token")?;
    let key = format!("{host}decode?key={KEY}&{token}");
    picture("overview", &address, 860).and_then(|()| picture("key", &key, 640))
}

/// Loads a page, and writes what a window of this height shows.
fn picture(name: &str, address: &str, height: u32) -> Result<(), String> {
    let path = format!("docs/explorer-{name}.png");
    let mut chromium = Command::new("chromium");
    chromium.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        // The overview loads again until the proof of the layout has ended.
        "--virtual-time-budget=8000",
        &format!("--window-size=1180,{height}"),
        &format!("--screenshot={path}"),
        address,
    ]);
    // Chromium complains about missing services of a desktop.
    let output = chromium.output().map_err(|error| format!("cannot run `chromium`: {error}"))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(format!("chromium: {}\n{messages}", output.status));
    }
    eprintln!("{path}");
    Ok(())
}

/// A running `keyscape serve`. It ends when it is dropped.
struct Server(Child);

impl Server {
    fn start() -> Result<Self, String> {
        let child = Command::new(KEYSCAPE).args(["serve", DATABASE]).stdout(Stdio::piped()).spawn();
        child.map(Self).map_err(|error| format!("cannot run {KEYSCAPE}: {error}"))
    }

    /// Waits until the server listens, and returns the address that it prints.
    fn address(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let output = self.0.stdout.take().ok_or("the server has no output")?;
        BufReader::new(output)
            .read_line(&mut line)
            .map_err(|error| format!("cannot read the address of the server: {error}"))?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
