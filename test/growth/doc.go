//go:build linux

// Growth shows how a site behaves as its content grows. For each size it makes a
// guide of so many restaurants, imports it, starts the server on it, and measures
// the start, the memory and the reads. The tables go to standard output, as
// Markdown, and the curve of latencies to a file, as SVG.
//
//	CGO_ENABLED=0 go build -o quire . && go run ./test/growth -plot docs/growth.svg ./quire
//
// It needs no other load on the machine, and for a million restaurants some 10 GiB
// of disk and memory. It knows the program from outside only.
package main
