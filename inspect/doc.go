// Package inspect finds what is wrong with the data of a site, and fixes what can be
// fixed without losing content.
//
// A Folder is a data folder, by the names of what lies in it. A Report is what a check
// found: problems, each with what to do about it, and notes, which are none. Unserved
// checks data that no server has, Served that of the running server, Report.Repair
// fixes it.
//
// The package knows neither the command that asks nor the server that has the data
// open; of the site folder it takes the schemas that were read from it.
package inspect
