//go:build linux

// Listeners measures what clients that listen to changes cost a server, and how soon they
// get them: first with many idle ones, then with changes that all receive. It uses the
// program only from outside. The server needs higher limits for them in site.json:
//
//	"limits": {"connections": 24000, "streams": 12000, "streamsPerAddress": 12000}
//
//	go run ./test/listeners -idle 10000 -hearing 1000 -token TOKEN -pid PID -write /api/cuisines -types cuisines 127.0.0.1:1337
package main
