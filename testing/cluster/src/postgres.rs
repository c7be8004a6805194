//! A scratch cluster of PostgreSQL.

use crate::programs::{Missing, find_postgres, is_root, run};
use std::{
    env, fs,
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The user of the system that runs the server if the test runs as root.
const SYSTEM_USER: &str = "postgres";
/// The superuser of the cluster.
const USER: &str = "keyscape";
const PATIENCE: Duration = Duration::from_secs(60);

/// Settings for tests. The server still writes its log to the operating system before it answers,
/// so a killed server loses nothing; a machine that fails could.
const SETTINGS: &str = "fsync = off\nfull_page_writes = off\nlisten_addresses = '127.0.0.1'\n\
    max_connections = 200\nmax_pred_locks_per_transaction = 256\nshared_buffers = 64MB\n\
    log_min_messages = fatal\nlogging_collector = off\n";

/// The shell that guards the server. It ends the server and removes its directory when its own
/// input ends, which happens when the test ends or is killed.
const GUARD: &str = r#"
dir=$1; shift
end() { [ -f "$dir/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$dir/postmaster.pid")" 2>/dev/null; }
while read -r order; do
  case $order in start) "$@" >>"$dir.log" 2>&1 </dev/null & ;; esac
done
end; sleep 0.2; rm -rf "$dir" "$dir.log"
"#;

/// A running server with an empty database.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    port: u16,
    version: String,
    guard: Child,
}

impl Postgres {
    /// Makes a cluster in a temporary directory and starts it on a free port of the loopback
    /// address.
    ///
    /// # Errors
    /// If the programs are missing, or fail.
    pub fn start() -> Result<Postgres, Missing> {
        Postgres::start_with(None)
    }

    /// Starts a server that accepts encrypted connections, with a certificate and its private key
    /// in PEM form.
    ///
    /// # Errors
    /// As [`Postgres::start`].
    pub fn start_encrypted(certificate: &str, key: &str) -> Result<Postgres, Missing> {
        Postgres::start_with(Some((certificate, key)))
    }

    fn start_with(certificate: Option<(&str, &str)>) -> Result<Postgres, Missing> {
        let programs = find_postgres().ok_or(Missing::Programs)?;
        let folder = new_folder("postgres")?;
        let as_root = is_root();
        let command = |program: &str| {
            let program = programs.join(program);
            if !as_root {
                return Command::new(program);
            }
            let mut command = Command::new("runuser");
            command.args(["-u", SYSTEM_USER, "--"]).arg(program);
            command
        };
        if as_root {
            run(Command::new("chown").arg(SYSTEM_USER).arg(&folder))?;
        }
        let mut initdb = command("initdb");
        initdb.current_dir("/").arg("-D").arg(&folder).args(["-U", USER, "-A", "trust", "-N"]);
        run(initdb.args(["--encoding", "UTF8", "--locale", "C"]))?;
        let port = free_port()?;
        let mut settings =
            fs::OpenOptions::new().append(true).open(folder.join("postgresql.conf"))?;
        let sockets = folder.display();
        write!(settings, "{SETTINGS}port = {port}\nunix_socket_directories = '{sockets}'\n")?;
        if let Some((certificate, key)) = certificate {
            let (certificate_file, key_file) =
                (folder.join("server.crt"), folder.join("server.key"));
            fs::write(&certificate_file, certificate)?;
            fs::write(&key_file, key)?;
            // The server rejects a key that others may read.
            run(Command::new("chmod").arg("600").arg(&key_file))?;
            if as_root {
                run(Command::new("chown").arg(SYSTEM_USER).args([&certificate_file, &key_file]))?;
            }
            writeln!(settings, "ssl = on")?;
        }
        drop(settings);

        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(&folder).current_dir("/");
        let server = command("postgres");
        guard.arg(server.get_program()).args(server.get_args()).arg("-D").arg(&folder);
        let guard = guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let version = run(command("postgres").current_dir("/").arg("--version"))?;
        let version = version.trim().to_owned();
        let mut server = Postgres { folder, port, version, guard: guard.spawn()? };
        server.restart()?;
        Ok(server)
    }

    /// Returns the address of the database.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_on(self.port)
    }

    /// Returns the address of the database through another port, such as that of a proxy.
    #[must_use]
    pub fn url_on(&self, port: u16) -> String {
        format!("postgres://{USER}@127.0.0.1:{port}/postgres")
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the version of the server as it prints it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Kills the server with SIGKILL.
    ///
    /// # Errors
    /// If the server does not run.
    pub fn kill(&self) -> Result<(), Missing> {
        let process = self.process()?;
        run(Command::new("kill").args(["-9", &process])).map(drop)
    }

    /// Starts a server that was killed, and waits until it answers.
    ///
    /// # Errors
    /// If it does not start within a minute.
    pub fn restart(&mut self) -> Result<(), Missing> {
        let begin = Instant::now();
        loop {
            self.order("start")?;
            let tried = Instant::now();
            // The processes of a killed server hold its memory for a moment, and the start fails.
            while tried.elapsed() < Duration::from_secs(5) {
                if self.answers() {
                    return Ok(());
                }
                thread::sleep(Duration::from_millis(20));
            }
            if begin.elapsed() > PATIENCE {
                let output = fs::read_to_string(self.folder.with_extension("log"));
                let output = output.unwrap_or_default();
                return Err(Missing::Failed { command: "postgres".to_owned(), output });
            }
        }
    }

    /// Runs statements with `psql`, without its output.
    ///
    /// # Errors
    /// If a statement fails.
    pub fn sql(&self, statements: &str) -> Result<String, Missing> {
        let programs = find_postgres().ok_or(Missing::Programs)?;
        let mut psql = Command::new(programs.join("psql"));
        psql.current_dir("/").args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            statements,
        ]);
        run(psql.arg(self.url()))
    }

    fn order(&mut self, order: &str) -> io::Result<()> {
        match &mut self.guard.stdin {
            Some(orders) => writeln!(orders, "{order}").and_then(|()| orders.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn process(&self) -> Result<String, Missing> {
        let file = fs::read_to_string(self.folder.join("postmaster.pid"))?;
        Ok(file.lines().next().unwrap_or_default().to_owned())
    }

    /// Whether the server accepts connections: it answers a start message with `R`. While it
    /// starts, it answers with `E`.
    fn answers(&self) -> bool {
        let answer = || -> io::Result<u8> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(2)))?;
            let mut start = 196_608_u32.to_be_bytes().to_vec();
            start.extend_from_slice(format!("user\0{USER}\0database\0postgres\0\0").as_bytes());
            let length = u32::try_from(start.len() + 4).unwrap_or_default();
            stream.write_all(&[&length.to_be_bytes()[..], &start].concat())?;
            let mut first = [0];
            stream.read_exact(&mut first)?;
            Ok(first[0])
        };
        answer().is_ok_and(|first| first == b'R')
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // The guard ends the server when its input ends.
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Creates a directory that the system user may enter.
pub(crate) fn new_folder(server: &str) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("keyscape-{server}-{}-{number}", std::process::id());
    let base = env::temp_dir();
    let base = if base.is_dir() { base } else { Path::new("/tmp").to_owned() };
    let folder = base.join(name);
    fs::create_dir(&folder)?;
    Ok(folder)
}

pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
