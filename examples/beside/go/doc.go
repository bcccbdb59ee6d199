// A hook and a route of one's own, without dependencies: go run .
//
// It refuses reservations that are too large, writes names alike, and answers how many
// seats are free. SECRET is what `quire hook secret` prints, QUIRE the address of Quire,
// LISTEN the address of this program. It uses no packages of Quire.
package main
