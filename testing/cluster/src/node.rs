//! One process of a cluster.

use crate::programs::Missing;
use std::{
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(30);

/// The shell that guards a process. It starts the process again if the process fails by itself, as
/// a service manager would. It ends the process and removes its directory when its own input ends,
/// which happens when the test ends or is killed.
const GUARD: &str = r#"
dir=$1; shift; loop=
end() {
  [ -n "$loop" ] || return
  touch "$dir/stop"; kill -9 "$(cat "$dir/pid")"; wait "$loop"; loop=
}
run() {
  while [ ! -e "$dir/stop" ]; do
    "$@" >>"$dir/output" 2>&1 </dev/null & echo $! >"$dir/pid"; wait $!; sleep 0.5
  done
}
while read -r order; do
  case $order in
    start) rm -f "$dir/stop"; run "$@" & loop=$! ;;
    kill) end 2>/dev/null; echo dead ;;
  esac
done
end 2>/dev/null; rm -rf "$dir"
"#;

/// A process with a directory and a port on the loopback address.
#[derive(Debug)]
pub(crate) struct Node {
    folder: PathBuf,
    host: String,
    guard: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Node {
    /// Creates the directory of a node, and starts the command in it.
    pub(crate) fn start(folder: &Path, port: u16, command: &Command) -> Result<Node, Missing> {
        fs::create_dir_all(folder)?;
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(folder);
        guard.arg(command.get_program()).args(command.get_args()).current_dir(folder);
        let guard = guard.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = guard.spawn()?;
        let (orders, answers) = (guard.stdin.take(), guard.stdout.take());
        let answers = BufReader::new(answers.ok_or(io::Error::from(io::ErrorKind::BrokenPipe))?);
        let host = format!("127.0.0.1:{port}");
        let mut node = Node { folder: folder.to_owned(), host, guard, orders, answers };
        node.restart()?;
        Ok(node)
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn restart(&mut self) -> Result<(), Missing> {
        Ok(self.order("start")?)
    }

    /// Kills the process with SIGKILL, and waits for its end.
    pub(crate) fn kill(&mut self) -> Result<(), Missing> {
        self.order("kill")?;
        self.answers.read_line(&mut String::new())?;
        Ok(())
    }

    /// Waits until the process accepts connections.
    pub(crate) fn wait(&self) -> Result<(), Missing> {
        let begin = Instant::now();
        while TcpStream::connect(&self.host).is_err() {
            if begin.elapsed() > PATIENCE {
                let command = format!("the node at {}", self.host);
                return Err(Missing::Failed { command, output: self.log() });
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    pub(crate) fn log(&self) -> String {
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        read("output") + &read("log")
    }

    fn order(&mut self, order: &str) -> io::Result<()> {
        match &mut self.orders {
            Some(orders) => writeln!(orders, "{order}").and_then(|()| orders.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // The guard ends the process when its input ends.
        drop(self.orders.take());
        let _ = self.guard.wait();
    }
}
