// Package front tests the files of deploy/front with nginx and Caddy themselves: a site
// behind them responds as it does without them, and knows its clients. Tests of a program
// that is not installed are skipped.
package front
