// Package inspect finds what is wrong with the data of a site, and fixes what can be
// fixed without losing content.
//
// A Folder is a data folder, with the names of its files. A Report is the result of a
// check: problems, each with a way to fix it, and notes, which are not problems. Unserved
// checks data that no server has open, Served that of the running server, Report.Repair
// fixes it.
//
// The package knows neither the command that asks nor the server that has the data open; of
// the site folder it uses only the loaded schemas.
package inspect
