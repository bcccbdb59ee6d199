// Package backup keeps all that a site has in its data folder in one file, and
// brings it back from there.
//
// Its nouns:
//
//   - A backup is a file that holds the data file and the uploads of one moment:
//     every upload that a record in the data file names, and no other.
//   - A [Source] is what a backup is made from. Nobody changes it meanwhile: it is
//     a data folder that no server has, or what [Stage] sets aside of one.
//   - A [Manifest] says what a backup holds, with a sum for each file, and from
//     which program, schemas and revision it comes.
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
// A backup gets its name when it is whole, on the disk and has been read back. A
// restore changes nothing before the whole backup has been read and checked.
//
// The package knows neither schemas nor what is in the content.
package backup
