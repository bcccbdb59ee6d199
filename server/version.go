package server

import (
	"fmt"
	"strconv"
	"strings"

	"quire/content"
	"quire/documents"
	"quire/schema"
	"quire/store"
)

// Each document has a version, a number that grows with each write that changes it.
// Responses about one document contain it, and a write can name the version that it is
// based on. A write that would overwrite a change of somebody else gets a 412. Callers
// who may not read drafts get a version that does not count them.

// versionHeader is the version of the document that the response is about.
const versionHeader = "Quire-Version"

// showVersion sets the header with the version of a document of that type; 0 for none. Only
// scripts of other origins need it exposed, and they say that they are. But if a cache may
// return the response without asking again, any request may be followed by theirs.
func (x *request) showVersion(version uint64, t *schema.Type) {
	if version == 0 {
		return
	}
	x.Header()[versionHeader] = []string{strconv.FormatUint(version, 10)}
	if x.http.Header["Origin"] != nil || x.site.ages[t] != nil {
		x.expose(versionHeader)
	}
}

// unchanged sends 304 for a GET, and returns true, if the client has the response already.
// Otherwise it sets the headers of the response. The tag of a response that shows one
// document and nothing else begins with the version of the document. That is 0 for a
// document that was written before versions existed.
func (x *request) unchanged(r *documents.Read) bool {
	version, alone, one := r.Document()
	x.showVersion(version, r.Type())
	last := r.LastChange()
	if !one || !alone {
		period, t := r.Period(), r.Type()
		if period != "" {
			t = nil // no cache may have addresses for longer than they are valid
		}
		return x.matchesTag(x.tag(nil, last, r.Words()+period), t)
	}
	if version > 0 {
		last = store.CommitID{Lineage: last.Lineage, Revision: version}
	}
	var space [24]byte
	prefix := append(strconv.AppendUint(space[:0], version, 10), '.')
	return x.matchesTag(x.tag(prefix, last, ""), r.Type())
}

// match reads which version of the document the write is based on; nil for any. Tags that
// name no version do not match.
func (x *request) match() (*content.Match, error) {
	match, none := x.http.Header["If-Match"], x.http.Header["If-None-Match"]
	m := &content.Match{}
	var err error
	switch {
	case match != nil && none != nil:
		return nil, invalid("If-None-Match and If-Match exclude each other in a write")
	case match != nil:
		m.Any = isAny(match)
		m.Versions, err = versionsOf("If-Match", match)
	case none != nil:
		m.Absent = isAny(none)
		if m.Other, err = versionsOf("If-None-Match", none); m.Other == nil && !m.Absent {
			return nil, err // the document has none of the tags
		}
	default:
		return nil, nil
	}
	return m, err
}

// refuseConditions refuses conditions that the write would ignore, because what it changes
// has no version.
func (r *Route) refuseConditions(x *request) error {
	for _, header := range []string{"If-Match", "If-None-Match"} {
		if !r.versioned && x.http.Header[header] != nil {
			return invalid(header + " is only for writes of one document; in a batch each request has its own \"ifMatch\"")
		}
	}
	return nil
}

// isAny reports whether a condition is about any document, and not about versions of it.
func isAny(lists []string) bool { return len(lists) == 1 && strings.TrimSpace(lists[0]) == "*" }

// versionsOf returns the versions in lists of tags: 12, "12" and the tags that begin with
// "12. Weak tags count like others, because a proxy that compresses weakens them, and a
// version stands for the document and not for the bytes of a response.
func versionsOf(header string, lists []string) (versions []uint64, err error) {
	for _, list := range lists {
		for list != "" {
			var tag string
			tag, list = cutTag(list)
			number, _, _ := strings.Cut(tag, ".")
			if version, err := strconv.ParseUint(number, 10, 64); err == nil {
				versions = append(versions, version)
			}
			if len(versions) > mostVersions {
				return nil, invalid(fmt.Sprintf("%s takes at most %d versions", header, mostVersions))
			}
		}
	}
	return versions, nil
}

// mostVersions limits the versions that a write names.
const mostVersions = 100

// cutTag cuts the first tag from a list. Commas in quotes are part of a tag. What is
// no tag is empty.
func cutTag(list string) (tag, rest string) {
	list = strings.TrimPrefix(strings.TrimLeft(list, ", \t"), "W/")
	quoted, ok := strings.CutPrefix(list, `"`)
	if !ok {
		tag, rest, _ = strings.Cut(list, ",")
		return strings.TrimSpace(tag), rest
	}
	tag, rest, ok = strings.Cut(quoted, `"`)
	after, rest, _ := strings.Cut(rest, ",")
	if !ok || strings.TrimSpace(after) != "" {
		return "", rest
	}
	return tag, rest
}
