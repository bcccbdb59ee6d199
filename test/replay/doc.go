// Package replay sends what the recorded suites of testdata/suites ask to a site, and
// compares the answers with those of Strapi. It is for tests only, and knows no other
// package of this module: whoever serves the site gives an http.Handler. The README of
// the suites says what is compared.
//
// Its nouns: a [Step] is one request with the answer that it must get, a [Session] is the
// run of one suite, with what its steps save for later ones.
package replay
