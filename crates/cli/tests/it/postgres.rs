//! Lists that a PostgreSQL server answers with.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use veilset_stage::{NOBODY, Party, code, stderr};

use crate::support::postgres::Postgres;
use crate::support::{ANY, json, pair};

const ROWS: &str = "\
    create table customers (id bigint, email text, born date, paid numeric(8,2), seen timestamptz);\
    insert into customers values\
    (1, 'Ann@example.org', '1990-02-03', 12.50, '2024-02-29 01:02:03.45+01'),\
    (2, 'ben@example.org', null, 7, null), (3, null, null, 0, null),\
    (4, E'x,\"y\"\\nz@example.org', null, 1, null);\
    create role eve login password 'hers'";

const QUERY: &str = "select * from customers order by id;";

/// `veilset check` on the server's rows with these variables.
fn checked(party: &Party, address: &str, query: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let key = ["check", address, "--query", query, "--key", "email:email", "--json"];
    let mut command = party.command(&key);
    command.env_remove("PGPASSWORD").env("HOME", party.path(""));
    let output = command.envs(variables.iter().copied()).output().expect("it starts");
    (code(&output), String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output))
}

#[test]
fn a_query_is_a_list() {
    let server = Postgres::start();
    server.run(ROWS);
    let (left, right) = pair();
    left.file(
        "list.csv",
        "email\nann@example.org\n\"x,\"\"y\"\"\nz@example.org\"\nnobody@example.org\n",
    );

    let file = ["intersect", "list.csv", "--key", "email:email", "--listen", ANY];
    let mut other = left.start(&[&file[..], &["--peer", "right", "--json"]].concat());
    let (listen, address) = (other.address(), server.address("ann"));
    let query = ["intersect", &address, "--query", QUERY, "--key", "email:email", "-o", "out.csv"];
    let mut command =
        right.command(&[&query[..], &["--connect", &listen, "--peer", "left"]].concat());
    let output = command.env("PGPASSWORD", "open:sesame").output().expect("it starts");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let seen = json(&other.output());
    assert_eq!(seen["result"]["count"], 2);
    // As the server writes CSV: ISO dates, times in UTC, its own digits.
    assert_eq!(
        right.read("out.csv"),
        "id,email,born,paid,seen\n1,Ann@example.org,1990-02-03,12.50,2024-02-29 00:02:03.45+00\n\
         4,\"x,\"\"y\"\"\nz@example.org\",,1.00,\n"
    );
    assert!(!stderr(&output).contains("sesame"));

    the_password_is_looked_for_where_other_programs_do(&server, &left);
    what_goes_wrong_is_said_without_a_value(&server, &left);
}

fn the_password_is_looked_for_where_other_programs_do(server: &Postgres, party: &Party) {
    let (ann, eve) = (server.address("ann"), server.address("eve"));
    let line = format!("127.0.0.1:{}:postgres:eve:wrong\n*:*:*:ann:open\\:sesame\n", server.port());
    party.file(".pgpass", &line);
    let rights = |mode| {
        let rights = fs::Permissions::from_mode(mode);
        fs::set_permissions(party.path(".pgpass"), rights).expect("one's own");
    };
    rights(0o600);
    let (done, said) = checked(party, &ann, QUERY, &[]);
    assert_eq!(done, 0, "{said}");
    assert!(said.contains("\"rows\":4,\"distinct\":3,\"duplicates\":0,\"empty\":1"), "{said}");
    let (done, said) = checked(party, &eve, "select 'a@b.example' as email", &[]);
    assert!(done == 2 && said.contains("refuses the login"), "{said}");
    let (done, said) =
        checked(party, &eve, "select 'a@b.example' as email", &[("PGPASSWORD", "hers")]);
    assert_eq!(done, 0, "{said}");
    rights(0o644);
    let (done, said) = checked(party, &ann, QUERY, &[]);
    assert!(done != 0 && !said.contains("sesame"), "{said}");
}

fn what_goes_wrong_is_said_without_a_value(server: &Postgres, party: &Party) {
    let address = server.address("ann");
    let closed = format!("postgresql://ann@{NOBODY}/postgres");
    let secret = "postgresql://ann:open@127.0.0.1/postgres";
    let tls = format!("{address}?sslmode=require");
    for (address, query, exit, part) in [
        (&*address, "select emial from customers", 2, "column \"emial\" does not exist"),
        (&address, "insert into customers values (9) returning email", 2, "read-only"),
        (&address, "select email::int as email from customers", 2, "error 22P02"),
        (&address, "select 1; select 2", 2, "syntax error"),
        (&address, "select id from customers", 2, "no column \"email\""),
        (&closed, QUERY, 4, "cannot reach the database at 127.0.0.1"),
        (&tls, QUERY, 4, "cannot reach the database at 127.0.0.1"),
        (secret, QUERY, 2, "the address holds a password"),
        ("postgresql://ann@h:port/x", QUERY, 2, "no address of a database"),
        ("list.csv", QUERY, 2, "--query is for a database"),
    ] {
        let (code, said) = checked(party, address, query, &[("PGPASSWORD", "open:sesame")]);
        assert!(code == exit && said.contains(part), "{code}: {said}");
        assert!(!said.contains("sesame") && !said.contains("example.org"), "{said}");
    }
    let output = party.run(&["check", &address, "--key", "email"]);
    assert!(code(&output) == 2 && stderr(&output).contains("needs a query"), "{}", stderr(&output));
}
