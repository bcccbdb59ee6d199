// Package cost holds the cost of a new hash, which only tests change: see
// [quire/auth/password/passwordtest].
package cost

// As OWASP recommends for argon2id: 19 MiB, two passes.
var (
	Memory uint32 = 19 * 1024 // KiB
	Passes uint32 = 2
)
