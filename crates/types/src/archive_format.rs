//! In which form a crawl writes its archive.

use crate::named_enum;

named_enum! {
    /// How the files of an archive are compressed, one record at a time.
    #[derive(Default)]
    pub enum ArchiveFormat {
        /// `.warc.gz`, which every tool for archives reads.
        #[default]
        Gz = "gz",
        /// `.warc.zst`, which takes less time to write and less room, and which few other tools read.
        Zst = "zst",
    }
}

impl ArchiveFormat {
    /// How the names of its files end.
    pub const fn ending(self) -> &'static str {
        match self {
            ArchiveFormat::Gz => ".warc.gz",
            ArchiveFormat::Zst => ".warc.zst",
        }
    }

    /// The format of a file by its name, and the name without the ending; none if it is not the name of an archive.
    ///
    /// ```
    /// use scenthound_types::ArchiveFormat;
    ///
    /// assert_eq!(ArchiveFormat::of_file("tea-00000.warc.zst"), Some((ArchiveFormat::Zst, "tea-00000")));
    /// assert_eq!(ArchiveFormat::of_file("tea-00000.cdxj"), None);
    /// ```
    pub fn of_file(name: &str) -> Option<(ArchiveFormat, &str)> {
        let of = |format: &ArchiveFormat| Some((*format, name.strip_suffix(format.ending())?));
        ArchiveFormat::ALL.iter().find_map(of)
    }
}
