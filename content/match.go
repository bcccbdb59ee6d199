package content

import (
	"errors"
	"fmt"
	"slices"

	"quire/store"
)

// Match is a condition of a write: nobody else has changed the document since the
// caller saw it. The Writer checks it when it plans the write. So if two writes saw the
// same version, one of them is refused.
type Match struct {
	Absent   bool     // there must be no such document
	Any      bool     // there must be one, of any version
	Versions []uint64 // its version must be one of these, unless Any
	Other    []uint64 // if there is one, its version must be none of these; instead of Versions
	Drafts   bool     // whether the caller sees drafts, and so the version that counts them
}

// ConflictError reports that a document does not meet the Match of a write.
type ConflictError struct {
	Type       string // uid
	DocumentID string
	Version    uint64 // the current one, as the caller sees it; 0 if it sees none
	Named      uint64 // the latest version in the Match; 0 for none
	Drafts     bool   // whether the caller sees drafts
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s %s is not what the write was made for: its version is %d", e.Type, e.DocumentID, e.Version)
}

// match refuses a write if the document is not as the caller saw it. One that does not exist for the
// caller is like one that is not there.
func (op *operation) match(r Request, documentID string) error {
	m := r.Match
	if m == nil {
		return nil
	}
	entries, version := op.versions(r.Type, documentID), op.content.Version(r.Type, documentID, m.Drafts)
	if err := op.find(r.Type, documentID); errors.As(err, new(*NotFoundError)) {
		entries, version = nil, 0
	} else if err != nil {
		return err
	}
	seen := slices.ContainsFunc(entries, func(k store.Key) bool { return m.Drafts || k.Status == store.Published })
	met := seen && (m.Any || slices.Contains(m.Versions, version))
	switch {
	case m.Absent:
		met = len(entries) == 0
	case m.Other != nil:
		met = !seen || !slices.Contains(m.Other, version)
	}
	if met {
		return nil
	}
	return &ConflictError{r.Type.UID, documentID, version, named(m.Versions), m.Drafts}
}

func named(versions []uint64) (latest uint64) {
	for _, v := range versions {
		latest = max(latest, v)
	}
	return latest
}
