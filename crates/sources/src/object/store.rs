//! Objects, read and written.

use std::io;

use futures_util::{StreamExt, TryStreamExt, stream};
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{Error, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode};

use super::address::Address;
use super::failure::judge;
use super::open::open;
use super::{Arrival, ObjectError};

/// How many objects of at most [`SMALL`] bytes are fetched at once, each whole.
const AT_ONCE: usize = 8;

/// What is larger comes alone and in pieces.
const SMALL: u64 = 1 << 20;

/// Hands `take` the objects that `address` stands for, each with its own address, in the order of these: one of this name; or all
/// that are directly in a folder, where the address ends with `/` or no object has the name; or all that a pattern with
/// `*` fits. Names that begin with a point or `_` are left out of folders and patterns.
///
/// Credentials are those of the environment, under the names that the store's own tools give them.
///
/// # Errors
/// See [`ObjectError`].
pub fn objects(address: &str, take: Take<'_>) -> Result<(), ObjectError> {
    let bucket = Bucket::open(Address::parse(address)?, None)?;
    block_on(&bucket.address, bucket.objects(take))
}

/// What becomes of objects that arrive.
type Take<'a> = &'a mut dyn FnMut(Arrival<'_>) -> io::Result<()>;

/// An object that is to be, whole or not at all.
#[derive(Debug)]
pub struct NewObject {
    address: Address,
    force: bool,
}

impl NewObject {
    /// An object at this address; with `force` it may take the place of another.
    ///
    /// # Errors
    /// When the address is none of one object.
    pub fn new(address: &str, force: bool) -> Result<Self, ObjectError> {
        let address = Address::parse(address)?;
        if address.is_folder() || address.is_pattern() {
            return Err(ObjectError::NotOne { address: address.to_string() });
        }
        Ok(Self { address, force })
    }

    /// Its address.
    #[must_use]
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    /// Finds out whether the store is there and, without force, that it has no such object.
    ///
    /// # Errors
    /// See [`ObjectError`].
    pub fn check(&self) -> Result<(), ObjectError> {
        let bucket = Bucket::open(self.address.clone(), None)?;
        let exists = block_on(&self.address, bucket.exists())?;
        if exists && !self.force { Err(self.exists()) } else { Ok(()) }
    }

    /// Writes it in one request, of which the store keeps all or nothing. Without force the store is told to keep an
    /// object that is there.
    ///
    /// # Errors
    /// See [`ObjectError`].
    pub fn put(&self, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let bucket = Bucket::open(self.address.clone(), Some(bytes.len()))?;
        block_on(&self.address, bucket.put(bytes, self.force)).map_err(|error| match error {
            ObjectError::Unreachable { address, why } => ObjectError::Unwritten { address, why },
            error => error,
        })
    }

    fn exists(&self) -> ObjectError {
        ObjectError::Exists { address: self.name() }
    }
}

/// Runs `work` to its end on this thread.
fn block_on<T>(
    address: &Address,
    work: impl Future<Output = Result<T, ObjectError>>,
) -> Result<T, ObjectError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| ObjectError::Unreachable {
        address: address.to_string(),
        why: why.to_string(),
    })?;
    runtime.block_on(work)
}

/// An address, and the store that it is in.
struct Bucket {
    address: Address,
    store: Box<dyn ObjectStore>,
}

impl Bucket {
    fn open(address: Address, bytes: Option<usize>) -> Result<Self, ObjectError> {
        let store = open(&address, bytes)?;
        Ok(Self { address, store })
    }

    async fn objects(&self, take: Take<'_>) -> Result<(), ObjectError> {
        if self.address.is_folder() || self.address.is_pattern() {
            let all = self.list(self.address.folder()).await?;
            return if all.is_empty() {
                Err(self.not_found())
            } else {
                self.get_all(&all, take).await
            };
        }
        let name = self.path(&self.address.name)?;
        match self.get(&name).await {
            Err(ObjectError::NotFound { .. }) => {}
            found => return self.stream(&name, found?, take).await,
        }
        // Whoever may not list does not look for a folder.
        match self.list(&self.address.name).await {
            Ok(all) if !all.is_empty() => self.get_all(&all, take).await,
            _ => Err(self.not_found()),
        }
    }

