// Package endurance kills the program, breaks and fills its disk, starts it on damaged
// files and folders, and runs it under long load.
//
// It has only tests. They use the program from outside, through test/program, build it once
// for all, and compare its content with the ledger of its responses (test/ledger).
package endurance
