package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// A response is stored when its tag is requested for the second time, and stays as it is
// whatever its buffer is used for afterwards.
func TestCachedFromTheSecondRequest(t *testing.T) {
	c := newResponseCache()
	buffer := []byte("soup")
	for request := range 3 {
		if stored := c.find("a") != nil; stored != (request > 1) {
			t.Errorf("request %d: stored: %t", request+1, stored)
		}
		c.put("a", buffer)
	}
	copy(buffer, "salt")
	if got := c.find("a"); string(got) != "soup" {
		t.Errorf("the response became %q", got)
	}
	for range 2 {
		c.put("", buffer)
		c.put("large", make([]byte, cachedMost+1))
	}
	for _, tag := range []string{"", "large", "b"} {
		if got := c.find(tag); got != nil {
			t.Errorf("%q: %.20q", tag, got)
		}
	}
}

// All responses together take no more memory than docs/security.md says, and each is found
// under its own tag only.
func TestCacheIsBounded(t *testing.T) {
	c := newResponseCache()
	body := func(tag string) []byte { return []byte(strings.Repeat(tag, cachedMost/len(tag))) }
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 300 {
				tag := fmt.Sprintf("%04d", rand.IntN(500))
				want := body(tag)
				if got := c.find(tag); got != nil && !bytes.Equal(got, want) {
					t.Errorf("%s: %.20q", tag, got)
				}
				c.put(tag, want)
				c.put(tag, want)
			}
		})
	}
	wait.Wait()
	total, stored := int64(0), 0
	for i := range c.places {
		if r := c.places[i].Load(); r != nil {
			total += r.size()
			stored++
		}
	}
	if total != c.bytes.Load() || total > cacheBytes || stored < cacheBytes/cachedMost/2 {
		t.Errorf("%d responses with %d bytes, counted as %d; at most %d", stored, total, c.bytes.Load(), cacheBytes)
	}
}

// Any number of tags that are requested once displaces nothing.
func TestCacheWithstandsACrawler(t *testing.T) {
	c := newResponseCache()
	for range 2 {
		c.put("often", []byte("soup"))
	}
	for i := range 10 * cachePlaces {
		c.put(fmt.Sprint("once ", i), []byte("crawled"))
	}
	if string(c.find("often")) != "soup" || c.bytes.Load() != cachedFixed+4 {
		t.Errorf("%q, and %d bytes of all", c.find("often"), c.bytes.Load())
	}
}
