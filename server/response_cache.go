package server

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

// responseCache has the responses to reads that are requested again and again, each for as
// long as nothing changes that its bytes depend on: its key is all of that, of which its tag is
// a hash (etag.go). The state of the content is part of the key, so a read after a write finds
// no response from before it. The rights of the caller are part of it too, so no caller finds a
// response that was made for other rights.
//
// Nothing is locked. Each key has one place, by its hash, which it takes from another key. A
// response is stored when its key is requested for the second time, so one that is requested
// once takes no memory. A nil cache stores nothing.
type responseCache struct {
	seed   maphash.Seed
	places [cachePlaces]atomic.Pointer[cachedResponse]
	missed [cachePlaces]atomic.Uint64 // hash of the last key that was not found at the place
	bytes  atomic.Int64               // of all responses
	next   atomic.Uint32              // the place that is emptied next when they take too much
}

const (
	cachePlaces = 4096
	cacheBytes  = 32 << 20
	cachedMost  = 256 << 10 // bytes of a body; larger ones are not stored
	cachedFixed = 256       // bytes of a response in addition to its body
)

// cachedResponse never changes once it is stored.
type cachedResponse struct {
	key, tag string // tag is empty until the response is made
	body     []byte // nil until it is stored
}

func (r *cachedResponse) size() int64 { return int64(len(r.key) + len(r.body) + cachedFixed) }

func newResponseCache() *responseCache { return &responseCache{seed: maphash.MakeSeed()} }

// find returns the response with a key, whose body must not be changed. If there is none and the
// key is requested for the second time, it returns one without tag and body, for put; otherwise
// nil.
func (c *responseCache) find(key []byte) *cachedResponse {
	if c == nil {
		return nil
	}
	h := maphash.Bytes(c.seed, key)
	if r := c.places[h%cachePlaces].Load(); r != nil && r.key == string(key) {
		return r
	}
	if c.missed[h%cachePlaces].Swap(h) == h {
		return &cachedResponse{key: string(key)}
	}
	return nil
}

// put stores a response of find with a copy of its body.
func (c *responseCache) put(r *cachedResponse, body []byte) {
	if len(body) > cachedMost {
		return
	}
	r.body = bytes.Clone(body)
	c.bytes.Add(r.size())
	for range cachePlaces {
		if c.bytes.Load() <= cacheBytes {
			break
		}
		c.replace(uint64(c.next.Add(1)%cachePlaces), nil)
	}
	c.replace(maphash.String(c.seed, r.key)%cachePlaces, r)
}

// replace gives a place to a response, or to none.
func (c *responseCache) replace(place uint64, r *cachedResponse) {
	if former := c.places[place].Swap(r); former != nil {
		c.bytes.Add(-former.size())
	}
}
