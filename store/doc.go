// Package store keeps entries, numbers and small records in one file, and passes on
// every change.
//
// # Nouns
//
// A DB is an open data file; it lives as long as the program. A Tx is one moment of the
// file: View or Update passes it to a function, and it ends when they return. An Entry is
// one stored version of a document. It is a copy and may be kept; nobody may modify it
// after it was applied or read. A Change is what a Tx did to one entry, a RecordChange what
// it did to one record. A Commit is everything that one Update did. Its CommitID identifies
// it permanently: a revision, which counts commits, and the lineage, the history to which
// the revision belongs. Subscribe calls listeners for every commit, in order, when it is on
// the disk.
//
// A [Spool] holds a great many entries until they are written to a file in its order; it
// lives for one import.
//
// An [Annex] is memory in a file; it lives as long as somebody holds it.
//
// A Journal decides the commits of a site that several nodes share. The data file of
// each node is then a replica. Without a journal the file decides.
//
// The package knows no schemas: it stores fields by name, and a field that the schema no
// longer has stays until its entry is written again. It knows neither indexes nor rules of
// content, and nothing of HTTP.
//
// # Promises
//
// When Update returns nil, the commit is on the disk. If it fails, nothing has changed,
// except after an *UncertainError: then updates are refused until Reopen has shown what the
// file contains. One Update runs at a time. Views never wait for it, and see only whole
// commits.
//
// Open checks the shape of the whole file (walk.go) before bbolt maps it, because bbolt
// reacts to damage with panics, with faults on goroutines of its own, or with endless
// loops. The check takes about 0.3 µs per entry. The content of an entry is checked against
// a checksum when it is read; Open does that for the first entry of each bucket. A
// *CorruptError refuses the file or the entry, and neither is written to. Salvage copies
// what can be read to another file.
//
// Only Migrate converts a file of an earlier format to this one. A copy that replaces the
// file (Compact, Rework, Migrate, Exchange) is complete and on the disk first.
//
// # File
//
// The file is bbolt's, with these buckets:
//
//	content / <uid> / <locale, or - without> / <documentId><01 draft, 02 published> → entry
//	sequence / <name> → number
//	records / <bucket> / <key> → bytes of another package
//	replaced / <key> → bytes of another package: what an entry was before it changed
//	removed / <key> → bytes of another package: what an entry was before it was removed
//	records / outbox / <kind>/<key> → Parcel in JSON
//	records / audit, or audit.refused / <number in 16 hexadecimal digits> → line of the audit log in JSON
//	records / log / <revision in 16 hexadecimal digits> → what the commit changed, or - → floor
//	fresh / <revision in 16 hexadecimal digits> → the same, of the latest commits
//	changed / <uid><01 draft, 02 published>, or - for all others → lineage and revision
//	meta / format, revision, created, lineage, covered, fresh → number (created: milliseconds since 1970)
//
// Numbers are 8 bytes, the highest first. The byte of the status is lower than any in a
// documentId, which keeps the versions of a document next to each other.
//
// The bucket "changed" and the number "covered" are additions to format 1: a file without
// them gets them with its next commit. See lineage.go for what happens with a program that
// does not know them. The log, the bucket "fresh" and the number "fresh" are additions too:
// see log.go and fresh.go.
//
// An entry is a head of fixed size, the stamp of the write that made it if known, and its
// fields in msgpack. The draft of a dog without a stamp, under api::dog.dog and en
// (testdata/entry-1.hex has it all):
//
//	6b 34 68 … 65 67 01          key: k4hxw0ou2mv3ta9c1b8dzqeg, draft
//
//	01                           format of the entry; 02 with a stamp, 03 and 04 the same without fields
//	ad 06 e5 5a                  CRC-32C of uid "/" locale, key, and all that follows
//	00 00 00 00 00 00 00 07      id
//	00 00 01 97 74 20 dc 00      createdAt, milliseconds since 1970
//	00 00 01 97 74 26 5a 40      updatedAt
//	00 00 00 00 00 00 00 00      publishedAt, 0 for a draft
//	87                           7 fields, sorted by name
//	   a7 address                instances: 6, then [id, component, fields] each
//	      92 06 93 03 ad place.address 81 a4 city a5 Tartu
//	   a3 age     04             an integer
//	   a4 good    c3             true
//	   a4 name    a3 Rex         a text
//	   a6 owners                 edges: 7, then [target, place, type, locale, only]
//	      93 07                  each, without the empty ones at the end
//	         92 a3 ada cd 04 00
//	         94 a3 tom cd 08 00 b2 api::person.person a2 en
//	   a4 tags    c4 05 ["a"]    a JSON document
//	   a6 weight  cb 40 3e 80 …  a float
//
// In format 2 (testdata/entry-2.hex) the stamp precedes the fields:
//
//	00 00 00 00 00 00 00 0c      version
//	02                           action: update
//	00 08 user:ada               createdBy, behind its length
//	00 07 token:3                updatedBy
//
// Programs from before format 2 refuse entries with a stamp. Formats 3 and 4 are 1 and 2 of
// a published version with the same fields as its draft: it ends before them, and the
// checksum covers them (short.go, testdata/entry-3.hex). Programs that do not know these
// refuse such entries; `quire export` and `quire import` move them there. A field that is
// null is not stored. Equal fields are equal bytes, by which Scan sees that a published
// version still equals its draft.
package store
