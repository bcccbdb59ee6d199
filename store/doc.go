// Package store keeps entries, numbers and small records in one file, and tells
// of every change.
//
// # Nouns
//
// A DB is an open data file; it lives as long as the program. A Tx is one
// moment of the file, reached through View or Update and gone when they return.
// An Entry is one stored version of a document; it is a copy, may be kept, and
// must not be modified once it was applied or read. A Change is what a Tx did
// to one entry. A Commit is all that one Update did, numbered by its revision;
// listeners (Subscribe) hear of commits in order, after they are on the disk.
//
// The room knows nothing of schemas: fields are stored by name, and what a
// schema no longer has stays until its entry is written again. It knows neither
// indexes nor rules, and nothing of HTTP.
//
// # Promises
//
// An Update that returned nil is on the disk: each commit is synced. One that
// failed left nothing, except for an *UncertainError, after which nothing is
// written until Reopen has shown what there is. There is one writer at a time;
// readers never wait for it, and see whole commits only.
//
// Open checks the shape of the whole file (walk.go) before bbolt maps it, since
// bbolt answers damage with panics, with faults on goroutines of its own, or
// with endless loops. That takes some 0.3 µs an entry. What an entry holds is
// checked when it is read, against a checksum, and the first of each bucket at
// once. So a file is refused, or an entry is, with a *CorruptError; neither is
// written to. Salvage copies what can be read to another file.
//
// A file of an earlier format is brought to this one by Migrate alone. Copies that
// take the file's place (Compact, Migrate, Exchange) are whole and on the disk
// before they do.
//
// # File
//
// The file is bbolt's, with these buckets:
//
//	content / <uid> / <locale, or - without> / <documentId><01 draft, 02 published> → entry
//	sequence / <name> → number
//	records / <bucket> / <key> → bytes of another room
//	meta / format, revision, created, lineage → number (created: milliseconds since 1970)
//
// Numbers are 8 bytes, the highest first. The byte of the status is lower than
// any in a documentId, which keeps the versions of a document side by side.
//
// An entry is a head of fixed size and its fields in msgpack. The draft of a
// dog, under api::dog.dog and en (testdata/entry-1.hex has it all):
//
//	6b 34 68 … 65 67 01          key: k4hxw0ou2mv3ta9c1b8dzqeg, draft
//
//	01                           format of the entry
//	ad 06 e5 5a                  CRC-32C of uid "/" locale, key, and all that follows
//	00 00 00 00 00 00 00 07      id
//	00 00 01 97 74 20 dc 00      createdAt, milliseconds since 1970
//	00 00 01 97 74 26 5a 40      updatedAt
//	00 00 00 00 00 00 00 00      publishedAt, 0 for a draft
//	87                           7 fields, sorted by name
//	   a7 address                records: 6, then [id, component, fields] each
//	      92 06 93 03 ad place.address 81 a4 city a5 Tartu
//	   a3 age     04             an integer
//	   a4 good    c3             true
//	   a4 name    a3 Rex         a text
//	   a6 owners                 edges: 7, then [target, place, type, locale] each,
//	      93 07                  without the empty ones at the end
//	         92 a3 ada cd 04 00
//	         94 a3 tom cd 08 00 b2 api::person.person a2 en
//	   a4 tags    c4 05 ["a"]    a JSON document
//	   a6 weight  cb 40 3e 80 …  a float
//
// A field that is null is not stored. Equal fields are equal bytes, from which
// Scan sees that a published version is still what its draft is.
package store
