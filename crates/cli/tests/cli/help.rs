//! What the program says about itself.

use super::harness::Folder;
use insta::assert_snapshot;

fn run(args: &[&str]) -> String {
    Folder::new().run(args)
}

#[test]
fn the_commands_are_listed() {
    assert_snapshot!(run(&["-h"]), @"
    --- stdout
    Declare the byte layout of your keys once; prove that it is sound

    Usage: keyscape [OPTIONS] <COMMAND>

    Commands:
      check        Decide every claim of layouts, and show what refutes one
      rule         Print what a rule claims, how it is decided, and when the answer is unknown
      fmt          Write layouts in the one style of the language
      encode       Print the key of some values
      decode       Print what keys say, one JSON object per line
      explain      Show what every byte of a key is, for people
      doc          Write the document of a layout: every key byte by byte, with what is proved about it
      generate     Generate code from a layout that is proved
      create       Make a new database file for a layout
      get          Print what a row of a database holds
      scan         List rows of a keyspace, decoded
      count        Count the rows of a keyspace that `scan` would list
      put          Write a row of a database
      delete       Delete a row of a database
      stat         Count rows and bytes of every keyspace of a database
      export       Print all rows of a database, one JSON object per line
      import       Write rows into a database, from lines as `export` prints them
      adopt        Take a database file that was written without a layout into one
      repair       Repair a database file that was not closed cleanly
      demo         Show what Keyscape does, in a few seconds
      sim          Run a system on random operations, and check its invariants
      invariants   Check the invariants of a system on a database file
      genesis      Write the state of a system as one JSON document, or make a database of one
      completions  Print a script that completes commands and options in a shell

    Options:
          --color <WHEN>  When to use colours [default: auto] [possible values: auto, always, never]
      -h, --help          Print help (see more with '--help')
      -V, --version       Print version

    EXAMPLES
      keyscape check shop.keys
      keyscape encode shop.keys orders user=1 order=7
      keyscape decode shop.keys 6f2f312f37
      keyscape explain shop.keys 6f2f312f37
      keyscape doc shop.keys --format html --output keys.html
      keyscape generate rust shop.keys --output src/shop.rs
      keyscape scan shop.keys shop.redb orders user=1
    --- exit 0
    ");
}

#[test]
fn check_documents_its_json() {
    assert_snapshot!(run(&["check", "--help"]), @r#"
    --- stdout
    Decide every claim of layouts, and show what refutes one

    Ten rules, KS001 to KS010, say what is claimed: that keyspaces share no keys, that every key has one
    reading, that scans return their rows and no others, that rows come in order, and more (`keyscape
    rule` lists them). Each claim is proved, refuted by keys that show it, or not decided, with the
    reason.

    Usage: keyscape check [OPTIONS] <LAYOUT>...

    Arguments:
      <LAYOUT>...
              Layouts to check; `-` is stdin

    Options:
          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always: Always
              - never:  Never
              
              [default: auto]

          --format <FORMAT>
              How to print the claims: those that are not proved for people, or all as JSON

              Possible values:
              - human: Messages and one line per store
              - json:  One object per claim and line
              - sarif: One SARIF 2.1.0 document, for code hosts and editors
              
              [default: human]

      -q, --quiet
              Print only what is wrong

          --backend <BACKEND>
              Hold all stores to the limits of this backend, whatever the layouts say

      -h, --help
              Print help (see a summary with '-h')

    EXAMPLES
      keyscape check shop.keys
      keyscape check --format json layouts/*.keys | jq 'select(.verdict != "proved")'

    EXIT STATUS
      0  every claim is proved or accepted
      1  a claim is refuted or not decided, or an `accept` matches nothing
      2  a layout cannot be read, or has mistakes
      3  a bug in Keyscape

    JSON
      One object per claim and line:
        rule, store, keyspace           what the claim is about
        scan                            only for KS003 and KS004
        split                           only for KS010
        field                           only for KS005
        verdict                         "proved", "refuted" or "unknown"
        tight                           for a scan that is exact only if what follows its leading part
                                        lies from `low` to below `high`: those bytes
        accepted                        the reason that the layout gives, if it accepts the claim
        counterexample                  if refuted; keys are in hexadecimal, fields as `decode` has them
          KS001, KS008
                  {collisions: [{key, readings: [{keyspace, fields}, …]}], more}
          KS002   {key, readings: [{keyspace, fields}, {keyspace, fields}]}
          KS003   {fault: "foreign" or "missed", asked, start, end, row: {key, keyspace, fields}}
                  the scan reads from `start` to below `end`; without `end`, to the last key
          KS004   {disorder: "reversed" or "tied", lower: {key, keyspace, fields}, higher: {…}}
          KS005   {values: [two values], bytes: their encoding}
          KS006   {backend, longest_key, row: {key, keyspace, fields}}
                  long (a row) if another key is too long; record (hex) if one of a structure is
          KS007   {fault, other, row}: "outside range", "retired prefix" or "comparable prefixes"
          KS009   {missing, rows: [two rows of the map], entry: their one key in the index}
          KS010   {cuts, separators, parts, row: {key, keyspace, fields}}
                  offsets at which the split cuts the key and should cut it, and what it reads
        minimal                         whether no shorter counterexample exists
        span                            {file, line, column, end_line, end_column}, the end excluded
        fix                             [{text, effect, replaces, edit}]: changes that have been proved;
                                        `edit` is {file, start, end, text}, in bytes of the file
        reason                          if unknown, why
      A mistake is an object with `error` ("file", "layout" or "accept"), `message` and, where
      there is one, `span` and `help`; `file` is there if a file cannot be read.
    --- exit 0
    "#);
}

#[test]
fn encode_has_examples() {
    assert_snapshot!(run(&["encode", "--help"]), @r#"
    --- stdout
    Print the key of some values

    Values are given as `field=value`, as JSON, or both. Integers are decimal; text is as it is; bytes
    are `0x…` or in the form that the layout shows them in; a part of a field is `outpoint.txid=…`, and
    a field of an arm `name.spread.pool=…`. What `decode` prints can be given as it is.

    Usage: keyscape encode [OPTIONS] <LAYOUT> <KEYSPACE> [FIELD=VALUE]...

    Arguments:
      <LAYOUT>
              The layout; `-` is stdin

      <KEYSPACE>
              The keyspace: `name`, `store/name` or `hash.field`

      [FIELD=VALUE]...
              The values

    Options:
          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always: Always
              - never:  Never
              
              [default: auto]

          --json <OBJECT>
              Values as a JSON object

          --scan <NAME>
              Print what a scan reads, from its leading fields only: what its keys begin with, or where
              that is not exact, the interval as START..END with the end excluded

          --format <FORMAT>
              How to print the key

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
    --- exit 0
    "#);
}

#[test]
fn decode_has_examples() {
    assert_snapshot!(run(&["decode", "--help"]), @r#"
    --- stdout
    Print what keys say, one JSON object per line

    Keys are given as arguments or, without any, as lines of stdin; empty lines are skipped, so the
    empty key has to be an argument. Each gives {"key", "readings": [{"store", "keyspace", "fields"}]}.
    Bytes are "0x…" or in the form that the layout shows them in; integers beyond 2^53 are strings; a
    variant is {"arm": {…}}; what is absent is left out. `encode` takes these values as they are. A key
    that no keyspace has gets no readings but "nearest": [{"store", "keyspace", "offset", "expected"}],
    how far the nearest ones read it. A key that would take too much work gets no readings but
    "too_ambiguous": true.

    Exit status: 1 if a key is unknown, 2 if a line is not a key.

    Usage: keyscape decode [OPTIONS] <LAYOUT> [KEY]...

    Arguments:
      <LAYOUT>
              The layout; `-` is stdin

      [KEY]...
              Keys; without any, the lines of stdin

    Options:
          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always: Always
              - never:  Never
              
              [default: auto]

          --input <FORMAT>
              How keys are written

              Possible values:
              - hex:    Hexadecimal digits, with or without 0x
              - base64: Base64 with padding
              
              [default: hex]

          --store <NAME>
              Only keys of this store

          --fields-of <HASH>
              Fields of this hash instead of keys

      -h, --help
              Print help (see a summary with '-h')

    EXAMPLES
      keyscape decode shop.keys 6f2f312f37
      keyscape decode bank.keys --input base64 < keys.txt | jq .readings[0].fields
      keyscape decode txo.keys --fields-of output 6d73
    --- exit 0
    "#);
}

#[test]
fn mistakes_of_usage_have_status_2() {
    assert_snapshot!(run(&["chek", "x"]), @"
    --- stderr
    error: unrecognized subcommand 'chek'

      tip: a similar subcommand exists: 'check'

    Usage: keyscape [OPTIONS] <COMMAND>

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(run(&["check"]), @"
    --- stderr
    error: the following required arguments were not provided:
      <LAYOUT>...

    Usage: keyscape check <LAYOUT>...

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(run(&["check", "--format", "xml", "x"]), @"
    --- stderr
    error: invalid value 'xml' for '--format <FORMAT>'
      [possible values: human, json, sarif]

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn a_rule_that_is_not_there_is_not_taken_for_another() {
    assert_snapshot!(run(&["rule", "KS011"]), @"
    --- stderr
    error: invalid value 'KS011' for '[RULE]': rules are KS001 to KS010

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(run(&["rule", "scan-exac"]), @"
    --- stderr
    error: invalid value 'scan-exac' for '[RULE]': rules: `KS001`, `KS002`, `KS003`, `KS004`, `KS005`, `KS006`, `KS007`, `KS008`, `KS009`, `KS010`

    For more information, try '--help'.
    --- exit 2
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
