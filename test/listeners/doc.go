//go:build linux

// Listeners measures what those who listen to changes cost a server, and how soon they
// hear: so many idle ones first, then changes that so many hear. It knows the program from
// outside only. The server needs room for them in site.json:
//
//	"limits": {"connections": 24000, "streams": 12000, "streamsPerAddress": 12000}
//
//	go run ./test/listeners -idle 10000 -hearing 1000 -token TOKEN -pid PID -write /api/cuisines -types cuisines 127.0.0.1:1337
package main
