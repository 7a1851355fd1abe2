//! Where copies go.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, RetryConfig};
use url::Url;

use crate::UploadError;
use crate::http_client::Connector;

/// How long one request is tried again. What fails for longer is tried again with the next look at the folder.
const RETRY_FOR: Duration = Duration::from_secs(20);

/// Where copies go.
#[derive(Clone, Debug)]
pub struct Destination {
    pub(crate) store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    address: String,
    /// Where that is on this machine, if it is.
    folder: Option<PathBuf>,
}

impl Destination {
    /// Reads `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `file:///FOLDER`. Keys, region and endpoint come from the environment
    /// variables that the tools of the storage use: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`,
    /// `GOOGLE_APPLICATION_CREDENTIALS`…
    pub fn parse(address: &str) -> Result<Destination, UploadError> {
        let wrong = || UploadError::Address {
            address: address.to_owned(),
        };
        let unusable = |source| UploadError::Storage {
            address: address.to_owned(),
            source,
        };
        let url = Url::parse(address).map_err(|_| wrong())?;
        let prefix = ObjectPath::from_url_path(url.path()).map_err(|_| wrong())?;
        let bucket = url.host_str().filter(|host| !host.is_empty());
        let retry = RetryConfig {
            retry_timeout: RETRY_FOR,
            ..RetryConfig::default()
        };
        let mut folder = None;
        let (store, prefix): (Arc<dyn ObjectStore>, ObjectPath) = match (url.scheme(), bucket) {
            ("s3", Some(bucket)) => {
                let store = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Connector)
                    .build();
                (Arc::new(store.map_err(unusable)?), prefix)
            }
            ("gs", Some(bucket)) => {
                let store = GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Connector)
                    .build();
                (Arc::new(store.map_err(unusable)?), prefix)
            }
            ("file", None) => {
                let path = url.to_file_path().map_err(|()| wrong())?;
                std::fs::create_dir_all(&path).map_err(|source| UploadError::Folder {
                    path: path.clone(),
                    source,
                })?;
                let store = LocalFileSystem::new_with_prefix(&path).map_err(unusable)?;
                folder = Some(path);
                (Arc::new(store), ObjectPath::default())
            }
            _ => return Err(wrong()),
        };
        Ok(Destination {
            store,
            prefix,
            address: address.to_owned(),
            folder,
        })
    }

    /// The address that was given.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The object for a file of the crawl folder.
    pub(crate) fn object(&self, folder: &str, name: &str) -> ObjectPath {
        self.prefix.clone().join(folder).join(name)
    }

    /// Removes what a process that was killed while it copied this file has left in a folder: a file is written as `NAME#1`,
    /// `NAME#2`… before it gets its name.
    pub(crate) fn remove_unfinished(&self, folder: &str, name: &str) -> std::io::Result<()> {
        let Some(root) = &self.folder else {
            return Ok(());
        };
        for entry in std::fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let is_unfinished = entry
                .file_name()
                .to_str()
                .and_then(|other| other.strip_prefix(name)?.strip_prefix('#'))
                .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
            if is_unfinished {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Destination;

    #[test]
    fn what_is_not_a_place_for_objects_is_refused_with_what_would_be() {
        for wrong in [
            "",
            "bucket",
            "s3:///x",
            "ftp://host/x",
            "file://host/x",
            "http://host/x",
        ] {
            let said = Destination::parse(wrong).unwrap_err().to_string();
            assert!(said.contains("s3://BUCKET/PREFIX"), "{wrong}: {said}");
        }
    }

    #[test]
    fn only_what_was_left_of_a_copy_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("archive");
        std::fs::create_dir(&archive).unwrap();
        for name in ["a.gz", "a.gz#1", "a.gz#12", "a.gz#mine", "a.gz.old", "b.gz#1"] {
            std::fs::write(archive.join(name), name).unwrap();
        }
        let url = url::Url::from_file_path(folder.path()).unwrap();
        let place = Destination::parse(url.as_str()).unwrap();
        place.remove_unfinished("archive", "a.gz").unwrap();
        let mut left: Vec<_> = std::fs::read_dir(&archive)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["a.gz", "a.gz#mine", "a.gz.old", "b.gz#1"]);
    }

    #[test]
    fn objects_are_below_the_prefix() {
        let gs = Destination::parse("gs://tea/crawls/2026/").unwrap();
        assert_eq!(
            gs.object("archive", "tea-00000.warc.gz").as_ref(),
            "crawls/2026/archive/tea-00000.warc.gz"
        );
    }
}
