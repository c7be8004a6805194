//! A placement driver and three stores that speak TiKV's protocol: PD and unistore, built from Go
//! modules.

use crate::{
    node::Node,
    postgres::{free_port, new_folder},
    programs::{Missing, run},
};
use serde_json::Value;
use std::{
    env, fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// The environment variable with the directory of the programs. `cargo xtask cluster tikv` sets it.
pub(crate) const PROGRAMS: &str = "KEYSCAPE_TIKV_PROGRAMS";
const STORES: usize = 3;
const ATTEMPTS: u32 = 4;
const PATIENCE: Duration = Duration::from_secs(30);

const PD: &str = "github.com/tikv/pd";
const UNISTORE: &str = "github.com/ngaut/unistore";
/// Replacements in files of unistore.
const PATCHES: [(&str, &str, &str); 2] = [
    // A backward scan creates its iterator before it sets the timestamp of the snapshot, so it
    // reads the newest rows.
    (
        "tikv/dbreader/db_reader.go",
        "\titer := r.getReverseIter()\n\tr.txn.SetReadTS(startTS)\n",
        "\tr.txn.SetReadTS(startTS)\n\titer := r.getReverseIter()\n",
    ),
    // A prewrite stores the keys of the whole commit in the lock of each key. TiKV does so only in
    // the lock of the primary key, and only for asynchronous commits.
    (
        "tikv/mvcc.go",
        "\tlock := &mvcc.MvccLock{\n\t\tMvccLockHdr: mvcc.MvccLockHdr{\n\t\t\tStartTS:        req.StartVersion,\n",
        "\tif !req.UseAsyncCommit {\n\t\treq.Secondaries = nil\n\t}\n\
         \tlock := &mvcc.MvccLock{\n\t\tMvccLockHdr: mvcc.MvccLockHdr{\n\t\t\tStartTS:        req.StartVersion,\n",
    ),
];

/// Short elections, so that a killed leader is replaced soon. A store that does not sync its log
/// forgets acknowledged entries when it is killed.
const SETTINGS: &str = "[server]\nlog-level = \"warn\"\nmax-procs = 2\n\
    [raftstore]\npd-heartbeat-tick-interval = \"1s\"\nraft-store-max-leader-lease = \"800ms\"\n\
    raft-base-tick-interval = \"100ms\"\nraft-heartbeat-ticks = 2\n\
    raft-election-timeout-ticks = 10\ncustom-raft-log = true\n\
    [engine]\nsync-write = true\nvlog-file-size = 16777216\nmax-mem-table-size = 16777216\n";

/// Builds the programs in a directory, unless it contains them. Needs Go and its module proxy.
///
/// # Errors
/// If Go is missing, or a build fails.
pub fn build_tikv(folder: &Path) -> Result<(), Missing> {
    build(&folder.join("pd-server"), PD, include_str!("pd.mod"), |_| Ok(()))?;
    build(&folder.join("unistore-server"), UNISTORE, include_str!("unistore.mod"), patch_unistore)
}

/// Builds the program that has the name of its directory from a Go module.
fn build(
    folder: &Path,
    module: &str,
    requirements: &str,
    prepare: impl Fn(&Path) -> Result<(), Missing>,
) -> Result<(), Missing> {
    let Some(program) = folder.file_name().filter(|name| !folder.join(name).is_file()) else {
        return Ok(());
    };
    fs::create_dir_all(folder)?;
    fs::write(folder.join("go.mod"), requirements)?;
    prepare(folder)?;
    let mut go = go(folder);
    // An old module of both refers to a private name of Go's runtime.
    go.args(["build", "-ldflags=-checklinkname=0", "-tags=without_dashboard", "-o"]).arg(program);
    run(go.arg(format!("{module}/cmd/{}", program.display()))).map(drop)
}

/// Copies the sources of unistore into the directory, and patches them.
fn patch_unistore(folder: &Path) -> Result<(), Missing> {
    let found = run(go(folder).args(["mod", "download", "-json", UNISTORE]))?;
    let found: Value = serde_json::from_str(&found).unwrap_or_default();
    let sources = found["Dir"].as_str().unwrap_or_default();
    let copy = folder.join("unistore");
    // A partial copy would block the next run.
    let _ = fs::remove_dir_all(&copy);
    run(Command::new("cp").args(["-R", sources]).arg(&copy))?;
    run(Command::new("chmod").args(["-R", "u+w"]).arg(&copy))?;
    fs::write(copy.join("go.mod"), format!("module {UNISTORE}\n"))?;
    for (file, wrong, right) in PATCHES {
        let text = fs::read_to_string(copy.join(file))?;
        if !text.contains(wrong) {
            let output = format!("`{file}` does not contain the lines to replace");
            return Err(Missing::Failed { command: "patch unistore".to_owned(), output });
        }
        fs::write(copy.join(file), text.replace(wrong, right))?;
    }
    run(go(folder).args(["mod", "edit", &format!("-replace={UNISTORE}=./unistore")])).map(drop)
}

fn go(folder: &Path) -> Command {
    let mut go = Command::new("go");
    go.current_dir(folder).env("GOFLAGS", "-mod=mod -buildvcs=false");
    go
}

/// A running cluster. The stores listen on all addresses, so start it in a network namespace.
#[derive(Debug)]
pub struct Tikv {
    driver: Node,
    stores: Vec<Node>,
}

impl Tikv {
    /// Starts a placement driver and three stores of the programs in `KEYSCAPE_TIKV_PROGRAMS`, and
    /// waits until every region has three replicas.
    ///
    /// # Errors
    /// If the variable is not set, or the cluster does not start.
    pub fn start() -> Result<Tikv, Missing> {
        let mut attempt = 1;
        loop {
            // A store of unistore sometimes fails while it receives its first replicas.
            match Tikv::try_start() {
                Err(Missing::Failed { .. }) if attempt < ATTEMPTS => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    fn try_start() -> Result<Tikv, Missing> {
        let programs = env::var_os(PROGRAMS).map(PathBuf::from).ok_or(Missing::Tikv)?;
        let program = |name: &str| Command::new(programs.join(name).join(name));
        let folder = new_folder("tikv")?;
        let (client, peer) = (free_port()?, free_port()?);
        let mut driver = program("pd-server");
        driver.args(["--name=pd", "--data-dir=data", "--log-file=log", "-L=warn"]);
        driver.arg(format!("--client-urls=http://127.0.0.1:{client}"));
        driver.arg(format!("--peer-urls=http://127.0.0.1:{peer}"));
        let driver = Node::start(&folder.join("pd"), client, &driver)?;
        driver.wait()?;
        let mut cluster = Tikv { driver, stores: Vec::new() };
        cluster.wait_for("the driver", |cluster| cluster.ask("health").is_some())?;
        for number in 0..STORES {
            let (port, status) = (free_port()?, free_port()?);
            let folder = folder.join(number.to_string());
            fs::create_dir_all(folder.join("data"))?;
            fs::write(folder.join("settings.toml"), SETTINGS)?;
            let mut store = program("unistore-server");
            store.args(["--config=settings.toml", "--data-dir=data", "--log-file=log"]);
            store.arg(format!("--pd={}", cluster.driver.host()));
            store.arg(format!("--addr=127.0.0.1:{port}"));
            store.arg(format!("--status-addr=127.0.0.1:{status}"));
            cluster.stores.push(Node::start(&folder, port, &store)?);
            cluster.stores[number].wait()?;
            cluster.wait_for("a store", |cluster| cluster.count_stores() == number + 1)?;
        }
        cluster.wait_for("three replicas", Tikv::is_replicated)?;
        Ok(cluster)
    }

    /// Returns the address of a database.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("tikv://{}/{name}", self.driver.host())
    }

    /// Kills a store with SIGKILL.
    ///
    /// # Errors
    /// If its guard does not answer.
    pub fn kill(&mut self, store: usize) -> Result<(), Missing> {
        self.stores.get_mut(store).map_or(Ok(()), Node::kill)
    }

    /// Starts a store that was killed, and waits until it answers.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn restart(&mut self, store: usize) -> Result<(), Missing> {
        let Some(store) = self.stores.get_mut(store) else { return Ok(()) };
        store.restart()?;
        store.wait()
    }

    /// Returns the store that leads the region of a key that begins with `prefix`.
    ///
    /// # Errors
    /// If the region has no leader for 30 seconds.
    pub fn leader(&self, prefix: &str) -> Result<usize, Missing> {
        let mut found = None;
        self.wait_for("a leader", |cluster| {
            found = cluster.find_leader(prefix);
            found.is_some()
        })?;
        found.ok_or(Missing::Tikv)
    }

    fn find_leader(&self, prefix: &str) -> Option<usize> {
        let region = self.ask(&format!("region/key/{prefix}"))?;
        let leader = region["leader"]["store_id"].as_u64()?;
        let store = self.ask(&format!("store/{leader}"))?;
        let host = store["store"]["address"].as_str()?;
        self.stores.iter().position(|store| store.host() == host)
    }

    fn count_stores(&self) -> usize {
        let answer = self.ask("stores").unwrap_or_default();
        let is_up = |store: &&Value| store["store"]["state_name"] == "Up";
        answer["stores"].as_array().map_or(0, |all| all.iter().filter(is_up).count())
    }

    fn is_replicated(&self) -> bool {
        let Some(answer) = self.ask("regions") else { return false };
        let peers = |region: &Value| region["peers"].as_array().map_or(0, Vec::len);
        let regions = answer["regions"].as_array();
        regions.is_some_and(|all| all.len() > 1 && all.iter().all(|region| peers(region) == STORES))
    }

    fn wait_for(&self, what: &str, mut is_ready: impl FnMut(&Tikv) -> bool) -> Result<(), Missing> {
        let begin = Instant::now();
        while !is_ready(self) {
            if begin.elapsed() > PATIENCE {
                let logs: String = self.stores.iter().map(Node::log).collect();
                let output = format!("no sign of {what} after {PATIENCE:?}; the logs are:\n{logs}");
                return Err(Missing::Failed { command: "the TiKV cluster".to_owned(), output });
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Asks the driver over HTTP.
    fn ask(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(self.driver.host()).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        let host = self.driver.host();
        write!(stream, "GET /pd/api/v1/{path} HTTP/1.0\r\nHost: {host}\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        head.contains(" 200 ").then(|| serde_json::from_str(body).ok())?
    }
}
