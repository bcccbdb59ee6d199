//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A read is a request to measure.
type read struct {
	name, path string  // {id} is a document, {deep} an offset at four fifths
	most       float64 // factor by which it may take longer with the most content; 0 without a promise
}

// flat reports whether the read costs the same with any amount of content; other reads
// examine more if there is more.
func (r read) flat() bool { return r.most == 1.5 }

var reads = []read{
	{"one", "/api/restaurants/{id}", 1.5},
	{"list", "/api/restaurants", 1.5},
	{"filter", "/api/restaurants?filters[price_tier]=p2&filters[stars][$gte]=4&sort=rating:desc", 1.7},
	{"page", "/api/restaurants?sort=name&pagination[page]=100&pagination[pageSize]=25", 1.5},
	{"populate", "/api/restaurants?populate=*&pagination[pageSize]=10", 0},
	{"deep", "/api/restaurants?populate[chef][populate][restaurants][fields]=name&populate[categories]=true&fields=name&pagination[pageSize]=10", 0},
	{"last", "/api/restaurants?sort=rating:desc&pagination[start]={deep}&pagination[limit]=25", 0},
	{"logic", "/api/restaurants?filters[$or][0][stars]=5&filters[$or][1][$and][0][vegan]=true&filters[$or][1][$and][1][rating][$gt]=4.5&filters[$not][price_tier]=p4&sort=founded:desc", 1.7},
	{"relation", "/api/restaurants?filters[chef][name][$startsWith]=A&filters[categories][code][$lt]=5&sort=name", 1.7},
	{"contains", "/api/restaurants?filters[tagline][$containsi]=saffron&sort=name", 0},
	{"search", "/api/restaurants?_q=harbor&fields=name", 5},
}

// crowd is the number of connections of the second measurement of reads.
const crowd = 32

// readFigures are the measurements of one read. Times are from the request to the end of
// the response.
type readFigures struct {
	first        time.Duration // the very first time, which may build indexes
	again        time.Duration // the first time after a restart, once the server is ready
	alone        time.Duration // median, over one connection
	median, tail time.Duration // the tail is the 99th percentile; both over many connections
	rate         float64       // responses a second over many connections
}

func measureReads(o options, address string, g *guide) (all []readFigures, err error) {
	for _, r := range reads {
		f, err := r.measure(o, address, g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		say("  %-9s %8v alone, %8v with %d, %6.0f a second; the first took %v", r.name, f.alone, f.median, crowd, f.rate, f.first)
		all = append(all, f)
	}
	return all, nil
}

func (r read) measure(o options, address string, g *guide) (f readFigures, err error) {
	requests := r.requests(g)
	begun := time.Now()
	if _, err := fetch(address, requests[0]); err != nil {
		return f, err
	}
	f.first = time.Since(begun)
	var alones, medians, tails []time.Duration
	var rates []float64
	for range o.runs {
		alone, err := measureLoad(address, requests, 1, o.span)
		if err != nil {
			return f, err
		}
		many, err := measureLoad(address, requests, crowd, o.span)
		if err != nil {
			return f, err
		}
		alones, medians, tails = append(alones, quantile(alone, .5)), append(medians, quantile(many, .5)), append(tails, quantile(many, .99))
		rates = append(rates, float64(len(many))/o.span.Seconds())
	}
	f.alone, f.median, f.tail, f.rate = quantile(alones, .5), quantile(medians, .5), quantile(tails, .5), quantile(rates, .5)
	return f, nil
}

// requests returns the requests that are sent in turn: a thousand documents, or one list.
func (r read) requests(g *guide) (requests [][]byte) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		path := bytes.ReplaceAll([]byte(r.path), []byte("{id}"), []byte(one(random, g.published)))
		path = bytes.ReplaceAll(path, []byte("{deep}"), []byte(strconv.Itoa(len(g.restaurants)*4/5)))
		separator := "?"
		if bytes.Contains(path, []byte("?")) {
			separator = "&"
		}
		requests = append(requests, request(string(path)+separator+"_="+unnumbered))
	}
	return requests
}

// unnumbered is where a request has its number. It is a parameter that the API ignores: with it,
// no request is like another, and none is answered from the cache of responses.
const unnumbered = "0000000000"

var numbered atomic.Uint64

// number gives a request the next number.
func number(request []byte) []byte {
	if at := bytes.Index(request, []byte(unnumbered)); at >= 0 {
		request = bytes.Clone(request)
		copy(request[at:], fmt.Sprintf("%0*d", len(unnumbered), numbered.Add(1)))
	}
	return request
}

func request(path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: growth\r\n\r\n", path)
}

// measureLoad sends the requests over a number of connections for a while, and returns the
// duration of each response.
func measureLoad(address string, requests [][]byte, connections int, span time.Duration) (took []time.Duration, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	end := time.Now().Add(span)
	for n := range connections {
		all.Go(func() {
			mine, failed := loadOne(address, requests, n*len(requests)/connections, end)
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

func loadOne(address string, requests [][]byte, from int, end time.Time) (took []time.Duration, err error) {
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
		if _, err := c.ask(number(requests[n%len(requests)])); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
}

// connection is a client that takes few resources of the machine.
type connection struct {
	net.Conn
	answers *bufio.Reader
}

func dial(address string) (*connection, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

// fetch sends one request.
func fetch(address string, request []byte) (size int, err error) {
	c, err := dial(address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return c.ask(request)
}

// ask sends a request and reads the response, which must be 200. It returns the size of the
// body.
func (c *connection) ask(request []byte) (size int, err error) {
	if _, err := c.Write(request); err != nil {
		return 0, err
	}
	status, err := c.answers.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return 0, fmt.Errorf("%q is answered %q", request, status)
	}
	size = -1
	for {
		line, err := c.answers.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if text, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return 0, err
			}
		}
		if len(line) <= 2 {
			break
		}
	}
	if size < 0 {
		return 0, fmt.Errorf("%q is answered without a length", request)
	}
	return c.answers.Discard(size)
}

func quantile[T time.Duration | float64](values []T, share float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)-1))]
}
