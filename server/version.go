package server

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"quire/content"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// Each document has a version, a number that grows with each write that changes it.
// Responses about one document contain it, and a write can name the version that it is
// based on. A write that would overwrite a change of somebody else gets a 412. Callers
// who may not read drafts get a version that does not count them.

// versionHeader is the version of the document that the response is about.
const versionHeader = "Quire-Version"

// seesDrafts reports whether the caller may read all of a document.
func (x *exchange) seesDrafts(t *schema.Type) bool {
	return !t.DraftAndPublish || x.caller.Allows(t, schema.ReadDraft)
}

// showVersion sets the header with the version of a document.
func (x *exchange) showVersion(t *schema.Type, s *index.Snapshot, documentID string) (version uint64) {
	if x.previewed() {
		return 0 // a version would reveal writes to what the link does not show
	}
	if version = x.version(t, s, documentID); version > 0 {
		x.Header()[versionHeader] = []string{strconv.FormatUint(version, 10)}
		x.expose(versionHeader)
	}
	return version
}

// version returns the version of a document as the caller sees it; 0 if it sees none.
func (x *exchange) version(t *schema.Type, s *index.Snapshot, documentID string) uint64 {
	return s.Version(t, documentID, x.seesDrafts(t))
}

// unchangedDocument is unchanged for one document. The tag of a response that shows
// nothing else begins with the version of the document. That is 0 for a document that
// was written before versions existed.
func (x *exchange) unchangedDocument(q *query.Query, s *index.Snapshot, documentID string) bool {
	version := x.showVersion(q.Type(), s, documentID)
	if !q.Alone() {
		return x.unchanged(q, s)
	}
	last := q.LastChange(s)
	if version > 0 {
		last = store.CommitID{Lineage: last.Lineage, Revision: version}
	}
	return x.holds(`"`+strconv.FormatUint(version, 10)+"."+strings.TrimPrefix(x.tag(last), `"`), q.Type())
}

// match reads which version of the document the write is based on; nil for any.
func (x *exchange) match(t *schema.Type) (*content.Match, error) {
	match, none := x.request.Header["If-Match"], x.request.Header["If-None-Match"]
	m := &content.Match{Drafts: x.seesDrafts(t)}
	creates := len(none) == 1 && none[0] == "*" && x.request.Method == http.MethodPut && t.Kind == schema.Single
	switch {
	case creates && match != nil:
		return nil, invalid("If-None-Match: * and If-Match exclude each other")
	case creates:
		m.Absent = true
		return m, nil
	case match == nil:
		return nil, nil // other writes ignore If-None-Match
	case len(match) == 1 && strings.TrimSpace(match[0]) == "*":
		m.Any = true
		return m, nil
	}
	for _, tag := range strings.Split(strings.Join(match, ","), ",") {
		version, err := versionOf(tag)
		if err != nil {
			return nil, invalid(fmt.Sprintf("If-Match takes the Quire-Version or the ETag of the document, not %.100q", strings.TrimSpace(tag)))
		}
		m.Versions = append(m.Versions, version)
	}
	return m, nil
}

// versionOf reads 12, "12" and the tags that begin with "12.
func versionOf(tag string) (uint64, error) {
	tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
	number, _, _ := strings.Cut(tag, ".")
	return strconv.ParseUint(number, 10, 64)
}

// conflict is what a 412 says about the current document.
type conflict struct {
	Version uint64   `json:"version,omitempty"`
	Paths   []string `json:"paths,omitzero"` // absent if the differences are unknown
}

func explainConflict(err error) *problem {
	var changed *content.ConflictError
	if !errors.As(err, &changed) {
		return nil
	}
	return &problem{http.StatusPreconditionFailed, "PreconditionFailedError", "The document has changed since it was read, or is not there", conflict{Version: changed.Version}}
}
