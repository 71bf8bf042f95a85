//! The flags of `veilset policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Explain a policy in sentences, each with its line
    Check {
        /// The policy
        file: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say what a policy would make of a command: read its list, and send nothing
    Try {
        /// The policy
        file: PathBuf,
        /// The command as you would run it, such as: count list.csv --key email:email --peer acme --listen 0.0.0.0:7000
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "COMMAND"
        )]
        command: Vec<String>,
    },
}

impl PolicyArgs {
    /// Whether the result is to be JSON.
    pub(crate) fn prints_json(&self) -> bool {
        matches!(self.command, PolicyCommand::Check { json: true, .. })
    }
}
