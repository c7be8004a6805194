//! Counts the allocations of every side. A separate program, because its counting allocator would
//! slow down the timed runs.
#![expect(clippy::print_stdout, reason = "this is a command-line program")]

use keyscape_bench::inputs::COUNT;

fn main() {
    for entry in keyscape_bench_compare::entries() {
        for (at, side) in (entry.build)().sides.iter_mut().enumerate() {
            // Reused buffers grow in the first batch, which is not counted.
            side.inside(|work| work());
            let info = side.inside(|work| allocation_counter::measure(work));
            println!("{}\t{at}\t{}", entry.id, info.count_total as f64 / COUNT as f64);
        }
    }
}
