//! Addresses of objects: `s3://BUCKET/NAME`, `gs://…`, `az://…`.

use std::fmt;

use super::ObjectError;

/// What each kind of store is called in an address.
const SCHEMES: [(&str, Cloud); 6] = [
    ("s3://", Cloud::S3),
    ("s3a://", Cloud::S3),
    ("gs://", Cloud::Google),
    ("az://", Cloud::Azure),
    ("abfs://", Cloud::Azure),
    ("abfss://", Cloud::Azure),
];

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cloud {
    S3,
    Google,
    Azure,
}

impl Cloud {
    /// Where its credentials are looked for.
    pub(crate) fn variables(self) -> &'static str {
        match self {
            Self::S3 => {
                "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION"
            }
            Self::Google => "GOOGLE_APPLICATION_CREDENTIALS",
            Self::Azure => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        }
    }
}

/// Whether `text` is meant to be the address of an object.
#[must_use]
pub fn is_object(text: &str) -> bool {
    scheme(text).is_some()
}

fn scheme(text: &str) -> Option<(&'static str, Cloud)> {
    SCHEMES.into_iter().find(|(scheme, _)| text.starts_with(scheme))
}

/// An address, taken apart. Its name stands there as it is, without escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) cloud: Cloud,
    scheme: &'static str,
    /// The bucket or container, of Azure maybe with its account.
    pub(crate) bucket: String,
    /// What follows the bucket's slash.
    pub(crate) name: String,
}

impl Address {
    /// Takes `text` apart.
    ///
    /// # Errors
    /// When it is no such address, or holds what belongs into the environment.
    pub(crate) fn parse(text: &str) -> Result<Self, ObjectError> {
        let (scheme, cloud) = scheme(text).ok_or(ObjectError::Address)?;
        let rest = &text[scheme.len()..];
        let (bucket, name) = rest.split_once('/').unwrap_or((rest, ""));
        let has_account = bucket.contains('@') && cloud != Cloud::Azure;
        if has_account || bucket.contains(':') || rest.contains('?') {
            return Err(ObjectError::Credentials { variables: cloud.variables() });
        }
        let folder = name.strip_suffix('/').unwrap_or(name);
        let is_part = |part: &str| !matches!(part, "" | "." | "..");
        if bucket.is_empty() || !(name.is_empty() || folder.split('/').all(is_part)) {
            return Err(ObjectError::Address);
        }
        Ok(Self { cloud, scheme, bucket: bucket.to_owned(), name: name.to_owned() })
    }

    /// The address of another name in the same bucket.
    pub(crate) fn of(&self, name: &str) -> String {
        format!("{}{}/{name}", self.scheme, self.bucket)
    }
}

/// What it stands for.
#[cfg(any(test, feature = "objects"))]
impl Address {
    /// Whether it stands for all objects directly in a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.name.is_empty() || self.name.ends_with('/')
    }

    /// Whether it stands for all objects that a pattern fits.
    pub(crate) fn is_pattern(&self) -> bool {
        self.name.contains('*')
    }

    /// The folder that holds all that the address stands for, without its last slash.
    pub(crate) fn folder(&self) -> &str {
        let literal = self.name.split('*').next().unwrap_or_default();
        literal.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether its pattern's `*` stand in the last part alone, so that one folder has all that it fits.
    pub(crate) fn is_flat(&self) -> bool {
        !self.name[self.folder().len()..].trim_start_matches('/').contains('/')
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of(&self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for text in ["s3://b/x", "s3a://b/x", "gs://b", "az://c/x", "abfs://c/x", "abfss://c@a.b/x"]
        {
            assert!(is_object(text), "{text}");
        }
        for text in ["x.csv", "s3:/b/x", "S3", "./s3://b", "https://b/x", "postgresql://h/d", "-"] {
            assert!(!is_object(text), "{text}");
            assert!(matches!(Address::parse(text), Err(ObjectError::Address)), "{text}");
        }
    }

    #[test]
    fn an_address_is_taken_apart_as_it_stands() {
        for (text, cloud, bucket, name) in [
            ("s3://b/a/x.csv", Cloud::S3, "b", "a/x.csv"),
            ("s3://b", Cloud::S3, "b", ""),
            ("s3a://b/", Cloud::S3, "b", ""),
            ("gs://my.bucket/a b/100%#[1]:@.csv", Cloud::Google, "my.bucket", "a b/100%#[1]:@.csv"),
            ("abfss://c@a.dfs.core.windows.net/x", Cloud::Azure, "c@a.dfs.core.windows.net", "x"),
            ("az://c/f/", Cloud::Azure, "c", "f/"),
        ] {
            let address = Address::parse(text).expect(text);
            assert_eq!((address.cloud, &*address.bucket, &*address.name), (cloud, bucket, name));
        }
        let address = Address::parse("s3://b/a/x.csv").expect("an address");
        assert_eq!(
            (address.to_string(), address.of("y")),
            ("s3://b/a/x.csv".into(), "s3://b/y".into())
        );
    }

    #[test]
    fn what_is_no_address_of_an_object_is_refused() {
        for text in [
            "s3://",
            "s3:///x",
            "s3://b//x",
            "s3://b/a//x",
            "gs://b/../x",
            "az://c/./x",
            "s3://b/a//",
        ] {
            assert!(matches!(Address::parse(text), Err(ObjectError::Address)), "{text}");
        }
        for text in ["s3://id:secret@b/x", "s3://id@b/x", "az://c/x?sig=secret", "gs://b:443/x"] {
            let error = Address::parse(text).expect_err(text);
            assert!(matches!(error, ObjectError::Credentials { .. }), "{text}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn folders_and_patterns_say_where_to_look() {
        for (text, folder, is_folder, is_pattern, is_flat) in [
            ("s3://b", "", true, false, true),
            ("s3://b/a/", "a", true, false, true),
            ("s3://b/a/c/", "a/c", true, false, true),
            ("s3://b/a/x*.csv", "a", false, true, true),
            ("s3://b/*", "", false, true, true),
            ("s3://b/a/day=*/x.csv", "a", false, true, false),
            ("s3://b/x.csv", "", false, false, true),
        ] {
            let address = Address::parse(text).expect(text);
            assert_eq!(address.folder(), folder, "{text}");
            let kind = (address.is_folder(), address.is_pattern(), address.is_flat());
            assert_eq!(kind, (is_folder, is_pattern, is_flat), "{text}");
        }
    }
}
