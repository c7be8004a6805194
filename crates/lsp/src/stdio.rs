//! The messages of a client on stdin and stdout.

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use lsp_server::{Connection, Message};
use std::{
    io::{self, BufRead, Read, stdin, stdout},
    thread::{self, JoinHandle},
};

/// The largest message that is read, in bytes. A layout has at most 2 MiB.
const MAX_MESSAGE: usize = 64 << 20;
/// The longest header line that is read, in bytes.
const MAX_HEADER: u64 = 4096;

/// The threads that read and write the messages of a connection.
pub(crate) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Starts the threads. They end with the input, and when the connection is dropped.
    pub(crate) fn start() -> (Connection, Self) {
        let (outgoing, to_write) = bounded(0);
        let (read, receiver) = bounded(0);
        let writer = thread::spawn(move || write_all(&to_write));
        let reader = thread::spawn(move || read_all(&mut stdin().lock(), &read));
        (Connection { sender: outgoing, receiver }, Self { reader, writer })
    }

    /// Drops the connection, and waits until all answers are written. Returns an error of either
    /// thread. A reader that still waits for input has none.
    pub(crate) fn join(self, connection: Connection) -> io::Result<()> {
        // The reader drops its sender shortly before it ends.
        let is_read = matches!(connection.receiver.try_recv(), Err(TryRecvError::Disconnected));
        // The writer ends when the sender is dropped.
        drop(connection);
        let joined = |thread: JoinHandle<io::Result<()>>| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("a thread of the server panicked")))
        };
        joined(self.writer)?;
        if is_read { joined(self.reader) } else { Ok(()) }
    }
}

fn write_all(messages: &Receiver<Message>) -> io::Result<()> {
    messages.iter().try_for_each(|message| message.write(&mut stdout().lock()))
}

/// Reads messages until `exit`, the end of the input, or the end of the session.
fn read_all(input: &mut impl BufRead, messages: &Sender<Message>) -> io::Result<()> {
    while let Some(message) = read_message(input)? {
        let is_exit = matches!(&message, Message::Notification(n) if n.method == "exit");
        if messages.send(message).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Reads one message. Returns `None` at the end of the input.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.take(MAX_HEADER).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some(header) = line.strip_suffix('\n') else {
            return Err(invalid("a header does not end with a line break".to_owned()));
        };
        let header = header.trim_end_matches('\r');
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or((header, ""));
        if name.eq_ignore_ascii_case("Content-Length") {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.ok_or_else(|| invalid("a message has no `Content-Length`".to_owned()))?;
    if length > MAX_MESSAGE {
        let limit = format!("the limit is {MAX_MESSAGE}");
        return Err(invalid(format!("a message of {length} bytes is too long: {limit}")));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body).map(Some).map_err(|error| invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Result<Option<Message>, String> {
        read_message(&mut input.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn messages_are_read_and_wrong_ones_are_errors() {
        let exit = "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
        assert!(matches!(read(exit), Ok(Some(Message::Notification(_)))));
        assert!(matches!(read(""), Ok(None)));
        for (input, error) in [
            ("Content-Length: 99999999999999\r\n\r\n", "is too long"),
            ("Content-Length: x\r\n\r\n", "no `Content-Length`"),
            ("Content-Length: 2\r\n\r\n[]", "did not match"),
            ("Content-Length", "line break"),
        ] {
            let found = read(input).err().unwrap_or_default();
            assert!(found.contains(error), "{input:?}: {found}");
        }
    }
}
