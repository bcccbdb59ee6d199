// Package authority is a certificate authority for tests.
//
// An [Authority] signs certificates, which its clients trust. An [ACME] gives them to a
// site that proves that it has its domain. Both live as long as the test that created them.
//
// The package knows only what any authority knows of the program: a name, and a key to
// certify.
package authority
