//! A tenant with three tasks: due dates, tags and reminders.
#![expect(clippy::print_stdout, reason = "the example shows its result")]

use keyscape_example_tasks::{Task, add, due, remind, tagged, tasks::LAYOUT};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "tasks.redb".to_owned());
    let db = keyscape_store_redb::open_or_create(&file, &LAYOUT)?;
    db.write(|tx| {
        for (title, due, tag) in
            [("buy ink", Some(30), "shop"), ("write", Some(10), "desk"), ("post", None, "shop")]
        {
            let task = Task { title: title.to_owned(), due, tags: vec![tag.to_owned()] };
            add(tx, "acme", &task)?;
        }
        keyscape::Ok(())
    })?;
    let state = db.read()?;
    for (id, task) in due(&state, "acme", 25)? {
        println!("task {id} is due before 25: {}", task.title);
    }
    for (id, task) in tagged(&state, "acme", "shop")? {
        println!("task {id} is tagged `shop`: {}", task.title);
    }
    let reminded = db.write(|tx| remind(tx, "acme", 15, |task| task.due <= Some(15)))?;
    println!("reminded: {reminded:?}");
    Ok(())
}