    async fn get_all(&self, all: &[ObjectMeta], take: Take<'_>) -> Result<(), ObjectError> {
        for run in all.chunk_by(|a, b| a.size <= SMALL && b.size <= SMALL) {
            if let [object] = run {
                let found = self.get(&object.location).await?;
                self.stream(&object.location, found, take).await?;
                continue;
            }
            let small = stream::iter(run).map(|object| self.whole(&object.location));
            let mut small = small.buffered(AT_ONCE);
            while let Some(object) = small.next().await {
                let (name, bytes) = object?;
                self.begin(name, take)?;
                take(Arrival::Bytes(&bytes)).map_err(ObjectError::Unkept)?;
            }
        }
        Ok(())
    }

    async fn whole<'a>(&self, name: &'a Path) -> Result<(&'a Path, Vec<u8>), ObjectError> {
        let bytes = self.get(name).await?.bytes().await;
        Ok((name, bytes.map_err(|error| self.judge(&error, name))?.into()))
    }

    async fn stream(
        &self,
        name: &Path,
        found: GetResult,
        take: Take<'_>,
    ) -> Result<(), ObjectError> {
        self.begin(name, take)?;
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.judge(&error, name))?;
            take(Arrival::Bytes(&piece)).map_err(ObjectError::Unkept)?;
        }
        Ok(())
    }

    fn begin(&self, name: &Path, take: Take<'_>) -> Result<(), ObjectError> {
        take(Arrival::Object(self.address.of(name.as_ref()))).map_err(ObjectError::Unkept)
    }

    async fn get(&self, name: &Path) -> Result<GetResult, ObjectError> {
        self.store.get(name).await.map_err(|error| self.judge(&error, name))
    }

    /// The objects in this folder that the address stands for, by name.
    async fn list(&self, folder: &str) -> Result<Vec<ObjectMeta>, ObjectError> {
        let folder = self.path(folder)?;
        let failed = |error| self.judge(&error, &folder);
        let mut found: Vec<ObjectMeta> = if self.address.is_flat() {
            self.store.list_with_delimiter(Some(&folder)).await.map_err(failed)?.objects
        } else {
            self.store.list(Some(&folder)).try_collect().await.map_err(failed)?
        };
        let pattern = self.pattern()?;
        found.retain(|object| {
            let name = &object.location;
            // Some tools make an empty object that has the folder's name.
            *name != folder && !is_hidden(name) && fits(pattern.as_ref(), name)
        });
        found.sort_unstable_by(|a, b| a.location.cmp(&b.location));
        Ok(found)
    }

    /// The address's pattern: `*` alone has a meaning, and fits no slash.
    fn pattern(&self) -> Result<Option<Pattern>, ObjectError> {
        if !self.address.is_pattern() {
            return Ok(None);
        }
        let text = Pattern::escape(&self.address.name).replace("[*]", "*");
        Pattern::new(&text).map(Some).map_err(|_| ObjectError::Address)
    }

    async fn exists(&self) -> Result<bool, ObjectError> {
        let name = self.path(&self.address.name)?;
        match self.store.head(&name).await {
            Err(Error::NotFound { .. }) => {}
            found => return found.map(|_| true).map_err(|error| self.judge(&error, &name)),
        }
        // The answer to HEAD does not say whether the bucket exists.
        match self.store.get(&name).await.map_err(|error| self.judge(&error, &name)) {
            Ok(_) => Ok(true),
            Err(ObjectError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn put(&self, bytes: Vec<u8>, force: bool) -> Result<(), ObjectError> {
        let name = self.path(&self.address.name)?;
        let mode = if force { PutMode::Overwrite } else { PutMode::Create };
        let put = self.store.put_opts(&name, bytes.into(), mode.into()).await;
        put.map(drop).map_err(|error| self.judge(&error, &name))
    }

    fn path(&self, name: &str) -> Result<Path, ObjectError> {
        Path::parse(name).map_err(|_| ObjectError::Address)
    }

    fn judge(&self, error: &Error, name: &Path) -> ObjectError {
        judge(error, &self.address, name.as_ref())
    }

    fn not_found(&self) -> ObjectError {
        ObjectError::NotFound { address: self.address.to_string() }
    }
}

fn is_hidden(name: &Path) -> bool {
    name.filename().is_some_and(|name| name.starts_with(['.', '_']))
}

fn fits(pattern: Option<&Pattern>, name: &Path) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    pattern.is_none_or(|pattern| pattern.matches_with(name.as_ref(), options))
}
