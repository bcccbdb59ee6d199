//go:build linux

// Growth shows how a site behaves as its content grows. For each size it makes a guide with
// that many restaurants, imports it, starts the server on it, and measures the start, the
// memory and the reads. It writes the tables to standard output, as Markdown, and the curve
// of latencies to a file, as SVG.
//
//	CGO_ENABLED=0 go build -o quire . && go run ./test/growth -plot docs/growth.svg ./quire
//
// It needs a machine without other load, and for a million restaurants about 10 GiB of disk
// and memory. It uses the program only from outside.
package main
