//! The password of a database, where PostgreSQL's own programs look for it (libpq, section "The Password File").

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;
use zeroize::Zeroizing;

/// That of `PGPASSWORD`, or of the first line of the password file that fits.
pub(crate) fn password(config: &Config) -> Option<Zeroizing<String>> {
    if let Ok(password) = env::var("PGPASSWORD") {
        return Some(Zeroizing::new(password));
    }
    let path = env::var_os("PGPASSFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".pgpass")))?;
    if !is_private(&path) {
        return None;
    }
    let lines = Zeroizing::new(fs::read_to_string(path).ok()?);
    look_up(&lines, &wanted(config))
}

/// Others must not be able to read the file, or it is not taken.
fn is_private(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 == 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

/// Host, port, database and user, as lines of the file name them.
fn wanted(config: &Config) -> [String; 4] {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default().to_owned();
    let database = config.get_dbname().map_or_else(|| user.clone(), str::to_owned);
    [host, port, database, user]
}

/// The password of the first line `HOST:PORT:DATABASE:USER:PASSWORD` that fits; `*` fits anything, and a backslash
/// stands before a colon or a backslash that is part of a field.
fn look_up(lines: &str, wanted: &[String; 4]) -> Option<Zeroizing<String>> {
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let (password, names) = fields.split_last()?;
        let fits = names.len() == wanted.len()
            && names.iter().zip(wanted).all(|(name, wanted)| *name == "*" || name == wanted);
        fits.then(|| Zeroizing::new(password.clone()))
    })
}

/// At most five fields; the last goes to the end of the line.
fn fields(line: &str) -> Zeroizing<Vec<String>> {
    let mut fields = Zeroizing::new(vec![String::new()]);
    let mut escaped = false;
    for c in line.chars() {
        let last = fields.len() - 1;
        match c {
            '\\' if !escaped => escaped = true,
            ':' if !escaped && last < 4 => fields.push(String::new()),
            c => {
                fields[last].push(c);
                escaped = false;
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let lines = "# comment\nshort:line\ndb.example:5432:shop:ann:one\n*:*:*:ann:t\\:w\\\\o\n*:*:*:*:th:ree\n";
        let found = |wanted: [&str; 4]| {
            look_up(lines, &wanted.map(str::to_owned)).map(|password| password.to_string())
        };
        assert_eq!(found(["db.example", "5432", "shop", "ann"]).as_deref(), Some("one"));
        assert_eq!(found(["db.example", "5433", "shop", "ann"]).as_deref(), Some("t:w\\o"));
        assert_eq!(found(["h", "1", "d", "u"]).as_deref(), Some("th:ree"));
        assert!(look_up("h:1:d:other:x", &["h", "1", "d", "u"].map(str::to_owned)).is_none());
    }

    #[test]
    fn an_address_says_what_is_looked_up() {
        let of = |address: &str| wanted(&address.parse().expect("an address"));
        assert_eq!(
            of("postgresql://ann@db.example:5433/shop"),
            ["db.example", "5433", "shop", "ann"]
        );
        assert_eq!(of("postgresql://ann@db.example"), ["db.example", "5432", "ann", "ann"]);
    }
}
