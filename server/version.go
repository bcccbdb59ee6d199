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
// Answers about one document carry it, and writes may say for which one they were
// made: whoever would overwrite what somebody else wrote meanwhile gets a 412. Who
// may not read drafts gets a version that does not count them.

// versionHeader is the version of the document that the answer is about.
const versionHeader = "Quire-Version"

// seesDrafts reports whether the caller may read all of a document.
func (x *exchange) seesDrafts(t *schema.Type) bool {
	return !t.DraftAndPublish || x.caller.Allows(t, schema.ReadDraft)
}

// showVersion puts the version of a document into the header of the answer.
func (x *exchange) showVersion(t *schema.Type, s *index.Snapshot, documentID string) (version uint64) {
	if x.previewed() {
		return 0 // which counts all writes to the site, and those to what the link does not show
	}
	if version = x.version(t, s, documentID); version > 0 {
		x.Header()[versionHeader] = []string{strconv.FormatUint(version, 10)}
		x.expose(versionHeader)
	}
	return version
}

// version is the version of a document as the caller sees it; 0 when it sees none.
func (x *exchange) version(t *schema.Type, s *index.Snapshot, documentID string) uint64 {
	return s.Version(t, documentID, x.seesDrafts(t))
}

// unchangedDocument is unchanged for one document. The tag of an answer that shows
// nothing else begins with the document's version, which is 0 for one that was written
// before versions were kept.
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

// match reads for which version of the document a write was made, nil for any.
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
		return nil, nil // other writes take no If-None-Match
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

// conflict is what a 412 says of the document as it is now.
type conflict struct {
	Version uint64   `json:"version,omitempty"`
	Paths   []string `json:"paths,omitzero"` // absent where it is not known what differs
}

func explainConflict(err error) *problem {
	var changed *content.ConflictError
	if !errors.As(err, &changed) {
		return nil
	}
	return &problem{http.StatusPreconditionFailed, "PreconditionFailedError", "The document has changed since it was read, or is not there", conflict{Version: changed.Version}}
}
