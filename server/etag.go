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

	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// A tag names an answer to a GET down to its last byte. It is made of all that
// the answer follows from: the request, what the caller may do, the state of the
// content that the query reads, and the edition, that is the site's files and the
// program. So whether a client has the answer already is known before the query
// runs. Tags outlive a restart, and are the same on all nodes of a site.

// Header values that are shared by all answers and never written to.
var (
	varies  = []string{"Authorization, Accept-Encoding, Strapi-Response-Format"}
	ask     = []string{"no-cache"}          // cache it, and ask each time whether it is still the answer
	askOnly = []string{"private, no-cache"} // the same, but only for the caller it was made for
	never   = []string{"no-store"}          // do not cache it
)

// sign makes the part of every tag that stands for the edition. A program
// that does not know what it was built from counts as another one at each start.
func (e *edition) sign(build string) {
	if build == "" {
		build = rand.Text()
	}
	e.mark = sha256.Sum256(fmt.Appendf(nil, "%s\n%s", build, e.site.Fingerprint[:]))
	e.ages = map[*schema.Type][]string{}
	for uid, age := range e.site.Settings.Cache {
		e.ages[e.site.Type(uid)] = []string{fmt.Sprintf("public, max-age=%d", age/time.Second)}
	}
}

// unchanged answers a GET with 304, and returns true, if the client has already what
// the query would find in the snapshot. Otherwise the headers that it sets are those of
// the answer to come.
func (x *exchange) unchanged(q *query.Query, s *index.Snapshot) bool {
	return x.holds(x.tag(q.LastChange(s)), q.Type())
}

// holds answers a GET with 304, and returns true, if the client has the answer of that
// tag, which is about t. Otherwise it sets the tag.
func (x *exchange) holds(tag string, t *schema.Type) bool {
	if x.previewed() {
		return false // nobody is to keep it, and a tag would show that other documents change
	}
	x.setTag(tag, t)
	if held, ok := x.heldTag(); ok {
		x.notModified(held)
		return true
	}
	return false
}

// tag makes the tag of the answer.
func (x *exchange) tag(last store.CommitID) string {
	b := append(x.scratch(), x.edition.mark[:]...)
	b = binary.BigEndian.AppendUint64(b, last.Lineage)
	b = binary.BigEndian.AppendUint64(b, last.Revision)
	b = append(b, x.caller.Rights()[:]...)
	if x.v4() {
		b = append(b, '4')
	}
	b = append(b, x.request.URL.Path...)
	b = append(b, '?')
	b = append(b, x.request.URL.RawQuery...)
	x.buffer = b
	return tagOf(b)
}

// tagBytes is how much of a sum a tag holds, enough for no two to be the same.
const tagBytes = 15

func tagOf(what []byte) string {
	sum := sha256.Sum256(what)
	text := make([]byte, 0, base64.RawURLEncoding.EncodedLen(tagBytes)+2)
	text = append(text, '"')
	text = base64.RawURLEncoding.AppendEncode(text, sum[:tagBytes])
	return string(append(text, '"'))
}

// setTag sets the headers that say what the answer is called, who may cache it and for
// how long. t is the type that it is about, nil for none.
func (x *exchange) setTag(tag string, t *schema.Type) {
	h := x.Header()
	h["Etag"] = []string{tag}
	h["Vary"] = varies
	switch age := x.edition.ages[t]; {
	case x.mounted != "":
		h["Cache-Control"] = never // by browsers: scripts keep what they ask for by its tag
	case len(x.request.Header["Authorization"]) > 0:
		h["Cache-Control"] = askOnly
	case age != nil:
		h["Cache-Control"] = age
	default:
		h["Cache-Control"] = ask
	}
}

// dropTag takes back what setTag has set, and forbids caching.
func (x *exchange) dropTag() {
	h := x.Header()
	delete(h, "Etag")
	if h["Cache-Control"] == nil || !x.previewed() {
		h["Cache-Control"] = never
	}
}

// unchangedBody answers a GET if the client has already the answer of that body. It
// makes the tag from the body where the handler has set none.
func (x *exchange) unchangedBody(body []byte) bool {
	if m := x.request.Method; m != http.MethodGet && m != http.MethodHead {
		return false
	}
	h := x.Header()
	if h["Etag"] == nil {
		if h["Cache-Control"] != nil {
			return false // nobody is to keep it
		}
		x.setTag(tagOf(body), nil)
		if held, ok := x.heldTag(); ok {
			x.notModified(held)
			return true
		}
	}
	if asked := x.request.Header["If-None-Match"]; len(asked) != 1 || asked[0] != "*" || x.wantsPlan() {
		return false
	}
	x.notModified(h["Etag"][0]) // the client has some answer; that there is one was all it asked
	return true
}

// heldTag finds the answer among those that the client says it has, in a coding that
// it takes, and returns the tag that it goes by.
func (x *exchange) heldTag() (tag string, ok bool) {
	if x.wantsPlan() {
		return "", false // there would be nothing to explain
	}
	own := x.Header()["Etag"][0]
	own = own[1 : len(own)-1]
	for _, list := range x.request.Header["If-None-Match"] {
		for tag, rest := nextTag(list); tag != ""; tag, rest = nextTag(rest) {
			if coding, same := strings.CutPrefix(tag[1:len(tag)-1], own); same && (coding == "" || x.takes(strings.TrimPrefix(coding, "-"))) {
				return tag, true
			}
		}
	}
	return "", false
}

// nextTag reads the first tag of a list, in its quotes; weak ones count like
// others, as If-None-Match wants it.
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

// notModified answers 304: the client has the answer, under that tag.
func (x *exchange) notModified(tag string) {
	x.Header()["Etag"] = []string{tag}
	x.WriteHeader(http.StatusNotModified)
}
