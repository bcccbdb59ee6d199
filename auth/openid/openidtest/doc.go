// Package openidtest is a provider of OpenID Connect and OAuth 2 for tests.
//
// A [Provider] signs in whoever the test says, at once, and lies where the test says so. It
// lives as long as its test and knows one client.
//
// The package knows nothing of what it tests.
package openidtest
