// Package release carries out schedules and releases: documents are published and unpublished
// at a set time, and several together or not at all.
//
//   - A [Release] is a named set of steps, each of which publishes or unpublishes one document.
//     It is carried out in one transaction: all of its steps or none.
//   - A schedule is a release of one step without a name, which belongs to its document.
//   - A [Calendar] is the schedules and releases of a site. It keeps nothing in memory: all of
//     it is in records of the data file, so that it is the same after a restart, after a
//     restore, and on each node. A Calendar lives as long as its version of the site.
//   - [Runs] are the releases that are being carried out. A slow hook delays only what has a
//     content type in common with what it is asked about.
//
// The record of a release changes in the transaction of its steps, which checks that the record
// has not changed since the release began. So a release is carried out at most once, by one
// node, even if a process is killed in between.
//
// The package decides what is done and when. It knows neither timers nor callers: the
// server decides who may do what, and package app has the clock.
package release
