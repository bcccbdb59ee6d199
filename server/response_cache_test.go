package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// request makes a response with a key and a body, unless one is stored, and returns the stored
// body.
func (c *responseCache) request(key string, body []byte) (stored []byte) {
	r := c.find([]byte(key))
	switch {
	case r == nil:
	case r.body == nil:
		r.tag = `"` + key + `"`
		c.put(r, body)
	case r.tag == `"`+key+`"`:
		return r.body
	}
	return nil
}

// A response is stored when its key is requested for the second time, and stays as it is
// whatever its buffer is used for afterwards.
func TestCachedFromTheSecondRequest(t *testing.T) {
	c := newResponseCache()
	buffer := []byte("soup")
	for request := range 3 {
		if stored := c.request("a", buffer) != nil; stored != (request > 1) {
			t.Errorf("request %d: stored: %t", request+1, stored)
		}
	}
	copy(buffer, "salt")
	if got := c.request("a", buffer); string(got) != "soup" {
		t.Errorf("the response became %q", got)
	}
	for range 3 {
		if got := c.request("large", make([]byte, cachedMost+1)); got != nil {
			t.Errorf("%d bytes were stored", len(got))
		}
	}
}

// All responses together take no more memory than docs/security.md says, and each is found
// under its own key only.
func TestCacheIsBounded(t *testing.T) {
	c := newResponseCache()
	body := func(key string) []byte { return []byte(strings.Repeat(key, cachedMost/len(key))) }
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 300 {
				key := fmt.Sprintf("%04d", rand.IntN(500))
				want := body(key)
				for range 3 {
					if got := c.request(key, want); got != nil && !bytes.Equal(got, want) {
						t.Errorf("%s: %.20q", key, got)
					}
				}
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

// Any number of keys that are requested once displaces nothing.
func TestCacheWithstandsACrawler(t *testing.T) {
	c := newResponseCache()
	for range 2 {
		c.request("often", []byte("soup"))
	}
	for i := range 10 * cachePlaces {
		c.request(fmt.Sprint("once ", i), []byte("crawled"))
	}
	if got := c.request("often", nil); string(got) != "soup" || c.bytes.Load() != cachedFixed+int64(len("often")+4) {
		t.Errorf("%q, and %d bytes of all", got, c.bytes.Load())
	}
}
