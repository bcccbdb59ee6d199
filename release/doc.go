// Package release does things at a time, and several at once: documents are published and
// taken back when it is their moment, or together with others, or not at all.
//
//   - A [Release] is a named set of steps, each of which publishes or unpublishes one
//     document. It is carried out in one transaction: all of its steps or none.
//   - A schedule is a release of one step without a name, which belongs to its document.
//   - A [Calendar] is what a site has planned. It keeps nothing in memory: all of it is in
//     records of the data file, so that it is the same after a restart, after a restore,
//     and on each node. One lives as long as the version of the site that it is for.
//
// The record of a release changes in the transaction of its steps, which checks that the
// record is still what it was when the release began. So it is done once at most, whoever
// is killed in between, and by one node only.
//
// The package decides what is done and when; it knows neither timers nor callers. Who may
// ask for what is the server's business; package app has the clock.
package release
