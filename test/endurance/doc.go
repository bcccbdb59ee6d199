// Package endurance kills the program, breaks and fills its disk, starts it on files
// and folders that are not as they should be, and loads it for long.
//
// It has tests only. They know the program from outside, as test/program drives it,
// have it built once for all, and compare what it holds with the ledger of what it has
// answered (test/ledger).
package endurance
