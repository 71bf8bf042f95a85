//! The flags of what both sides choose beside the protocol, from their declarations.

use std::ffi::OsStr;

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use veilset::choose;
use veilset::registry::{CHOICES, Choice, Choices};

use super::PROTOCOL;

/// What was chosen, by the flags that the command has.
#[derive(Clone, Copy)]
pub(crate) struct ChoiceArgs(pub(crate) Choices);

/// The choices that a command has flags for: those of any protocol, those of the operation that it is called by, and for
/// a price all that it depends on.
fn offered(command: &str) -> impl Iterator<Item = &'static Choice> {
    CHOICES.iter().filter(move |choice| match choice.of {
        None => true,
        Some(operation) => operation.name() == command || (command == "plan" && choice.priced),
    })
}

impl Args for ChoiceArgs {
    fn augment_args(command: Command) -> Command {
        let name = command.get_name().to_owned();
        offered(&name).fold(command, |command, choice| command.arg(flag(choice)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ChoiceArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        // A flag that the command does not have was not given.
        let given = |choice: &Choice| matches.try_get_one::<Choices>(choice.name).ok()?.copied();
        let given = CHOICES.iter().filter_map(given);
        Ok(Self(given.fold(Choices::default(), Choices::or)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(choice: &'static Choice) -> Arg {
    let read =
        move |text: &str| choose(choice.name, OsStr::new(text)).map_err(|error| error.to_string());
    let flag = Arg::new(choice.name)
        .long(choice.name)
        .value_name(choice.placeholder)
        .help_heading(PROTOCOL)
        .value_parser(read);
    match (choice.of, choice.default) {
        (Some(_), Some(default)) => flag.help(choice.help).default_value(default),
        _ => flag.help(general_help(choice)).hide_short_help(true),
    }
}

/// Protocols differ in what stands where nobody chooses, so that no value is the flag's default.
fn general_help(choice: &Choice) -> String {
    let default = choice.default.map(|default| format!(" [default: {default}]"));
    let values = choice.values.map(|values| format!("; one of: {values}"));
    [choice.help, &values.unwrap_or_default(), &default.unwrap_or_default()].concat()
}
