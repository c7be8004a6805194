//! Help texts and manual pages.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use std::fs;

fn run(args: &[&str]) -> String {
    Folder::new().run(args)
}

#[test]
fn the_commands_are_listed() {
    assert_snapshot!(printed(run(&["-h"])), @"
    Declare the byte layout of your keys once; prove that it is sound

    Usage: keyscape [OPTIONS] <COMMAND>

    Commands:
      check        Prove the claims of layouts, or show counterexamples
      diff         Show how a change of a layout affects stored rows
      rule         Describe a rule: its claim, with wrong and right examples
      fmt          Format layouts
      encode       Encode values as a key
      decode       Decode keys to JSON, one object per line
      explain      Explain each byte of a key
      doc          Document a layout: every key byte by byte, with its verdicts
      generate     Generate code from a proved layout
      create       Create a database for a layout
      layout       Print the layout that a database stores
      get          Print the value of a row
      scan         List rows of a keyspace, decoded
      count        Count the rows that `scan` would list
      serve        Show a database and its layout in a browser
      put          Write a row and its index entries
      delete       Delete a row of a database
      queue        Work on the members of a queue
      index        Build, check or drop an index
      migrate      Move the rows of a database to a new layout
      stat         Count rows and bytes per keyspace
      export       Export all rows of a database, one JSON object per line
      import       Import rows from lines in the format of `export`
      copy         Copy a database to another engine
      adopt        Check a database file that has no layout, and store a layout in it
      audit        Check a database against its layout
      repair       Repair a database file that was not closed cleanly
      salvage      Copy the readable rows of a damaged database to a new file
      lsp          Run the language server for editors
      completions  Generate shell completions
      man          Generate manual pages
      demo         Show what Keyscape does, in a few seconds
      sim          Run random operations on a system, and check its invariants
      invariants   Check the invariants of a system on a database file
      genesis      Export or import the state of a system as one JSON document
      bank         Query the bank: balances, owners, supply, accounts; send coins
      cl           Query the concentrated liquidity: pools, prices, positions, ticks
      txo          Query the transaction-output index: search, outputs, topics; roll back
      badges       Query the badges: collections, balances, totals
      paw          Query PAW: pools, prices, providers, requests
      help         Print this message or the help of the given subcommand(s)

    Options:
          --color <WHEN>  Use colours: auto (on a terminal, unless NO_COLOR is set), always or never
      -h, --help          Print help (see more with '--help')
      -V, --version       Print version

    EXAMPLES
      keyscape check shop.keys
      keyscape encode shop.keys orders user=1 order=7
      keyscape decode shop.keys 6f2f312f37
      keyscape explain shop.keys 6f2f312f37
      keyscape doc shop.keys --format html --output keys.html
      keyscape generate rust shop.keys --output src/shop.rs
      keyscape scan shop.redb orders user=1
    ");
}

#[test]
fn check_documents_its_json() {
    assert_snapshot!(printed(run(&["check", "--help"])), @r#"
    Prove the claims of layouts, or show counterexamples

    Ten rules, KS001 to KS010, define the claims: keyspaces share no keys, every key has one reading,
    scans return their rows and no others, rows are in order, and more (`keyscape rule` lists them).
    Each claim is proved, refuted by concrete keys, or unknown with a reason.

    Usage: keyscape check [OPTIONS] <LAYOUT>...

    Arguments:
      <LAYOUT>...
              Layouts to check: `.keys` files, databases that store one, or `-` for stdin

    Options:
          --color <WHEN>
              Use colours: auto (on a terminal, unless NO_COLOR is set), always or never

          --format <FORMAT>
              Output format

              Possible values:
              - human: Messages, and one line per store
              - json:  One JSON object per claim and line
              - sarif: One SARIF 2.1.0 document, for code hosts and editors
              
              [default: human]

      -q, --quiet
              Print errors only

          --backend <BACKEND>
              Apply the limits of this backend to all stores

          --fix[=<N>]
              Apply a proved fix of each refuted claim to the file: the Nth, or ask on the terminal

          --dry-run
              With --fix, print the edits and write nothing

      -h, --help
              Print help (see a summary with '-h')

    EXAMPLES
      keyscape check shop.keys
      keyscape check shop.keys --fix=1 --dry-run
      keyscape check --format json layouts/*.keys | jq 'select(.verdict != "proved")'

    EXIT STATUS
      0  every claim is proved or accepted
      1  a claim is refuted or unknown, or an `accept` matches nothing
      2  a layout cannot be read, or has errors
      3  a bug in Keyscape

    JSON
      One object per claim and line:
        rule, store, keyspace           subject of the claim
        scan                            only for KS003 and KS004
        split                           only for KS010
        field                           only for KS005
        verdict                         "proved", "refuted" or "unknown"
        tight                           for a scan that is exact only in its tight form: the bytes from
                                        `low` to below `high` that may follow its leading part
        accepted                        the reason, if the layout accepts the claim
        counterexample                  if refuted; keys are hexadecimal, fields as in `decode`
          KS001, KS008
                  {collisions: [{key, readings: [{keyspace, fields}, …]}], more}
          KS002   {key, readings: [{keyspace, fields}, {keyspace, fields}]}
          KS003   {fault: "foreign" or "missed", asked, start, end, row: {key, keyspace, fields}}
                  the scan reads from `start` to below `end`; without `end`, up to the last key
          KS004   {disorder: "reversed" or "tied", lower: {key, keyspace, fields}, higher: {…}}
          KS005   {values: [two values], bytes: their encoding}
          KS006   {backend, longest_key, row: {key, keyspace, fields}}
                  `long` (a row) if another key is too long; `record` (hex) if a record is
          KS007   {fault, other, row}: "outside range", "retired prefix" or "comparable prefixes"
          KS009   {missing, rows: [two rows of the map], entry: their one key in the index}
          KS010   {cuts, separators, parts, row: {key, keyspace, fields}}
                  actual and expected offsets of the cuts, and the resulting parts
        minimal                         whether no shorter counterexample exists
        span                            {file, line, column, end_line, end_column}, the end excluded
        fix                             [{text, effect, replaces, edit, idle_accepts}]: proved fixes;
                                        `edit` is {file, start, end, text}, in bytes of the file;
                                        `idle_accepts` match nothing once it is applied
        reason                          why the verdict is unknown
      An error is an object with `error` ("file", "layout" or "accept") and `message`; `span` and
      `help` are optional; `file` names a file that cannot be read.
    "#);
}

#[test]
fn encode_has_examples() {
    assert_snapshot!(printed(run(&["encode", "--help"])), @r#"
    Encode values as a key

    Give values as `field=value`, as JSON, or both. Integers are decimal; text is plain; bytes are `0x…`
    or in the display form of the layout. A part of a field is `outpoint.txid=…`, a field of an arm
    `name.spread.pool=…`. The output of `decode` is accepted.

    `--json -` reads one object per line from stdin, and prints one key per line.

    Usage: keyscape encode [OPTIONS] <LAYOUT> <KEYSPACE> [FIELD=VALUE]...

    Arguments:
      <LAYOUT>
              The layout: a `.keys` file, a database that stores one, or `-` for stdin

      <KEYSPACE>
              The keyspace: `name`, `store/name` or `hash.field`

      [FIELD=VALUE]...
              The values of the fields

    Options:
          --color <WHEN>
              Use colours: auto (on a terminal, unless NO_COLOR is set), always or never

          --json <OBJECT>
              Values as a JSON object, or `-` for one object per line of stdin

          --scan <NAME>
              Print the interval that a scan reads, given its leading fields: a prefix, or START..END
              with END excluded

          --format <FORMAT>
              Output format of the key

              Possible values:
              - hex:    Hexadecimal digits, with or without 0x
              - base64: Base64 with padding
              
              [default: hex]

      -h, --help
              Print help (see a summary with '-h')

    EXAMPLES
      keyscape encode shop.keys orders user=1 order=7
      keyscape encode shop.keys orders --json '{"user": 1, "order": 7}'
      keyscape encode shop.keys orders --scan user user=1
      keyscape export shop.redb orders | jq -c .fields | keyscape encode shop.keys orders --json -
    "#);
}

#[test]
fn decode_has_examples() {
    assert_snapshot!(printed(run(&["decode", "--help"])), @r#"
    Decode keys to JSON, one object per line

    Keys are arguments or lines of stdin. Empty lines are skipped; give the empty key as an argument.
    Each key prints {"key", "readings": [{"store", "keyspace", "fields"}]}. Bytes are "0x…" or in the
    display form of the layout; integers above 2^53 are strings; a variant is {"arm": {…}}; absent parts
    are omitted. `encode` accepts these values. A key that belongs to no keyspace has no readings but
    "nearest": [{"store", "keyspace", "offset", "expected"}], the keyspaces that match the longest part
    of it. A key that would take too much work has no readings but "too_ambiguous": true.

    Exit status: 1 if a key is unknown, 2 if a line is not a key.

    Usage: keyscape decode [OPTIONS] <LAYOUT> [KEY]...

    Arguments:
      <LAYOUT>
              The layout: a `.keys` file, a database that stores one, or `-` for stdin

      [KEY]...
              Keys, as for `explain` [default: the lines of stdin]

    Options:
          --color <WHEN>
              Use colours: auto (on a terminal, unless NO_COLOR is set), always or never

          --input <FORMAT>
              Input format of the keys

              Possible values:
              - hex:    Hexadecimal digits, with or without 0x
              - base64: Base64 with padding
              
              [default: hex]

          --store <NAME>
              Decode only keys of this store

          --fields-of <HASH>
              Decode fields of this hash instead of keys

      -h, --help
              Print help (see a summary with '-h')

    EXAMPLES
      keyscape decode shop.keys 6f2f312f37
      keyscape decode bank.keys --input base64 < keys.txt | jq .readings[0].fields
      keyscape decode txo.keys --fields-of output 6d73
    "#);
}

#[test]
fn mistakes_of_usage_have_status_2() {
    assert_snapshot!(rejected(run(&["chek", "x"])), @"
    error: unrecognized subcommand 'chek'

      tip: a similar subcommand exists: 'check'

    Usage: keyscape [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["check"])), @"
    error: the following required arguments were not provided:
      <LAYOUT>...

    Usage: keyscape check <LAYOUT>...

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["check", "--format", "xml", "x"])), @"
    error: invalid value 'xml' for '--format <FORMAT>'
      [possible values: human, json, sarif]

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_rule_is_an_error() {
    assert_snapshot!(rejected(run(&["rule", "KS011"])), @"
    error: invalid value 'KS011' for '[RULE]': rules are KS001 to KS010 and KS101 to KS115

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["rule", "scan-exac"])), @"
    error: invalid value 'scan-exac' for '[RULE]': did you mean `scan-exact`?

    For more information, try '--help'.
    ");
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(
        run(&["--version"]),
        format!("--- stdout\nkeyscape {}\n--- exit 0\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = run(&["completions", shell]);
        assert!(text.contains("decode") && text.ends_with("--- exit 0\n"), "{text}");
    }
}

#[test]
fn every_command_has_a_page_with_its_examples() {
    let folder = Folder::new();
    folder.quiet(&["man", "."]);
    let page = folder.read("keyscape-check.1");
    assert!(page.starts_with(".ie") && page.contains("keyscape check shop.keys"), "{page}");
    let pages = fs::read_dir(folder.path()).unwrap().count();
    let commands = folder.run(&["-h"]);
    let listed = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).count();
    assert!(pages > listed, "{pages} pages for {listed} commands");
}

#[test]
fn a_directory_that_is_missing_is_an_error() {
    let folder = Folder::new().file("page", "");
    assert_snapshot!(rejected(folder.run(&["man", "missing/man1"])), @"
    error: there is no directory `missing/man1`
      help: name an existing directory
    ");
    assert_snapshot!(rejected(folder.run(&["man", "page"])), @"
    error: `page` is not a directory
      help: name an existing directory
    ");
}
