// Package structure tests what holds for the repository as a whole: which package
// imports which, the size of files and functions, the dependencies, and the words of
// its pages and messages.
//
// It has tests only, and knows what the Go tools and the files say. It imports no
// package of the repository.
package structure
