//! Tests of the module, against records of the Osmosis code and on their own.

mod corpus;
mod rows;
mod vectors;
