//! Three nodes of CockroachDB on the loopback address.

use crate::{
    node::Node,
    postgres::{free_port, new_folder},
    programs::{Missing, run},
};
use std::{env, path::PathBuf, process::Command};

/// The environment variable with the path of the program.
pub(crate) const PROGRAM: &str = "KEYSCAPE_COCKROACH";
const NODES: usize = 3;

/// A running cluster.
#[derive(Debug)]
pub struct Cockroach {
    program: PathBuf,
    nodes: Vec<Node>,
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
        let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let mut nodes = Vec::new();
        for (number, port) in ports.iter().enumerate() {
            let mut node = Command::new(&program);
            node.args(["start", "--insecure", "--http-addr=127.0.0.1:0", "--cache=128MiB"]);
            node.args(["--max-sql-memory=128MiB", "--store=data", "--listen-addr"]);
            node.arg(&hosts[number]).arg("--join").arg(hosts.join(","));
            nodes.push(Node::start(&folder.join(number.to_string()), *port, &node)?);
        }
        run(Command::new(&program).args(["init", "--insecure", "--host"]).arg(&hosts[0]))?;
        nodes.iter().try_for_each(Node::wait)?;
        Ok(Cockroach { program, nodes })
    }

    /// Returns the address of the database through all nodes.
    #[must_use]
    pub fn url(&self) -> String {
        let hosts: Vec<&str> = self.nodes.iter().map(Node::host).collect();
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
    /// If its guard does not answer.
    pub fn kill(&mut self, node: usize) -> Result<(), Missing> {
        self.nodes.get_mut(node).map_or(Ok(()), Node::kill)
    }

    /// Starts a node that was killed.
    ///
    /// # Errors
    /// If its guard does not answer.
    pub fn restart(&mut self, node: usize) -> Result<(), Missing> {
        self.nodes.get_mut(node).map_or(Ok(()), Node::restart)
    }
}
