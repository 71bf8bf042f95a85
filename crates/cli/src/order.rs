//! The commands of the operations on lists, from their table, and what a command asks for.

use clap::error::ErrorKind;
use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand, ValueEnum,
    value_parser,
};
use veilset::data::{Condition, DataError, Destination, KeySpec, Pairs, Scratch, Source};
use veilset::registry::{
    Attaches, Gives, Keys, MAX_GROUPS, OPERATIONS, Operation, OperationSpec, Over, PROTOCOLS,
};
use veilset::tongues::admap;
use veilset::{
    Columns, Done, Input, Job, Join, Joining, Learn, ME, Matching, Release, can_be_filled,
};

use crate::args::{
    LIST, MeetArgs, OutputArgs, PartyArgs, RESULT, Talk, of_several, of_two, of_two_or_several,
};
use crate::error::Failure;
use crate::operation::{Output, destination};
use crate::units;

/// A job with the flags that every operation has.
pub(crate) fn job(operation: Operation, args: &MeetArgs, peers: Vec<String>) -> Job {
    Job {
        protocol: args.protocol.0,
        security: args.security.into(),
        max_memory: args.max_memory,
        choices: args.choices.0,
        reference: args.reference.clone(),
        ..Job::new(operation, peers)
    }
}

/// An operation on lists with its flags.
pub(crate) struct Order {
    pub(crate) operation: Operation,
    pub(crate) party: PartyArgs,
    /// `None` where the result has no rows.
    pub(crate) out: Option<OutputArgs>,
    /// What rows of the list must say to count.
    conditions: Vec<Condition>,
    /// The columns of what the operation attaches to keys.
    columns: Vec<String>,
    /// The column by which the peer's values are multiplied.
    factor: Option<String>,
    /// Whether the squares of values are added up, too.
    stats: bool,
    /// The columns of groups by which values are added up.
    by: Vec<String>,
    /// How many groups there are at most.
    groups: Option<usize>,
    /// How rows match by several keys.
    matching: Option<Matching>,
    /// How many rows one row can match.
    pairs: Option<Pairs>,
    /// How rows that match are written.
    joining: Joining,
    /// Where a picture of numbers goes.
    picture: Option<String>,
    /// How rows with identifiers are written.
    mapping: Mapping,
}

/// How rows with identifiers are written.
#[derive(Clone, Default)]
struct Mapping {
    format: MappingFormat,
    /// ADMAP's Space ID.
    space: Option<String>,
}

/// Whose form rows with identifiers have.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum MappingFormat {
    /// Those of your list with a column more
    #[default]
    Rows,
    /// IAB Tech Lab's ADMAP
    Admap,
}

/// The flag that says which rows an intersection writes.
const JOIN: &str = "join";
const JOIN_HELP: &str = "Which rows of your list to write: inner, those that match; left, all, those that match with the columns that the \
                         peer sends; or anti, those that do not match [default: inner]";

/// The flag that says where a picture of numbers goes.
const PICTURE: &str = "picture";
const PICTURE_HELP: &str =
    "Write a picture of the numbers: an UpSet plot as SVG, which browsers and word processors show";

/// The flag that says whose form rows with identifiers have.
const FORMAT: &str = "format";
const FORMAT_HELP: &str = "Whose form the result has: rows, those of your list with a column more; or admap, IAB Tech Lab's ADMAP, with Space ID, \
                           Key Value and ADMAP ID of each of your keys, and nothing of the peer's (docs/interop.md) [default: rows]";

/// The flag that names ADMAP's space.
const SPACE: &str = "space-id";
const SPACE_HELP: &str = "With --format admap, the Space ID, which you and the peer agreed on [default: the id of this run, which both sides have]";

/// The flag that leaves the peer's cells as they come.
const RAW_CELLS: &str = "raw-cells";
const RAW_CELLS_HELP: &str = "Write the peer's cells as they come: else in CSV an apostrophe stands before what a spreadsheet would take for a \
                              formula, and control characters are escapes";

/// The flag that names the column by which the peer's values are multiplied.
const FACTOR: &str = "factor";
const FACTOR_HELP: &str = "The column by which the peer's values are multiplied, where the peer gives --value THEIRS*COL; the peer learns the sum";

/// The flag that asks how values spread.
const STATS: &str = "stats";
const STATS_HELP: &str = "Tell the mean and the variance of each --value column, too; the peer sees that you add up its squares";

