//go:build linux

package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	idle    = flag.Int("idle", 10_000, "streams that hear nothing")
	hearing = flag.Int("hearing", 1000, "streams that hear of each change")
	changes = flag.Int("changes", 20, "changes")
	token   = flag.String("token", "", "API token of the type full-access")
	pid     = flag.Int("pid", 0, "process id of the server")
	write   = flag.String("write", "", "path that takes a POST")
	types   = flag.String("types", "", "name of the type that it makes")
)

func main() {
	flag.Parse()
	address := flag.Arg(0)
	fmt.Printf("before: %s resident\n", resident())
	heard := make(chan time.Time, *hearing)
	for range *idle {
		listen(address, "?documentId=none", nil)
	}
	if *idle > 0 {
		time.Sleep(20 * time.Second) // longer than a heartbeat
		fmt.Printf("%d idle: %s resident\n", *idle, resident())
	}
	for range *hearing {
		listen(address, "?status=published&types="+*types, heard)
	}
	var all []time.Duration
	for i := range *changes {
		all = append(all, change(address, i, heard)...)
		time.Sleep(200 * time.Millisecond)
	}
	slices.Sort(all)
	fmt.Printf("%d changes to %d: p50 %v, p99 %v, longest %v after the write was sent\n",
		*changes, *hearing, all[len(all)/2].Round(time.Microsecond), all[len(all)*99/100].Round(time.Microsecond), all[len(all)-1].Round(time.Microsecond))
}

// resident returns the memory of the server.
func resident() string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", *pid))
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}

// listen opens a stream, and sends the time of each event.
func listen(address, query string, heard chan<- time.Time) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /api/_events%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", query, *token)
	lines := bufio.NewReaderSize(conn, 512)
	var ready sync.WaitGroup
	ready.Add(1)
	go func() {
		opened := false
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				log.Fatalf("a stream ended: %v", err)
			}
			if !opened && strings.HasPrefix(line, "id:") {
				opened = true
				ready.Done()
			}
			if heard != nil && strings.HasPrefix(line, "data:") {
				heard <- time.Now()
			}
		}
	}()
	ready.Wait()
}

// change writes, and returns how long after the beginning of the write each stream got the
// event.
func change(address string, i int, heard <-chan time.Time) (all []time.Duration) {
	body := strings.NewReader(fmt.Sprintf(`{"data": {"name": "change %d %d"}}`, i, time.Now().UnixNano()))
	r, err := http.NewRequest("POST", "http://"+address+*write, body)
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+*token)
	r.Header.Set("Content-Type", "application/json")
	begun := time.Now()
	go func() {
		a, err := http.DefaultClient.Do(r)
		if err != nil || a.StatusCode != http.StatusCreated {
			log.Fatalf("%v %+v", err, a)
		}
		a.Body.Close()
	}()
	for range *hearing {
		all = append(all, (<-heard).Sub(begun))
	}
	return all
}
