// Package backup writes everything in a site's data folder to one file, and restores it from
// that file.
//
// Its nouns:
//
//   - A backup is a file with the data file and the uploads of one moment: every upload that a
//     record in the data file names, and no other. It contains uploads in a bucket if they are
//     fetched ([Source.Fetch]).
//   - A [Source] is what a backup is made from: a data folder that no server uses, or the copy
//     of one that [Stage] makes. It lives as long as one Save, and nobody changes it meanwhile.
//   - A [Manifest] lists the contents of a backup, with a checksum for each file, and the
//     program, schemas and revision that it comes from.
//
// A backup is a tar file compressed with zstd, so that other tools can read it:
//
//	about.json       the beginning of a Manifest
//	quire.db         the data file
//	uploads/NAME     the uploads, sorted by name
//	manifest.json    size and SHA-256 of each of these, in their order
//
// The checksums are at the end because a backup is written in one pass, with little memory.
// A file without them is incomplete.
//
// A backup gets its name when it is complete, on the disk and verified. A restore changes
// nothing before the whole backup has been read and checked.
//
// The package knows neither schemas nor content: the caller lists the uploads that records name
// ([Naming]). It knows no server: [Restore] refuses a data file that another process uses, and
// nothing else.
package backup
