//! A proxy between client and server that breaks connections at a chosen message.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// A fault that the proxy injects at one chunk of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection ends before the bytes arrive.
    CutBefore,
    /// Half of the bytes arrive, then the connection ends.
    CutWithin,
    /// The bytes arrive, then the connection ends.
    CutAfter,
    /// The bytes and all later ones are dropped, but the connection stays open.
    Swallow,
    /// The bytes arrive late.
    Delay,
    /// The bytes arrive twice.
    Duplicate,
}

impl Fault {
    pub(crate) const ALL: [Fault; 6] = [
        Fault::CutBefore,
        Fault::CutWithin,
        Fault::CutAfter,
        Fault::Swallow,
        Fault::Delay,
        Fault::Duplicate,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToServer,
    ToClient,
}

/// The next fault: at a chunk, counted from 0, in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) way: Way,
    pub(crate) chunk: u64,
    pub(crate) fault: Fault,
}

#[derive(Default)]
struct State {
    plan: Mutex<Option<Plan>>,
    /// Chunks since the plan was made, to the server and to the client.
    chunks: [AtomicU64; 2],
    happened: AtomicBool,
    /// The number of partitions. Connections that are older than the last partition are silent.
    partitions: AtomicU64,
    /// The bytes that clients have received.
    received: AtomicU64,
}

/// A listener whose connections lead to the server.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    state: Arc<State>,
}

impl Proxy {
    pub(crate) fn start(server: u16) -> io::Result<Proxy> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                for (way, from, to) in
                    [(Way::ToServer, &client, &server), (Way::ToClient, &server, &client)]
                {
                    let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { continue };
                    let state = Arc::clone(&shared);
                    thread::spawn(move || {
                        // An error ends both directions, as a broken connection does.
                        let _ = pass_on(&state, way, &from, &to);
                        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                    });
                }
            }
        });
        Ok(Proxy { port, state })
    }

    /// Sets the next fault, and counts chunks from now on.
    pub(crate) fn plan(&self, plan: Plan) {
        let mut current = self.state.plan.lock().unwrap_or_else(PoisonError::into_inner);
        self.state.chunks.iter().for_each(|count| count.store(0, Ordering::SeqCst));
        self.state.happened.store(false, Ordering::SeqCst);
        *current = Some(plan);
    }

    /// Drops all bytes of the current connections, which stay open. New connections work.
    pub(crate) fn partition(&self) {
        self.state.partitions.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the number of bytes that clients have received.
    pub(crate) fn received(&self) -> u64 {
        self.state.received.load(Ordering::SeqCst)
    }

    /// Whether the fault has happened.
    pub(crate) fn has_happened(&self) -> bool {
        self.state.happened.load(Ordering::SeqCst)
    }
}

fn pass_on(state: &State, way: Way, mut from: &TcpStream, mut to: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let partition = state.partitions.load(Ordering::SeqCst);
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        if state.partitions.load(Ordering::SeqCst) != partition {
            continue;
        }
        let bytes = buffer.get(..length).unwrap_or_default();
        let half = bytes.get(..length / 2).unwrap_or_default();
        if way == Way::ToClient {
            state.received.fetch_add(length as u64, Ordering::SeqCst);
        }
        let Some(fault) = due(state, way) else {
            to.write_all(bytes)?;
            continue;
        };
        match fault {
            Fault::CutBefore => return Ok(()),
            Fault::CutWithin => return to.write_all(half),
            Fault::CutAfter => return to.write_all(bytes),
            Fault::Swallow => {
                while from.read(&mut buffer)? > 0 {}
                return Ok(());
            }
            Fault::Delay => {
                thread::sleep(Duration::from_millis(50));
                to.write_all(bytes)?;
            }
            Fault::Duplicate => {
                to.write_all(bytes)?;
                to.write_all(bytes)?;
            }
        }
    }
}

/// Returns the planned fault if this is its chunk.
fn due(state: &State, way: Way) -> Option<Fault> {
    let mut plan = state.plan.lock().unwrap_or_else(PoisonError::into_inner);
    let planned = (*plan).filter(|plan| plan.way == way)?;
    let count = state.chunks[way as usize].fetch_add(1, Ordering::SeqCst);
    if count != planned.chunk {
        return None;
    }
    *plan = None;
    state.happened.store(true, Ordering::SeqCst);
    Some(planned.fault)
}
