package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"time"

	"quire/schema"
	"quire/store"
)

// A tag identifies the bytes of a response to a GET. It is a hash of everything that the
// response depends on: the request, the rights of the caller, the state of the content that
// the query reads, and the version of the site, which is the files of the site and the program. So the
// server knows before it runs the query whether the client has the response already. Tags
// survive a restart, and are the same on all nodes of a site.

// Header values that all responses share and nobody writes to.
var (
	varies  = []string{"Authorization, Accept-Encoding, Strapi-Response-Format"}
	ask     = []string{"no-cache"}          // may be cached, but must be revalidated each time
	askOnly = []string{"private, no-cache"} // the same, but only for this caller
	never   = []string{"no-store"}          // do not cache it
)

// sign makes the part of each tag that identifies the version of the site. A program that does not know
// its sources counts as another one at each start.
func (e *siteVersion) sign(build string) {
	if build == "" {
		build = rand.Text()
	}
	e.mark = sha256.Sum256(fmt.Appendf(nil, "%s\n%s", build, e.schema.Fingerprint[:]))
	e.ages = map[*schema.Type][]string{}
	for uid, age := range e.schema.Settings.Cache {
		e.ages[e.schema.Type(uid)] = []string{fmt.Sprintf("public, max-age=%d", age/time.Second)}
	}
}

// matchesTag sends 304 for a GET, and returns true, if the client has the response with that
// tag, which is about t. Otherwise it sets the tag.
func (x *request) matchesTag(tag string, t *schema.Type) bool {
	if x.previewed() {
		x.cached = nil
		return false // must not be cached, and a tag would reveal that other documents change
	}
	x.setTag(tag, t)
	if held, ok := x.heldTag(); ok {
		x.notModified(held)
		return true
	}
	return false
}

// tag returns the tag of the response, and finds the response in the cache. The tag begins with
// prefix, after its quote.
func (x *request) tag(prefix []byte, last store.CommitID, words string) string {
	key := x.tagKey(prefix, last, words)
	if x.cached = x.site.cache.find(key); x.cached != nil && x.cached.tag != "" {
		return x.cached.tag
	}
	tag := tagOf(prefix, key[len(prefix):])
	if x.cached != nil {
		x.cached.tag = tag
	}
	return tag
}

// tagKey returns all that the response depends on, which may be words of searches too, after
// prefix. It is valid until the buffer of the request is used again.
func (x *request) tagKey(prefix []byte, last store.CommitID, words string) []byte {
	b := append(x.scratch(), prefix...)
	b = append(b, x.site.mark[:]...)
	b = binary.BigEndian.AppendUint64(b, last.Lineage)
	b = binary.BigEndian.AppendUint64(b, last.Revision)
	b = append(b, x.caller.Rights()[:]...)
	if x.call.V4 {
		b = append(b, '4')
	}
	b = append(b, words...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(x.http.URL.Path))) // a path can have a ? in it
	b = append(b, x.http.URL.Path...)
	b = append(b, '?')
	b = append(b, x.http.URL.RawQuery...)
	x.buffer = b
	return b
}

// tagBytes is how much of a hash a tag has: enough to be unique.
const tagBytes = 15

// tagOf returns a tag: prefix, and a hash of what it identifies.
func tagOf(prefix, what []byte) string {
	sum := sha256.Sum256(what)
	text := make([]byte, 0, len(prefix)+base64.RawURLEncoding.EncodedLen(tagBytes)+2)
	text = append(append(text, '"'), prefix...)
	text = base64.RawURLEncoding.AppendEncode(text, sum[:tagBytes])
	return string(append(text, '"'))
}

// setTag sets the headers for caching: the tag, who may store the response, and for how
// long. t is the type that it is about, nil for none.
func (x *request) setTag(tag string, t *schema.Type) {
	h := x.Header()
	x.tagged[0] = tag
	h["Etag"] = x.tagged[:]
	h["Vary"] = varies
	switch age := x.site.ages[t]; {
	case x.mounted != "":
		h["Cache-Control"] = never // by browsers; scripts keep responses by their tag
	case len(x.http.Header["Authorization"]) > 0:
		h["Cache-Control"] = askOnly
	case age != nil:
		h["Cache-Control"] = age
	default:
		h["Cache-Control"] = ask
	}
}

// dropTag removes the headers that setTag has set, and forbids caching.
func (x *request) dropTag() {
	h := x.Header()
	delete(h, "Etag")
	if h["Cache-Control"] == nil || !x.previewed() {
		h["Cache-Control"] = never
	}
}

// unchangedBody sends 304 for a GET if the client has the response with that body already.
// If the handler has set no tag, it makes one from the body.
func (x *request) unchangedBody(body []byte) bool {
	if m := x.http.Method; m != http.MethodGet && m != http.MethodHead {
		return false
	}
	h := x.Header()
	if h["Etag"] == nil {
		if h["Cache-Control"] != nil {
			return false // must not be cached
		}
		x.setTag(tagOf(nil, body), nil)
		if held, ok := x.heldTag(); ok {
			x.notModified(held)
			return true
		}
	}
	if tags := x.http.Header["If-None-Match"]; len(tags) != 1 || tags[0] != "*" || x.wantsPlan() {
		return false
	}
	x.notModified(h["Etag"][0]) // the client only asked whether there is any response
	return true
}

// heldTag finds the tag of the response among those that the client has, in a coding that
// the client accepts.
func (x *request) heldTag() (tag string, ok bool) {
	if x.wantsPlan() {
		return "", false // there would be nothing to explain
	}
	own := x.Header()["Etag"][0]
	own = own[1 : len(own)-1]
	for _, list := range x.http.Header["If-None-Match"] {
		for tag, rest := nextTag(list); tag != ""; tag, rest = nextTag(rest) {
			if coding, same := strings.CutPrefix(tag[1:len(tag)-1], own); same && (coding == "" || x.takes(strings.TrimPrefix(coding, "-"))) {
				return tag, true
			}
		}
	}
	return "", false
}

// nextTag reads the first tag of a list, in its quotes. Weak tags count like others, as
// If-None-Match requires.
func nextTag(list string) (tag, rest string) {
	list = strings.TrimPrefix(strings.TrimLeft(list, ", \t"), "W/")
	if !strings.HasPrefix(list, `"`) {
		return "", ""
	}
	end := strings.IndexByte(list[1:], '"')
	if end < 0 {
		return "", ""
	}
	return list[:end+2], list[end+2:]
}

// notModified sends 304: the client has the response with that tag.
func (x *request) notModified(tag string) {
	x.Header()["Etag"] = []string{tag}
	x.WriteHeader(http.StatusNotModified)
}
