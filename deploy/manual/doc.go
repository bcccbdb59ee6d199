// Command manual writes the manual pages and the completions of all commands:
//
//	go run ./deploy/manual DIR
//
// It writes DIR/man/quire*.1 and DIR/completions/quire.bash, _quire and quire.fish. The
// pages have the version in QUIRE_VERSION and the date in SOURCE_DATE_EPOCH, in seconds
// since 1970, by default the current time.
package main
