//! `veilset config`: the settings that there are, and where they stand.

use std::collections::HashSet;
use std::path::Path;

use clap::{Args, Command};
use serde_json::json;
use veilset::json::versioned;
use veilset::party::Home;

use crate::args::Cli;
use crate::config::{
    FILE, PROJECT, Places, Setting, complete, flag_of, known, meets, of_environment, of_files,
    variable,
};
use crate::error::Failure;
use crate::escape::json_line;
use crate::exchange::print_words;
use crate::layout::table;
use crate::progress::say_warning;

#[derive(Args)]
pub(crate) struct ConfigArgs {
    /// Print this command with the flags that the configuration adds, such as count list.csv --key email:email --peer acme, and
    /// do nothing
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Prints the settings, or a command with those that it takes.
pub(crate) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    if !args.command.is_empty() {
        let line = ["veilset"].into_iter().chain(args.command.iter().map(String::as_str));
        let line = complete(line.map(Into::into).collect(), Places::All)?;
        return print_words(line.words.iter().map(|word| word.to_string_lossy()));
    }
    let program = Cli::built();
    let settings = all(&program)?;
    let user = Home::from_env().map(|home| home.path().join(FILE))?;
    let mut seen = HashSet::new();
    let rows = settings.iter().map(|setting| {
        let used = seen.insert((&setting.name, &setting.peer));
        (setting, used, is_right(&program, setting))
    });
    if args.json {
        let rows: Vec<_> = rows.map(of_setting).collect();
        let object = versioned(json!({ "user_file": user, "settings": rows }));
        return Ok(print_line!("{}", json_line(&object))?);
    }
    let known: Vec<String> = known().iter().map(|name| variable(name)).collect();
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let is_flags = name.strip_prefix("VEILSET_").is_some_and(|rest| !rest.starts_with("HOME"));
        if is_flags && !known.iter().any(|known| *known == name) {
            say_warning(&format!("{name} stands for no flag"));
        }
    }
    say_file("your file", &user)?;
    say_file("the project's", Path::new(PROJECT))?;
    if settings.is_empty() {
        return Ok(print_line!(
            "nothing is set; flags may stand in either file, and in variables such as VEILSET_VIA"
        )?);
    }
    let mut shown = table(&["for", "setting", "value", "from"]);
    for (setting, used, right) in rows {
        let place = match (used, right) {
            (_, false) => format!("{} (no command takes this value)", setting.place),
            (true, true) => setting.place.clone(),
            (false, true) => format!("{} (a stronger one is above)", setting.place),
        };
        let peer = setting.peer.as_deref().unwrap_or("all");
        shown.add_row([peer, &setting.name, &value(setting), &place]);
    }
    Ok(print_line!("\n{}", shown.trim_fmt())?)
}

/// All settings of any command, from the strongest.
fn all(program: &Command) -> Result<Vec<Setting>, Failure> {
    let mut settings: Vec<Setting> = Vec::new();
    for setting in program.get_subcommands().filter(|one| meets(one)).flat_map(of_environment) {
        // Commands share flags, and so variables.
        if !settings.iter().any(|known| known.name == setting.name) {
            settings.push(setting);
        }
    }
    settings.extend(of_files(Places::All)?);
    Ok(settings)
}

/// Whether some command takes the value.
fn is_right(program: &Command, setting: &Setting) -> bool {
    let commands = program.get_subcommands().filter(|command| meets(command));
    let mut flags = commands.filter_map(|command| flag_of(command, &setting.name));
    flags.any(|flag| {
        let alone = Command::new("veilset").arg(flag.clone().required(false).global(false));
        let words = ["veilset"].into_iter().chain(setting.words.iter().map(String::as_str));
        alone.try_get_matches_from(words).is_ok()
    })
}

fn say_file(what: &str, path: &Path) -> Result<(), Failure> {
    let is_there = if path.exists() { "" } else { " (there is none)" };
    Ok(print_line!("{:14} {}{is_there}", format!("{what}:"), path.display())?)
}

/// What a setting sets, for people.
fn value(setting: &Setting) -> String {
    let values: Vec<&str> = setting
        .words
        .iter()
        .map(|word| word.split_once('=').map_or("true", |(_, value)| value))
        .collect();
    if values.is_empty() { "false".to_owned() } else { values.join(", ") }
}

fn of_setting((setting, used, right): (&Setting, bool, bool)) -> serde_json::Value {
    json!({
        "peer": setting.peer,
        "name": setting.name,
        "value": value(setting),
        "from": setting.place,
        "used": used,
        "right": right,
    })
}
