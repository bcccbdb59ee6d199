// Package templates holds the starter sites that `quire new` and `quire demo` make.
//
// It has one value, [Files], which is part of the program and never changes. The
// package does not know what is in the files: they are read like those of any site.
package templates
