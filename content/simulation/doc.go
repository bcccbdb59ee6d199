// Package simulation tests the program as databases are tested: a whole site runs on a
// simulated disk, clock and network, in one process and from one seed.
//
// Its nouns:
//
//   - A run is a history of numbered steps from a seed: writes of all kinds, alone, together
//     and side by side, reads, what is due by the clock, trimming, compaction, backups. A run
//     that fails prints its seed, and becomes shorter as long as it still fails.
//   - A world is the site of a run, with one node or several; a node is a data file with a
//     writer. A state is the model: what the world has to show after each commit.
//   - The disk is below a data file, and fails: it tears writes, has no space, loses what was
//     not synced, fails to sync or only says that it did. Its power is cut during any call.
//   - A link is the line from a node to the journal that all share, and fails too. So does a
//     line, over which a follower reaches its leader: it stands in for HTTP below package follow.
//   - A shape is what migrations change in the schemas, whose files are beside the data file, as
//     uploads are. What a disk has in the middle of such a step is frozen, and put back when the
//     process or the power ends there.
//
// Only one thing happens at a time: each step waits until all goroutines wait, in a bubble of
// testing/synctest. So the same seed has the same steps, faults and results. What differs
// from run to run is on which pages bbolt puts a commit, and with that the part of a torn
// commit that is left: it walks Go maps. It makes no difference unless something is wrong.
//
// The calls of the disk are those of bbolt: the test stands in for its syncs at the place
// where it does them, if the store has not turned them off. The real system calls are what
// the tests with strace check (package test/power). Copies that take the place of the file
// are whole or not there: a power cut leaves one of the two, and perhaps a part of a copy.
package simulation
