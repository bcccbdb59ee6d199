// Package structure tests properties of the repository as a whole: which package imports
// which, the size of files and functions, the dependencies, and the words of its pages and
// messages.
//
// It has only tests, and uses the Go tools and the files. It imports no package of the
// repository.
package structure
