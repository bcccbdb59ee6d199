// Package strapi reads the folder of a Strapi project, without running anything in it.
//
// A [Project] is the result of reading such a folder: the files that Quire does not run,
// each [Ignored] with what it did and what to do instead, and, once it is given what config
// says, the [Setting]s that site.json can have. Files are left out if site.json has their
// whole effect, or if Strapi generates them and they change nothing. [Read] reads the
// folder within limits: numbers of files, bytes, nested folders.
//
// A Project lives as long as a command. The package knows the paths and the forms of
// Strapi's files. It does not know the content types of a site, whether the settings fit
// them, nor how they are used.
package strapi
