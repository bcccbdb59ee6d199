// Package passwordtest makes hashes of passwords cheap in the tests that import it: the
// usual ones take most of the time of a test that signs in.
package passwordtest

import "quire/auth/password/internal/cost"

func init() { cost.Memory, cost.Passes = 8, 1 }