/// The flag that names the columns of groups.
const BY: &str = "by";
const BY_HELP: &str = "A column by whose cells values are added up, one sum for each different cell; repeat it for more, and give --groups. \
                       Without --value the peer's values are, and the peer learns what the cells say";

/// The flag that says how many groups there are at most.
const GROUPS: &str = "groups";
const GROUPS_HELP: &str = "How many groups there can be at most, from 1 to 1024, where the owner of the values adds up --by groups and alone learns \
                           the result; both sides give the same";

/// The flag that says which rows of the list count.
const WHERE: &str = "where";
const WHERE_HELP: &str = "Use only rows that meet this, such as 'amount>=100' or 'country=DE'; repeat it for more. The peer sees neither which \
                          nor how many they are";

/// The flag that says how rows match by several keys.
const MATCH: &str = "match";
const MATCH_GROUPED: &str = "How rows match by several keys: grouped, by any of a row's values, which stay together [default: grouped]";
const MATCH_BLIND: &str = "How rows match by several keys: by any of a row's values, which stay together; grouped, or blind, where nobody sees by which of \
                             them [default: grouped]";
const MATCH_HELP: &str = "How rows match by several keys: tiers, key after key, where rows that match drop out before the next (both \
                          sides learn), or one-sided, all keys at once (one side learns) [default: the one for --learn]";

/// The flag that says how many rows one row can match.
const PAIRS: &str = "pairs";
const PAIRS_HELP: &str = "How many rows of a list can match by one key: many, or one-to-one, where a key that several rows carry is nobody's, \
                          as with --most-per-key 1; both sides give the same [default: many]";

/// The operations that are commands on lists.
fn on_lists() -> impl Iterator<Item = &'static OperationSpec> {
    let on_lists = [Over::ManyLists, Over::SeveralLists, Over::TwoLists];
    OPERATIONS.iter().filter(move |spec| on_lists.contains(&spec.over))
}

/// Whether rows can match so that nobody sees by which keys.
fn can_be_blind(operation: Operation) -> bool {
    let mut specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
    specs.any(|spec| spec.operation == operation && spec.blind)
}

fn has_rows(spec: &OperationSpec) -> bool {
    spec.gives != Gives::Numbers
}

/// The command of an operation.
fn command(spec: &'static OperationSpec) -> Command {
    let name = spec.operation.name();
    let usage = match spec.over {
        Over::ManyLists => of_two_or_several(name),
        Over::SeveralLists => of_several(name),
        Over::TwoLists | Over::Calendars | Over::ServedList => of_two(name),
    };
    let mut command = PartyArgs::augment_args(Command::new(name));
    if has_rows(spec) {
        command = OutputArgs::augment_args(command);
    }
    if let Some((flag, help)) = spec.attaches.argument().zip(spec.column) {
        let flag = Arg::new(flag).long(flag).help(help).help_heading(LIST).value_name("COL");
        command = command.arg(flag.action(ArgAction::Append));
    }
    if can_be_filled(spec.operation) {
        let only = Arg::new(WHERE).long(WHERE).help(WHERE_HELP).help_heading(LIST);
        let only = only.value_name("CONDITION").value_parser(value_parser!(Condition));
        command = command.arg(only.action(ArgAction::Append));
    }
    if spec.has_groups() {
        let by = Arg::new(BY).long(BY).help(BY_HELP).help_heading(LIST).value_name("COL");
        let most = 1..=MAX_GROUPS as u64;
        let groups = Arg::new(GROUPS).long(GROUPS).help(GROUPS_HELP).value_name("N");
        let groups = groups.help_heading(LIST).value_parser(value_parser!(u64).range(most));
        let stats = Arg::new(STATS).long(STATS).help(STATS_HELP).help_heading(LIST);
        let factor = Arg::new(FACTOR).long(FACTOR).help(FACTOR_HELP).help_heading(LIST);
        command = command
            .arg(factor.value_name("COL").conflicts_with("value"))
            .arg(stats.action(ArgAction::SetTrue).requires("value"))
            .arg(by.action(ArgAction::Append))
            .arg(groups);
    }
    if spec.keys != Keys::One {
        let flag = |name, help, values| {
            Arg::new(name).long(name).help(help).help_heading(LIST).value_name(values)
        };
        let matching = match spec.keys {
            Keys::Together if can_be_blind(spec.operation) => {
                flag(MATCH, MATCH_BLIND, "grouped|blind")
            }
            Keys::Together => flag(MATCH, MATCH_GROUPED, "grouped"),
            Keys::Ordered | Keys::One => flag(MATCH, MATCH_HELP, "tiers|one-sided"),
        };
        let pairs = flag(PAIRS, PAIRS_HELP, "many|one-to-one").conflicts_with("most_per_key");
        command = command
            .arg(matching.value_parser(value_parser!(Matching)))
            .arg(pairs.value_parser(value_parser!(Pairs)));
    }
    if spec.over == Over::SeveralLists {
        let picture = Arg::new(PICTURE).long(PICTURE).help(PICTURE_HELP).value_name("FILE.svg");
        command = command.arg(picture.help_heading(RESULT));
    }
    if spec.gives == Gives::Identifiers {
        let format = Arg::new(FORMAT).long(FORMAT).help(FORMAT_HELP).value_name("rows|admap");
        let space = Arg::new(SPACE).long(SPACE).help(SPACE_HELP).value_name("TEXT");
        command = command
            .arg(format.help_heading(RESULT).value_parser(value_parser!(MappingFormat)))
            .arg(space.help_heading(RESULT).requires(FORMAT).value_parser(units::reference));
    }
    if spec.may_send_rows() {
        let join = Arg::new(JOIN).long(JOIN).help(JOIN_HELP).value_name("inner|left|anti");
        let raw = Arg::new(RAW_CELLS).long(RAW_CELLS).help(RAW_CELLS_HELP);
        command = command
            .arg(join.help_heading(RESULT).value_parser(value_parser!(Join)))
            .arg(raw.help_heading(RESULT).action(ArgAction::SetTrue));
    }
    // Last, since each part of the flags describes itself.
    command.about(spec.help).override_usage(usage)
}

