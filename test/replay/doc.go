// Package replay sends the requests of the recorded suites in testdata/suites to a site,
// and compares the responses with those of Strapi. It is only for tests, and uses no other
// package of this module: the caller gives an http.Handler for the site. The README of the
// suites says what is compared.
//
// Its nouns: a [Step] is one request with the expected response, a [Session] is the run of
// one suite, with the values that its steps save for later ones.
package replay
