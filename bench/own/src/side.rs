//! The sides of a comparison.

use crate::inputs::COUNT;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The work of a side, in batches of [`COUNT`] operations.
pub trait Work {
    /// Prepares the input that `batches` batches consume. Preparation is neither timed nor counted.
    fn prepare(&mut self, _batches: u32) {}

    /// Whether batches consume prepared input.
    fn prepares(&self) -> bool {
        false
    }

    /// Runs `batches` batches.
    fn run(&mut self, batches: u32);
}

/// One side of a comparison.
pub struct Side {
    /// The name of the side.
    pub name: &'static str,
    /// A remark for readers of the numbers.
    pub note: &'static str,
    work: Box<dyn Work>,
}

impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Side {
    /// Creates a side from its work.
    pub fn new(name: &'static str, note: &'static str, work: impl Work + 'static) -> Self {
        Self { name, note, work: Box::new(work) }
    }

    /// Creates a side whose work is built before its first run, because building takes long.
    pub fn lazy<W: Work + 'static>(
        name: &'static str,
        note: &'static str,
        make: impl FnOnce() -> W + 'static,
    ) -> Self {
        Self::new(name, note, Lazy { make: Some(make), work: None })
    }

    /// Creates a side that encodes the values.
    pub fn encode<F: Format + 'static>(mut format: F, values: Vec<F::Value>) -> Self {
        check(&mut format, &values);
        let mut buffer = Vec::with_capacity(1 << 10);
        let work = for_each(values, move |value| {
            format.encode(value, &mut buffer, |key| {
                black_box(key);
            });
        });
        Self::new(F::NAME, F::ENCODE_NOTE, work)
    }

    /// Creates a side that decodes the keys of the values.
    pub fn decode<F: Format + 'static>(mut format: F, values: &[F::Value]) -> Self {
        let keys = check(&mut format, values);
        let work = for_each(keys, move |key| {
            black_box(format.decode(key));
        });
        Self::new(F::NAME, F::DECODE_NOTE, work)
    }

    /// Replaces the remark.
    #[must_use]
    pub fn with_note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Whether the batches of this side consume prepared input.
    #[must_use]
    pub fn prepares(&self) -> bool {
        self.work.prepares()
    }

    /// Returns the time of `batches` batches.
    pub fn time(&mut self, batches: u32) -> Duration {
        self.work.prepare(batches);
        let start = Instant::now();
        self.work.run(batches);
        start.elapsed()
    }

    /// Prepares one batch, then calls `around` with a function that runs it.
    pub fn inside<T>(&mut self, around: impl FnOnce(&mut dyn FnMut()) -> T) -> T {
        self.work.prepare(1);
        around(&mut || self.work.run(1))
    }
}

/// Sides that do the same work. The others are compared with the first.
#[derive(Debug)]
pub struct Group {
    /// A description of the work.
    pub title: String,
    /// The sides to compare.
    pub sides: Vec<Side>,
}

/// An encoding of keys of one shape.
pub trait Format {
    /// The type of the encoded values.
    type Value;
    /// The type that decoding returns. It is compared with the encoded value.
    type Read<'a>: PartialEq<Self::Value>;
    /// The name of the library or of the code.
    const NAME: &'static str;
    /// A remark for readers of the encoding times.
    const ENCODE_NOTE: &'static str = "";
    /// A remark for readers of the decoding times.
    const DECODE_NOTE: &'static str = "";

    /// Encodes a value and passes its key to `emit`. The caller owns and reuses the buffer.
    fn encode(&mut self, value: &Self::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8]));

    /// Decodes a key.
    fn decode<'a>(&mut self, key: &'a [u8]) -> Option<Self::Read<'a>>;
}

/// Encodes all values, checks that each key decodes to its value, and returns the keys.
pub fn check<F: Format>(format: &mut F, values: &[F::Value]) -> Vec<Vec<u8>> {
    assert_eq!(values.len(), COUNT, "a batch has {COUNT} operations");
    let mut keys = Vec::new();
    let mut buffer = Vec::new();
    for value in values {
        let mut key = Vec::new();
        format.encode(value, &mut buffer, |bytes| key.extend_from_slice(bytes));
        let read = format.decode(&key);
        assert!(read.is_some_and(|read| read == *value), "{} does not read", F::NAME);
        keys.push(key);
    }
    keys
}

/// Checks that two formats write the same bytes.
pub fn agree<A: Format, B: Format<Value = A::Value>>(a: &mut A, b: &mut B, values: &[A::Value]) {
    assert!(check(a, values) == check(b, values), "{} and {} differ", A::NAME, B::NAME);
}

/// Work from a function that runs one batch, and a function that runs untimed before each turn.
#[derive(Debug)]
pub struct Batch<B, R> {
    /// Runs before each turn.
    pub before: B,
    /// Runs one batch.
    pub run: R,
}

impl<R: FnMut()> Batch<fn(), R> {
    /// Creates work without preparation.
    pub fn new(run: R) -> Self {
        Self { before: || (), run }
    }
}

/// Creates work that runs an operation with each item.
pub fn for_each<T>(items: Vec<T>, mut operation: impl FnMut(&T)) -> impl Work {
    Batch::new(move || {
        for item in black_box(&items[..]) {
            operation(item);
        }
    })
}

impl<B: FnMut(), R: FnMut()> Work for Batch<B, R> {
    fn prepare(&mut self, _: u32) {
        (self.before)();
    }

    fn run(&mut self, batches: u32) {
        (0..batches).for_each(|_| (self.run)());
    }
}

struct Lazy<F, W> {
    make: Option<F>,
    work: Option<W>,
}

impl<F: FnOnce() -> W, W: Work> Work for Lazy<F, W> {
    fn prepare(&mut self, batches: u32) {
        if let Some(make) = self.make.take() {
            self.work = Some(make());
        }
        self.work.iter_mut().for_each(|work| work.prepare(batches));
    }

    fn run(&mut self, batches: u32) {
        self.work.iter_mut().for_each(|work| work.run(batches));
    }
}
