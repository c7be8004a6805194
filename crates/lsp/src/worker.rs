//! The thread that reads and proves documents.

use crate::analysis::{Analysis, OpenTexts};
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_types::Uri;
use std::{path::PathBuf, thread};

/// A document to prove, with the texts of all open documents.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) version: i32,
    pub(crate) open: OpenTexts,
}

/// A document that has been proved.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) uri: Uri,
    pub(crate) analysis: Analysis,
}

/// Starts the thread. It ends when the sender of jobs is dropped.
pub(crate) fn start() -> (Sender<Job>, Receiver<Done>) {
    let (jobs, todo) = unbounded::<Job>();
    let (results, done) = unbounded();
    thread::spawn(move || {
        let mut waiting: Vec<Job> = Vec::new();
        loop {
            if waiting.is_empty() {
                let Ok(job) = todo.recv() else { return };
                waiting.push(job);
            }
            for job in todo.try_iter() {
                // A newer version replaces one that is not proved yet.
                waiting.retain(|old| old.uri != job.uri);
                waiting.push(job);
            }
            let Job { uri, path, version, open } = waiting.remove(0);
            let analysis = Analysis::new(&path, version, &open);
            if results.send(Done { uri, analysis }).is_err() {
                return;
            }
        }
    });
    (jobs, done)
}
