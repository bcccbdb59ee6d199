package query

import (
	"bytes"
	"slices"
	"strings"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Responses show private files with signed addresses, and nothing else makes these: whoever
// sees a file in a response may open it for a while. Filters and sort compare the stored
// addresses, which open nothing.

// Signer signs the addresses of private files.
type Signer interface {
	// AppendAccess appends what opens a private file for a while, to follow its url:
	// "?access=1764376800.Jx…". It appends nothing to an address elsewhere.
	AppendAccess(dst []byte, url string) []byte

	// Period identifies the time in which AppendAccess appends the same: it is a number that
	// grows. Addresses of one period are valid during the next one, too.
	Period() int64
}

// SignWith makes responses show private files with addresses that s signs. It is called
// before the first query. Without it they have the stored addresses.
func (c *Compiler) SignWith(s Signer) { c.signer = s }

// Period returns the period of the signed addresses in the response; 0 if it has none.
func (q *Query) Period(s *index.Snapshot) int64 {
	showsFiles := slices.ContainsFunc(q.types, func(t *schema.Type) bool { return t.UID == schema.FileUID })
	if q.signer == nil || !showsFiles || !s.HasPrivateFolders() {
		return 0
	}
	return q.signer.Period()
}

// signs reports whether a record is a private file.
func (x *run) signs(rec record) bool {
	return x.signer != nil && rec.entry != nil && rec.t.UID == schema.FileUID && x.s.IsPrivate(rec.entry)
}

// appendFileValue appends a value of a private file: its url and the urls of its formats are
// signed.
func (x *run) appendFileValue(dst []byte, rec record, a string, slot []byte) []byte {
	start := len(dst)
	dst = appendSigned(x.signer, dst, string(index.SlotText(rec.body.Slot(rec.t.Attribute("url").Slot))), a, slot)
	return x.grow(dst, len(dst)-start)
}

// appendSigned appends the JSON of a value of a file. url is the url of the file. Of other
// addresses in the value it signs those of the formats of the file, and no others.
func appendSigned(signer Signer, dst []byte, url, attribute string, value []byte) []byte {
	if attribute == "url" {
		return append(signer.AppendAccess(append(dst, value[:len(value)-1]...), url), '"')
	}
	if attribute != "formats" {
		return append(dst, value...)
	}
	member := []byte(`"url":"`)
	folder := url[:strings.LastIndexByte(url, '/')+1]
	for {
		at := bytes.Index(value, member)
		if at < 0 {
			return append(dst, value...)
		}
		at += len(member)
		end := at + max(0, bytes.IndexByte(value[at:], '"'))
		dst = append(dst, value[:end]...)
		format := string(value[at:end])
		if name, ok := strings.CutPrefix(format, folder); ok {
			if _, original, _ := strings.Cut(name, "_"); folder+original == url {
				dst = signer.AppendAccess(dst, format)
			}
		}
		value = value[end:]
	}
}

// signFile signs the addresses in the view of a file.
func (v *Viewer) signFile(shown []member, e *store.Entry) {
	if v.c.signer == nil || !v.s.IsPrivateRecord(e) {
		return
	}
	for i := range shown {
		if m := &shown[i]; m.plain != nil && !bytes.Equal(m.plain, null) {
			m.plain = appendSigned(v.c.signer, nil, e.Value("url").Text, m.name, m.plain)
		}
	}
}
