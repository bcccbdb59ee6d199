// Package templates holds the starter sites that `quire new` and `quire demo` write.
//
// It has one value, [Files], which is part of the program and never changes. The package does
// not know the contents of the files: they are read like those of any site.
package templates
