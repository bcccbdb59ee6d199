// Package media stores files: it receives uploads, finds their types, makes smaller
// pictures of them, and opens them to be served.
//
// Its nouns:
//
//   - A [Folder] is the place of all files: the flat folder on the disk in which they
//     arrive. It lives as long as the process and bounds what work on pictures may cost
//     at once.
//   - A [Storage] is where files have their names: the folder itself, or an object store.
//   - An [Upload] is a file that has arrived: it is on disk under a temporary name,
//     its type has been found in its content, and its formats have been made. It
//     belongs to one request and is either saved or discarded.
//   - A [Part] is an upload that comes in pieces. It lies in the folder under a passing
//     name, outlives the process, and ends as a file or after a day.
//   - A format is a smaller picture made of an uploaded one.
//   - A record is the entry of a file, of the built-in type plugin::upload.file.
//     It says what the file is called, and its hash gives its name there.
//   - A [Library] keeps files and records together. It lives as long as one
//     version of the site.
//   - A [Picture] is one to be made of a stored one when somebody asks for it. The
//     studio of the Folder makes it, and its shelf keeps what was made.
//   - An [Edit] turns and cuts a picture. Its original is kept beside what was made of
//     it, named by the record and served to nobody.
//   - [Info] is what people say about a file.
//
// A file is whole in its storage, under its final name and durable, before its record
// is committed, and its record is gone before the file is. So a crash leaves at
// worst a file that no record names: a stray, which [Folder.Check] finds.
//
// The name of a file in its storage is the record's hash and ext. It is never used twice: a file
// that is replaced keeps its url and gets another hash.
//
// Links from entries to files are edges like any others. They name the record's
// document; once that is gone they lead to nothing and are not shown.
//
// The package knows neither HTTP nor callers, and reads records only to find
// where a file is.
package media
