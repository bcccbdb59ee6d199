// Package front tests the files of deploy/front with nginx and Caddy: a site behind them
// responds as it does without them, and sees the addresses of its clients. Tests of a
// program that is not installed are skipped.
package front
