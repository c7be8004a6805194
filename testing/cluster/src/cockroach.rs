//! Three nodes of CockroachDB on the loopback address.

use crate::{
    postgres::{free_port, new_folder},
    programs::{Missing, run},
};
use std::{
    env, fs,
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The environment variable with the path of the program.
pub(crate) const PROGRAM: &str = "KEYSCAPE_COCKROACH";
const NODES: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

/// Kills the node when its input ends, which happens when the test ends or is killed.
const GUARD: &str = r#""$@" >/dev/null 2>&1 </dev/null & node=$!; cat >/dev/null; kill -9 $node"#;

/// A running cluster.
#[derive(Debug)]
pub struct Cockroach {
    program: PathBuf,
    folder: PathBuf,
    /// The port of each node and its process. Killed nodes have none.
    nodes: Vec<(u16, Option<Child>)>,
}

impl Cockroach {
    /// Starts three nodes of the program that `KEYSCAPE_COCKROACH` names.
    ///
    /// # Errors
    /// If the variable is not set, or the nodes do not start.
    pub fn start() -> Result<Cockroach, Missing> {
        let program = env::var_os(PROGRAM).map(PathBuf::from).ok_or(Missing::Cockroach)?;
        let folder = new_folder("cockroach")?;
        let ports = (0..NODES).map(|_| free_port()).collect::<Result<Vec<u16>, _>>()?;
        let nodes = ports.into_iter().map(|port| (port, None)).collect();
        let mut cluster = Cockroach { program, folder, nodes };
        for node in 0..NODES {
            cluster.restart(node)?;
        }
        let mut init = Command::new(&cluster.program);
        run(init.args(["init", "--insecure", "--host"]).arg(cluster.host(0)))?;
        cluster.wait()?;
        Ok(cluster)
    }

    /// Returns the address of the database through all nodes.
    #[must_use]
    pub fn url(&self) -> String {
        let hosts: Vec<String> = (0..NODES).map(|node| self.host(node)).collect();
        format!("postgres://root@{}/defaultdb", hosts.join(","))
    }

    /// Returns the version as the program prints it.
    ///
    /// # Errors
    /// If the program fails.
    pub fn version(&self) -> Result<String, Missing> {
        run(Command::new(&self.program).args(["version", "--build-tag"]))
            .map(|tag| tag.trim().into())
    }

    /// Kills a node with SIGKILL.
    ///
    /// # Errors
    /// If its guard cannot be waited for.
    pub fn kill(&mut self, node: usize) -> Result<(), Missing> {
        let Some((_, process)) = self.nodes.get_mut(node) else { return Ok(()) };
        if let Some(mut guard) = process.take() {
            drop(guard.stdin.take());
            guard.wait()?;
        }
        Ok(())
    }

    /// Starts a node.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn restart(&mut self, node: usize) -> Result<(), Missing> {
        let hosts: Vec<String> = (0..NODES).map(|node| self.host(node)).collect();
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(&self.program);
        guard.args(["start", "--insecure", "--http-addr=127.0.0.1:0", "--cache=128MiB"]);
        guard.args(["--max-sql-memory=128MiB", "--listen-addr"]).arg(self.host(node));
        guard.arg("--store").arg(self.folder.join(node.to_string()));
        guard.arg("--join").arg(hosts.join(","));
        let guard = guard.stdin(Stdio::piped()).spawn()?;
        if let Some((_, process)) = self.nodes.get_mut(node) {
            *process = Some(guard);
        }
        Ok(())
    }

    fn host(&self, node: usize) -> String {
        let port = self.nodes.get(node).map_or(0, |(port, _)| *port);
        format!("127.0.0.1:{port}")
    }

    fn wait(&self) -> Result<(), Missing> {
        let begin = Instant::now();
        while TcpStream::connect(self.host(0)).is_err() {
            if begin.elapsed() > PATIENCE {
                let output = "the nodes do not answer".to_owned();
                return Err(Missing::Failed { command: "cockroach start".to_owned(), output });
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Cockroach {
    fn drop(&mut self) {
        for node in 0..NODES {
            // The directory is removed in any case.
            let _ = self.kill(node);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}