impl Subcommand for Order {
    fn augment_subcommands(program: Command) -> Command {
        on_lists().fold(program, |program, spec| program.subcommand(command(spec)))
    }

    fn augment_subcommands_for_update(program: Command) -> Command {
        Self::augment_subcommands(program)
    }

    fn has_subcommand(name: &str) -> bool {
        on_lists().any(|spec| spec.operation.name() == name)
    }
}

impl FromArgMatches for Order {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let called = matches.subcommand().and_then(|(name, matches)| {
            let spec = on_lists().find(|spec| spec.operation.name() == name)?;
            Some((spec, matches))
        });
        let (spec, matches) = called.ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        let out = has_rows(spec).then(|| OutputArgs::from_arg_matches(matches));
        let columns = spec.attaches.argument().zip(spec.column);
        let columns = columns.and_then(|(flag, _)| matches.get_many::<String>(flag));
        let (matching, pairs) = match spec.keys {
            Keys::One => (None, None),
            Keys::Ordered | Keys::Together => {
                (matches.get_one(MATCH).copied(), matches.get_one(PAIRS).copied())
            }
        };
        let joining = match spec.may_send_rows() {
            true => Joining {
                join: matches.get_one(JOIN).copied().unwrap_or_default(),
                raw_cells: matches.get_flag(RAW_CELLS),
            },
            false => Joining::default(),
        };
        let mapping = match spec.gives {
            Gives::Identifiers => Mapping {
                format: matches.get_one(FORMAT).copied().unwrap_or_default(),
                space: matches.get_one(SPACE).cloned(),
            },
            _ => Mapping::default(),
        };
        let filling = can_be_filled(spec.operation).then_some(matches);
        let conditions = filling.and_then(|matches| matches.get_many(WHERE));
        let grouping = spec.has_groups().then_some(matches);
        Ok(Self {
            operation: spec.operation,
            party: PartyArgs::from_arg_matches(matches)?,
            out: out.transpose()?,
            conditions: conditions.into_iter().flatten().cloned().collect(),
            columns: columns.into_iter().flatten().cloned().collect(),
            factor: grouping.and_then(|matches| matches.get_one(FACTOR)).cloned(),
            stats: grouping.is_some_and(|matches| matches.get_flag(STATS)),
            by: grouping
                .and_then(|matches| matches.get_many(BY))
                .map_or_else(Vec::new, |names| names.cloned().collect()),
            groups: grouping
                .and_then(|matches| matches.get_one::<u64>(GROUPS))
                .map(|groups| *groups as usize),
            matching,
            pairs,
            joining,
            mapping,
            picture: (spec.over == Over::SeveralLists)
                .then(|| matches.get_one(PICTURE).cloned())
                .flatten(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Order {
    /// The job for peers of these names.
    pub(crate) fn job(&self, peers: Vec<String>) -> Job {
        let matching = self.matching;
        let with_rows = self.operation.spec().may_send_rows() && self.sends();
        let learn = self.learn();
        let release = Release::from(&self.party.release);
        let pad_to = self.party.release.pad_to;
        let job = job(self.operation, &self.party.meet, peers);
        Job { learn, matching, with_rows, groups: self.groups, release, pad_to, ..job }
    }

    /// The keys of the list.
    pub(crate) fn keys(&self) -> Vec<KeySpec> {
        let keys = self.party.list.keys().into_iter();
        let most_rows = self.most_rows();
        keys.map(|key| key.carried_by_at_most(most_rows)).collect()
    }

    /// How many rows may carry a key at most.
    pub(crate) fn most_rows(&self) -> Option<u32> {
        self.pairs.and_then(Pairs::most_rows).or(self.party.crowd.most_per_key)
    }

    /// The list with what the operation takes of it.
    pub(crate) fn attach(&self, input: Input) -> Result<Input, Failure> {
        let (values, send, squares) = (&self.columns[..], &self.columns[..], self.stats);
        let factor = self.factor.as_deref();
        let columns = Columns { values, squares, factor, by: &self.by, send, label: None };
        let input = input.only(&self.conditions)?;
        Ok(input.joining(self.joining).attach(self.operation, self.learn(), columns)?)
    }

    /// Where lists go that take too much memory, and results that their place does not take.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::new(self.party.scratch.clone(), self.party.meet.max_memory)
    }

    /// Where rows of the result go, if there are any, checked before anything else happens.
    pub(crate) fn destination(&self, talk: &Talk) -> Result<Option<Destination>, Failure> {
        let Some(out) = &self.out else { return Ok(None) };
        let json = self.party.meet.json;
        let output = Output { file: out.output.as_deref(), force: out.force, json };
        destination(output, &Source::new(&self.party.list.place.file), talk)
    }

    /// Whether the result has ADMAP's form.
    pub(crate) fn is_admap(&self) -> bool {
        self.mapping.format == MappingFormat::Admap
    }

    /// Writes the rows of a result.
    pub(crate) fn write(
        &self,
        done: &Done,
        input: &Input,
        to: &Destination,
    ) -> Result<(), DataError> {
        match self.mapping.format {
            MappingFormat::Rows => done.write(input, to),
            MappingFormat::Admap => admap::write(done, input, self.mapping.space.as_deref(), to),
        }
    }

    /// Where a picture of the result goes, checked before anything else happens.
    pub(crate) fn picture(&self) -> Result<Option<Destination>, Failure> {
        let Some(file) = &self.picture else { return Ok(None) };
        let place = Destination::file(file, false);
        place.check_place(&Source::new(&self.party.list.place.file))?;
        Ok(Some(place))
    }

    /// Where rows of the result go, as its flag has it.
    pub(crate) fn output(&self) -> Option<&str> {
        self.out.as_ref()?.output.as_deref()
    }

    fn learn(&self) -> Learn {
        self.party.learn.into()
    }

    /// Whether this side gets the result.
    pub(crate) fn learns(&self) -> bool {
        let learners = &self.party.seats.learner;
        self.learn().includes_me()
            && (learners.is_empty() || learners.iter().any(|name| name == ME))
    }

    /// Whether this side gets rows under the header of its list.
    pub(crate) fn gives_rows(&self) -> bool {
        self.learns() && self.operation.spec().gives.has_own_header()
    }

    /// How rows match by these keys of the list.
    pub(crate) fn matching(&self, keys: &[KeySpec]) -> Result<Option<Matching>, Failure> {
        Ok(self.job(self.party.meet.names()).matching_of(keys)?)
    }

    /// Whether this side names columns that go to the peer.
    pub(crate) fn sends(&self) -> bool {
        let sends_rows = matches!(self.operation.spec().attaches, Attaches::Rows { .. });
        sends_rows && !self.columns.is_empty()
    }

    /// Flags that do not fit one another.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.operation.spec().over == Over::SeveralLists && !self.party.meet.has_several() {
            return Err(Failure::Flags(format!(
                "{} is of three lists or more: give --peer for each other party; of two lists count says the same",
                self.operation
            )));
        }
        self.matching(&self.keys())?;
        if self.sends() && self.learn() == Learn::Me {
            return Err(Failure::Flags(
                "with --learn me you send no rows: leave out --send".to_owned(),
            ));
        }
        if self.joining != Joining::default() && !self.learns() {
            return Err(Failure::Flags(
                "with --learn peer you get no rows: leave out --join and --raw-cells".to_owned(),
            ));
        }
        Ok(())
    }
}
