package engine

import "time"

// The bounds of an engine that its Options do not set, and those that nothing sets.
// docs/security.md names them.
const (
	// defaultMemory is how many bytes the virtual machine may have.
	defaultMemory = 256 << 20

	// defaultTurn is the longest time without returning to the loop, and maxLoad that of
	// evaluating the modules, if a turn is shorter.
	defaultTurn = 5 * time.Second
	maxLoad     = 10 * time.Second

	// stuckAfter is how much longer than two turns the loop may take. It then is in a builtin
	// function that cannot be interrupted, and the engine starts anew without it.
	stuckAfter = 5 * time.Second

	// maxCalls is the number of calls that have not ended.
	maxCalls = 4096

	// maxWaiting is the number of calls of the host and of fetch that have not ended.
	maxWaiting = 10_000

	// maxTimers is the number of timers that have not fired.
	maxTimers = 10_000

	// maxResult is how many bytes the host may answer with.
	maxResult = 64 << 20

	// maxArguments is how many bytes the code may give to the host or return.
	maxArguments = 64 << 20

	// maxProblems is how many errors and warnings of a build are kept.
	maxProblems = 100

	// maxLogged is how many bytes a message in the log has at most.
	maxLogged = 16 << 10
)
