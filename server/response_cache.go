package server

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

// responseCache has the responses to reads that are requested again and again, each for as
// long as nothing changes that its bytes depend on: its key is its tag, a hash of all of that
// (etag.go). The state of the content is part of the tag, so a read after a write finds no
// response from before it. The rights of the caller are part of it too, so no caller finds a
// response that was made for other rights.
//
// Nothing is locked. Each tag has one place, by its hash, which it takes from another tag. A
// response is stored when its tag is requested for the second time, so one that is requested
// once takes no memory. A nil cache stores nothing.
type responseCache struct {
	seed   maphash.Seed
	places [cachePlaces]atomic.Pointer[cachedResponse]
	missed [cachePlaces]atomic.Uint64 // hash of the last tag that was not found at the place
	bytes  atomic.Int64               // of all responses
	next   atomic.Uint32              // the place that is emptied next when they take too much
}

const (
	cachePlaces = 4096
	cacheBytes  = 32 << 20
	cachedMost  = 256 << 10 // bytes of a body; larger ones are not stored
	cachedFixed = 256       // bytes of a response in addition to its body
)

// cachedResponse never changes.
type cachedResponse struct {
	tag  string
	body []byte
}

func (r *cachedResponse) size() int64 { return int64(len(r.body) + cachedFixed) }

func newResponseCache() *responseCache { return &responseCache{seed: maphash.MakeSeed()} }

// find returns the body with a tag, which must not be changed; nil if there is none.
func (c *responseCache) find(tag string) []byte {
	if c == nil {
		return nil
	}
	if r := c.places[maphash.String(c.seed, tag)%cachePlaces].Load(); r != nil && r.tag == tag {
		return r.body
	}
	return nil
}

// put stores a copy of a body if its tag is requested for the second time. An empty tag is
// none.
func (c *responseCache) put(tag string, body []byte) {
	if c == nil || tag == "" {
		return
	}
	h := maphash.String(c.seed, tag)
	if len(body) > cachedMost || c.missed[h%cachePlaces].Swap(h) != h {
		return
	}
	r := &cachedResponse{tag, bytes.Clone(body)}
	c.bytes.Add(r.size())
	for range cachePlaces {
		if c.bytes.Load() <= cacheBytes {
			break
		}
		c.replace(uint64(c.next.Add(1)%cachePlaces), nil)
	}
	c.replace(h%cachePlaces, r)
}

// replace gives a place to a response, or to none.
func (c *responseCache) replace(place uint64, r *cachedResponse) {
	if former := c.places[place].Swap(r); former != nil {
		c.bytes.Add(-former.size())
	}
}
