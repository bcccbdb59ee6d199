// Package pull downloads the newest backup of another server to a file.
//
// Its nouns:
//
//   - A [Remote] is the server, with the token that it asks for. It lives as long as one
//     command.
//   - An [Offer] is the newest backup of the server: its ETag and its size.
//   - A [File] is a downloaded backup. Its name is derived from the address and the ETag, so
//     a later run finds what an earlier one has received, and continues there.
//
// A download goes through any number of connections, as long as each brings enough. The bytes of
// two backups never mix: each request after the first names the ETag, and a server that has
// another backup by then sends all of that one.
//
// The package does not know what a backup contains. Whoever restores the file checks it.
package pull
