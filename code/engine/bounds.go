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
	maxLoad     = 30 * time.Second

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

	// maxRandom is how many random bytes the code gets at once, maxIterations and maxDerive how
	// much work and memory (in bytes) the key of a password may take, and maxInfo how many bytes
	// the info of HKDF has, which is hashed again for each part of the key.
	maxRandom     = 1 << 20
	maxIterations = 2_000_000
	maxDerive     = 64 << 20
	maxInfo       = 1024

	// maxRSAMade is how many bits an RSA key has that the code makes, maxRSARead one that it
	// uses, maxKeyBytes how long a key is in any form, so that reading it takes little. Nothing
	// interrupts that work either.
	maxRSAMade  = 4096
	maxRSARead  = 16384
	maxKeyBytes = 32 << 10

	// maxRead is how many bytes a file has that the code reads, maxListed how many names a folder.
	maxRead   = 32 << 20
	maxListed = 10_000

	// maxInflated is how many bytes become of compressed ones.
	maxInflated = 16 << 20

	// maxFetched is how many bytes a response of fetch has, and maxFetchTime how long it takes.
	maxFetched   = 32 << 20
	maxFetchTime = time.Minute
	maxRedirects = 20

	// maxProblems is how many errors and warnings of a build are kept.
	maxProblems = 100

	// maxLogged is how many bytes a message in the log has, maxMessages how many the code
	// writes in a second.
	maxLogged   = 16 << 10
	maxMessages = 1000
)
