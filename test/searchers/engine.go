//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// engine is a program or library that searches.
type engine struct {
	name  string
	start func() (*server, error)
}

// server is an engine that runs.
type server struct {
	*exec.Cmd
	address string
	path    string // of a search, before its query
	suggest string // of suggestions; empty without them
	built   time.Duration
}

// start starts a server that says "ready", its address and the milliseconds of building.
func start(c *exec.Cmd) (*server, error) {
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &server{Cmd: c, path: "/search"}
	var ms int
	if _, err := fmt.Fscanf(bufio.NewReader(out), "ready %s %d\n", &s.address, &ms); err != nil {
		s.end()
		return nil, fmt.Errorf("it does not get ready: %w", err)
	}
	s.built = time.Duration(ms) * time.Millisecond
	return s, nil
}

func (s *server) end() {
	s.Process.Kill()
	s.Wait() // it says that it was killed
}

// request returns a request for what a text finds.
func (s *server) request(path, locale, q string) []byte {
	query := url.Values{"q": {q}, "locale": {locale}}
	if path == s.path && s.suggest != "" {
		query.Set("fields", "number,title")
		query.Set("pagination[pageSize]", "10")
	}
	return fmt.Appendf(nil, "GET %s?%s HTTP/1.1\r\nHost: searchers\r\n\r\n", path, query.Encode())
}

// find returns the first ten texts that a search finds.
func (s *server) find(c *connection, locale, q string) ([]text, error) {
	body, err := c.ask(s.request(s.path, locale, q))
	if err != nil {
		return nil, err
	}
	var found struct{ Data []text }
	return found.Data, json.Unmarshal(body, &found)
}

// measure makes all measurements of an engine.
func (e engine) measure(o options, tasks []task) (f *figures, err error) {
	say("%s: building", e.name)
	s, err := e.start()
	if err != nil {
		return nil, err
	}
	defer s.end()
	f = &figures{name: e.name, built: s.built, recall: map[string]float64{}, order: map[string]float64{}, rate: map[string]float64{}, tail: map[string]time.Duration{}, work: map[string]time.Duration{}}
	say("%s: finding", e.name)
	if err := f.judge(o, s, tasks); err != nil {
		return nil, err
	}
	for _, l := range loads {
		if l.suggests && s.suggest == "" {
			continue
		}
		say("%s: %s", e.name, l.name)
		if err := f.load(o, s, l, l.requests(s, tasks)); err != nil {
			return nil, err
		}
	}
	f.resident, err = residentOf(s.Process.Pid)
	return f, err
}

// load measures the speed of an engine. The processor time of a request says more than the
// requests a second where the machine has other work.
func (f *figures) load(o options, s *server, l load, requests [][]byte) error {
	if _, err := measureLoad(s.address, o.kept, requests, time.Second, l.pause); err != nil {
		return err
	}
	before, err := processorOf(s.Process.Pid)
	if err != nil {
		return err
	}
	took, err := measureLoad(s.address, o.kept, requests, o.span, l.pause)
	if err != nil {
		return err
	}
	after, err := processorOf(s.Process.Pid)
	slices.Sort(took)
	n := len(took)
	f.rate[l.name], f.tail[l.name], f.work[l.name] = float64(n)/o.span.Seconds(), took[n*99/100], (after-before)/time.Duration(n)
	return err
}

// judge measures what is found, and in which order.
func (f *figures) judge(o options, s *server, tasks []task) error {
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, one := range tasks {
		found, err := s.find(c, one.locale, one.q)
		if err != nil {
			return fmt.Errorf("%q: %w", one.q, err)
		}
		if slices.ContainsFunc(found, func(t text) bool { return t.Number == one.want }) {
			f.recall[kindOf(one.locale, one.errors)] += 1. / perKind
		} else if o.show {
			say("%s misses %s %q", f.name, one.locale, one.q)
		}
	}
	for _, one := range judgements {
		found, err := s.find(c, one.locale, one.q)
		if err != nil {
			return fmt.Errorf("%q: %w", one.q, err)
		}
		f.order[one.locale] += one.worth(found) / 10
		if o.show {
			var titles []string
			for _, t := range found {
				titles = append(titles, t.Title)
			}
			say("%s %s %q: %.2f %s", f.name, one.locale, one.q, one.worth(found), strings.Join(titles, " | "))
		}
	}
	return nil
}

// crowd is the number of connections that search at the same time.
const crowd = 32

// load is a kind of searches whose speed is measured.
type load struct {
	name     string
	errors   func(n int) bool
	suggests bool
	pause    time.Duration // from one request of a client to its next; 0 for none
}

var loads = []load{
	{"searches as written", func(n int) bool { return n == 0 }, false, 0},
	{"searches with errors", func(n int) bool { return n > 0 }, false, 0},
	{"suggestions", func(n int) bool { return n == 0 }, true, 0},
	{"suggestions to 32 who type", func(n int) bool { return n == 0 }, true, 100 * time.Millisecond},
}

// requests returns the requests of a load: in English, which has more texts. Suggestions are
// asked for after each letter of the last word.
func (l load) requests(s *server, tasks []task) (all [][]byte) {
	for _, one := range tasks {
		switch {
		case one.locale != "en" || !l.errors(one.errors):
		case !l.suggests:
			all = append(all, s.request(s.path, one.locale, one.q))
		default:
			last := one.q[strings.LastIndexByte(one.q, ' ')+1:]
			begin := strings.TrimSuffix(one.q, last)
			for at := range last {
				all = append(all, s.request(s.suggest, one.locale, begin+last[:at+1]))
			}
		}
	}
	return all
}

// measureLoad sends the requests over 32 connections for a while, each after a pause, and
// returns the duration of each response.
func measureLoad(address string, kept bool, requests [][]byte, span, pause time.Duration) (took []time.Duration, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	end := time.Now().Add(span)
	for n := range crowd {
		all.Go(func() {
			time.Sleep(time.Duration(n) * pause / crowd) // clients that pause do not begin together
			mine, failed := loadOne(address, kept, requests, n*len(requests)/crowd, end, pause)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			if failed != nil {
				err = failed
			}
		})
	}
	all.Wait()
	if err == nil && len(took) == 0 {
		err = fmt.Errorf("nothing was answered within %v", span)
	}
	return took, err
}

func loadOne(address string, kept bool, requests [][]byte, from int, end time.Time, pause time.Duration) (took []time.Duration, err error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for n := from; ; n++ {
		begun := time.Now()
		if begun.After(end) {
			return took, nil
		}
		request := requests[n%len(requests)]
		if !kept {
			request = another(request, asked.Add(1))
		}
		if _, err := c.ask(request); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
		time.Sleep(pause - time.Since(begun))
	}
}

// asked counts the requests of all loads.
var asked atomic.Uint64

// another returns a request for the same that was not made before: it has more ampersands in its
// query.
func another(request []byte, n uint64) []byte {
	path, query, _ := bytes.Cut(request, []byte("?"))
	query, rest, _ := bytes.Cut(query, []byte(" "))
	first, others, _ := bytes.Cut(query, []byte("&"))
	some := func(digit uint64) []byte { return bytes.Repeat([]byte("&"), int(digit%64)) }
	return slices.Concat(path, []byte("?"), some(n), first, []byte("&"), some(n/64), others, some(n/64/64), []byte(" "), rest)
}
