// Package backup writes everything in a site's data folder to one file, and restores it
// from there.
//
// Its nouns:
//
//   - A backup is a file that holds the data file and the uploads of one moment:
//     every upload that a record in the data file names, and no other. Those that are in a
//     bucket it holds if they are fetched ([Source.Fetch]).
//   - A [Source] is what a backup is made from. It lives as long as one Save, and nobody
//     changes it meanwhile: it is a data folder that no server uses, or the copy that
//     [Stage] makes of one.
//   - A [Manifest] lists what a backup holds, with a sum for each file, and the program,
//     schemas and revision from which it comes.
//
// A backup is a tar file packed with zstd, so that other tools can look inside:
//
//	about.json       what a Manifest begins with
//	quire.db         the data file
//	uploads/NAME     the uploads, sorted by name
//	manifest.json    size and SHA-256 of each of those, in their order
//
// The sums stand at the end because a backup is written in one go, in little
// memory. A file without them was cut off.
//
// A backup gets its name once it is whole, on the disk and read back. A restore changes
// nothing before the whole backup has been read and checked.
//
// The package knows neither schemas nor what is in the content: the caller says which
// uploads the records name ([Naming]). It knows no server: [Restore] refuses a data file
// that another process uses, and nothing else.
package backup
