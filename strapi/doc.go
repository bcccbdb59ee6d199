// Package strapi reads the folder of a Strapi project, without running anything in it.
//
// A [Project] is what Quire makes of such a folder: the files that it does not run, each
// [Ignored] with what it did and what to do instead, and the [Setting]s that their code
// states in literals and that site.json can say. A file whose whole effect site.json has,
// or that Strapi generates and that changes nothing, is not among them. [Read] looks the
// folder through within bounds: numbers of files, bytes, folders in each other.
//
// A Project lives as long as a command. The package knows the paths and the forms of
// Strapi's files. It does not know the content types of a site, whether its settings fit
// them, nor what becomes of them.
package strapi
