//! The sides of a comparison.

use crate::inputs::COUNT;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// What a side does, in batches of [`COUNT`] operations.
pub trait Work {
    /// Makes what so many batches use up. This is neither timed nor counted.
    fn prepare(&mut self, _batches: u32) {}

    /// Whether there is something to prepare.
    fn prepares(&self) -> bool {
        false
    }

    /// Does so many batches.
    fn run(&mut self, batches: u32);
}

/// One side of a comparison.
pub struct Side {
    /// Who it is.
    pub name: &'static str,
    /// What a reader of the numbers must know about it.
    pub note: &'static str,
    work: Box<dyn Work>,
}

impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Side {
    /// A side that does this work.
    pub fn new(name: &'static str, note: &'static str, work: impl Work + 'static) -> Self {
        Self { name, note, work: Box::new(work) }
    }

    /// A side whose work is made when it is first asked for, because making it takes long.
    pub fn lazy<W: Work + 'static>(
        name: &'static str,
        note: &'static str,
        make: impl FnOnce() -> W + 'static,
    ) -> Self {
        Self::new(name, note, Lazy { make: Some(make), work: None })
    }

    /// Encodes each of the values.
    pub fn encode<F: Format + 'static>(mut format: F, values: Vec<F::Value>) -> Self {
        check(&mut format, &values);
        let (name, note) = (F::NAME, F::ENCODE_NOTE);
        Self::new(name, note, Encode { format, values, buffer: Vec::with_capacity(1 << 10) })
    }

    /// Decodes the key of each of the values.
    pub fn decode<F: Format + 'static>(mut format: F, values: &[F::Value]) -> Self {
        let keys = check(&mut format, values);
        let (name, note) = (F::NAME, F::DECODE_NOTE);
        Self::new(name, note, Decode { format, keys, buffer: Vec::with_capacity(1 << 10) })
    }

    /// Whether something is prepared before the work.
    #[must_use]
    pub fn prepares(&self) -> bool {
        self.work.prepares()
    }

    /// How long so many batches take.
    pub fn time(&mut self, batches: u32) -> Duration {
        self.work.prepare(batches);
        let start = Instant::now();
        self.work.run(batches);
        start.elapsed()
    }

    /// Does one batch inside `around`, with everything prepared before.
    pub fn inside<T>(&mut self, around: impl FnOnce(&mut dyn FnMut()) -> T) -> T {
        self.work.prepare(1);
        around(&mut || self.work.run(1))
    }
}

/// Sides that do the same work. The first is ours, which the others are compared with.
#[derive(Debug)]
pub struct Group {
    /// What the work is.
    pub title: String,
    /// Who does it.
    pub sides: Vec<Side>,
}

/// A way to write keys of one shape.
pub trait Format {
    /// What is encoded.
    type Value;
    /// What decoding yields.
    type Read<'a>;
    /// Who does it.
    const NAME: &'static str;
    /// What a reader of the encoding's numbers must know.
    const ENCODE_NOTE: &'static str = "";
    /// What a reader of the decoding's numbers must know.
    const DECODE_NOTE: &'static str = "";

    /// Hands the key of a value to `emit`. The buffer is the caller's, and reused.
    fn encode(&mut self, value: &Self::Value, buffer: &mut Vec<u8>, emit: impl FnMut(&[u8]));

    /// Reads a key.
    fn decode<'a>(&mut self, key: &'a [u8], buffer: &'a mut Vec<u8>) -> Option<Self::Read<'a>>;

    /// Whether decoding yielded the value.
    fn same(read: &Self::Read<'_>, value: &Self::Value) -> bool;
}

/// The keys of the values, after making sure that each is read as what it was made of.
pub fn check<F: Format>(format: &mut F, values: &[F::Value]) -> Vec<Vec<u8>> {
    assert_eq!(values.len(), COUNT, "a batch has {COUNT} operations");
    let mut keys = Vec::new();
    let mut buffer = Vec::new();
    for value in values {
        let mut key = Vec::new();
        format.encode(value, &mut buffer, |bytes| key.extend_from_slice(bytes));
        let read = format.decode(&key, &mut buffer);
        assert!(read.is_some_and(|read| F::same(&read, value)), "{} does not read", F::NAME);
        keys.push(key);
    }
    keys
}

/// Makes sure that two formats write the same bytes.
pub fn agree<A: Format, B: Format<Value = A::Value>>(a: &mut A, b: &mut B, values: &[A::Value]) {
    assert!(check(a, values) == check(b, values), "{} and {} differ", A::NAME, B::NAME);
}

/// One batch of work, and what is done before some batches and not timed.
#[derive(Debug)]
pub struct Batch<B, R> {
    /// What is done before.
    pub before: B,
    /// One batch.
    pub run: R,
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

struct Encode<F: Format> {
    format: F,
    values: Vec<F::Value>,
    buffer: Vec<u8>,
}

impl<F: Format> Work for Encode<F> {
    fn run(&mut self, batches: u32) {
        for _ in 0..batches {
            for value in black_box(&self.values[..]) {
                self.format.encode(value, &mut self.buffer, |key| {
                    black_box(key);
                });
            }
        }
    }
}

struct Decode<F: Format> {
    format: F,
    keys: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

impl<F: Format> Work for Decode<F> {
    fn run(&mut self, batches: u32) {
        for _ in 0..batches {
            for key in black_box(&self.keys[..]) {
                black_box(self.format.decode(key, &mut self.buffer));
            }
        }
    }
}
