// Package stream copies every commit of a site to another disk, to a bucket or to another
// server within a second, and restores the site as it was at any moment.
//
// Its nouns:
//
//   - A [Queue] is a folder next to the data file with the commits that have not been sent.
//     It is all that a write waits for: one append.
//   - A [Sender] turns the queue into segments and puts them into the target, with the files
//     that their commits name. It lives as long as the server.
//   - A target is a media.Storage. Several data folders can share one: each object's name
//     begins with the id of its data folder.
//   - A segment is an object with consecutive commits. Segments are numbered from 1, and each
//     names the checksum of the one before. The target refuses a number that is taken, so two
//     senders with one id cannot both continue.
//   - An image is an object with a whole data file. Segments continue from it.
//   - A [Catalog] is what a target has of one data folder.
//
// An object has a head in JSON, a payload that is compressed and, if there is a key,
// encrypted, and a checksum of all of it (object.go).
//
//	ID.a.N-T   an image before segment N, of the time T, that begins anew
//	ID.i.N-T   an image before segment N that continues what was before it
//	ID.n.N-T   the uploaded files that the image N-T names, by the hashes of their names
//	ID.s.N     a segment
//	ID.p.N-M   segments N to M of one minute, in one object, with every commit
//	ID.m.N-M   the same, with only the last state of each value
//	ID.d.N-M   the same for a day
//	ID.f.HASH  an uploaded file, by the hash of its name
//
// The time of a commit is never before that of the one before it, whatever the clock does:
// moments have the order of revisions.
//
// The package knows no sites. The caller lists the files that commits name.
package stream
