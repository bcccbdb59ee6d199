// Package openidtest is a provider of OpenID Connect and OAuth 2 for tests.
//
// A [Provider] signs in the person that the test sets, at once, and sends false answers if
// the test sets them. It lives as long as its test and knows one client.
//
// The package does not know what it tests.
package openidtest
