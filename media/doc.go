// Package media stores files: it receives uploads, detects their types, makes smaller pictures
// of them, and opens them to be served.
//
// Its nouns:
//
//   - A [Folder] is the flat folder on the disk in which all files arrive. It lives as long as
//     the process, and limits how much work on pictures happens at once.
//   - A [Storage] is where files have their names: the folder itself, or an object store.
//   - An [Upload] is a file that has arrived: it is on disk under a temporary name, its type was
//     detected from its content, and its formats were made. It belongs to one request and is
//     either saved or discarded.
//   - A [Part] is an upload that arrives in pieces. It is in the folder under a temporary name,
//     survives the process, and becomes a file or expires after a day.
//   - A format is a smaller picture made of an uploaded one.
//   - A record is the entry of a file, of the built-in type plugin::upload.file. It has the
//     name that users see, and its hash gives the name in the storage.
//   - A [Library] keeps files and records consistent. It lives as long as one version of the
//     site.
//   - A [Picture] is made of a stored one on request. The maker of the Folder makes it, and its
//     cache keeps it.
//   - An [Edit] rotates and crops a picture. The original is kept beside the result; the record
//     names it, and nobody can request it.
//   - [PrivateFiles] signs and checks the addresses that open the files of private folders.
//   - [Info] is the information that people enter about a file.
//
// A file is complete in its storage, under its final name and durable, before its record is
// committed, and its record is removed before the file. So a crash leaves at worst a file that
// no record names: a stray, which [Folder.Check] finds.
//
// The name of a file in its storage is the record's hash and ext. It is never used twice: a
// replaced file keeps its url and gets another hash.
//
// Links from entries to files are edges like any others. They name the record's document.
// When that is removed, they lead to nothing and are not shown.
//
// The package knows neither HTTP nor callers, and reads records only to find where a file is.
package media
