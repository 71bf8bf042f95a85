//! What can go wrong with an object.

/// Why an object was not read or written. None of these holds a credential, nor anything of the object.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The program was built without what reaches object stores.
    #[error(
        "{address} is in an object store, which this build does not reach: build it with the feature `objects`, or copy \
         the file here"
    )]
    Absent {
        /// The address.
        address: String,
    },
    /// The address does not parse.
    #[error(
        "this is no address of an object; write s3://BUCKET/NAME, gs://BUCKET/NAME or az://CONTAINER/NAME, without empty \
         parts in the name"
    )]
    Address,
    /// The address holds more than a bucket and a name.
    #[error(
        "the address of an object is a bucket and a name alone; leave out the rest, and give credentials in the \
         environment: {variables}"
    )]
    Credentials {
        /// The variables.
        variables: &'static str,
    },
    /// What the environment says of the store cannot be used.
    #[error(
        "the environment's settings for {address} are incomplete or cannot be read; check the variables {variables}"
    )]
    Settings {
        /// The address.
        address: String,
        /// The variables.
        variables: &'static str,
    },
    /// There are no credentials, neither in the environment nor on the machine.
    #[error("there are no credentials for {address}; set {variables}")]
    NoCredentials {
        /// The address.
        address: String,
        /// The variables.
        variables: &'static str,
    },
    /// The store would be reached without encryption.
    #[error(
        "the endpoint for {address} has no encryption, which is taken on this machine's own address alone; give one \
         that begins with https://"
    )]
    Plain {
        /// The address.
        address: String,
    },
    /// Nothing has this name.
    #[error(
        "{address} does not exist; check the name: a folder ends with /, and * fits any characters of a name"
    )]
    NotFound {
        /// The address.
        address: String,
    },
    /// The bucket does not exist.
    #[error(
        "there is no bucket for {address}; check its name, and the store's endpoint or account"
    )]
    NoBucket {
        /// The address.
        address: String,
    },
    /// The store denies access.
    #[error(
        "the store refuses {address}: {why}; check {variables}, and with the bucket's owner whether you may read and list \
         there, or write"
    )]
    Refused {
        /// The address.
        address: String,
        /// The store's answer.
        why: String,
        /// The variables.
        variables: &'static str,
    },
    /// An object exists where a new one should be.
    #[error("{address} exists; give another name with -o, or --force to overwrite it")]
    Exists {
        /// The address.
        address: String,
    },
    /// A result needs one name.
    #[error("{address} is no name of one object; give a name without * that does not end with /")]
    NotOne {
        /// The address.
        address: String,
    },
    /// The store was not reached, or its answer broke off.
    #[error("cannot reach {address}: {why}; check your connection, and try again")]
    Unreachable {
        /// The address.
        address: String,
        /// What the system says.
        why: String,
    },
    /// A result did not get there for sure.
    #[error(
        "{address} was not written, as far as is known: {why}; look whether it is there before you try again"
    )]
    Unwritten {
        /// The address.
        address: String,
        /// What the system says.
        why: String,
    },
    /// Objects came, and could not be kept.
    #[error("the objects cannot be kept: {0}")]
    Unkept(std::io::Error),
}

impl ObjectError {
    /// Whether the network is at fault, and neither the address nor the store.
    #[must_use]
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Unwritten { .. })
    }
}
