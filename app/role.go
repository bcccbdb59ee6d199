package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"quire/store"
	"quire/store/follow"
)

// role is what the data folder records about the part that it has among the servers of a
// site: a leader, its followers, and former leaders. Without a record, a data folder is that
// of the leader of the first epoch.
type role struct {
	Epoch    uint64          `json:"epoch,string"`
	Follows  string          `json:"follows,omitempty"`  // the address of the leader, of a follower
	Stream   string          `json:"stream,omitempty"`   // of a follower: the id of the stream of the leader, if it is known
	Promoted *promotion      `json:"promoted,omitempty"` // how this leader became one
	Fenced   *follow.Fencing `json:"fenced,omitempty"`   // who took the place of this leader
	Since    *store.CommitID `json:"since,omitempty"`    // the last commit that the other one has, if it is known
}

// promotion is how a follower became the leader.
type promotion struct {
	From   string         `json:"from"`             // the address of the former leader
	At     follow.Fencing `json:"at"`               // the last commit of it that this server has
	Stream string         `json:"stream,omitempty"` // the id of the stream of the former leader, which that of this one continues
	Gap    bool           `json:"gap,omitempty"`    // the next start skips revisions that the former leader may have used
	Token  string         `json:"token,omitempty"`  // with which the former leader is still to be fenced; empty if it has been
}

func (l Location) rolePath() string { return filepath.Join(l.DataFolder(), "role.json") }

// role returns the record in the data folder.
func (l Location) role() (r role, err error) {
	r.Epoch = 1
	text, err := os.ReadFile(l.rolePath())
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && l.isClosed():
		return r, nil
	case err != nil:
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Epoch == 0 {
		return r, fmt.Errorf("%s cannot be read; it says whether the data folder is that of a leader or of a follower: restore it from a copy, or move the data folder away and follow the leader with a new one", l.rolePath())
	}
	return r, nil
}

// setRole replaces the record.
func (l Location) setRole(r role) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return store.ReplaceFile(l.rolePath(), append(text, '\n'), 0o600)
}

// FollowerError reports that the data folder is that of a follower, so that data written
// there would be lost.
type FollowerError struct{ Folder, Leader string }

func (e *FollowerError) Error() string {
	return fmt.Sprintf("%s belongs to a follower of %s, which has the content; run the command there, or make this server the leader with `quire promote`", e.Folder, e.Leader)
}

// FencedError reports that another server has become the leader.
type FencedError struct {
	Folder string
	Epoch  uint64
	Leader string // its address; empty if it is unknown
	Own    string // what only this server has, in words; empty if that is unknown
}

func (e *FencedError) Error() string {
	by := "another server"
	if e.Leader != "" {
		by = "the server at " + e.Leader
	}
	own := ""
	if e.Own != "" {
		own = "; " + e.Own
	}
	return fmt.Sprintf("%s takes no writes any more: %s is the leader since epoch %d%s. To serve the site here again, move the data folder away and follow the leader with `quire serve --follow`", e.Folder, by, e.Epoch, own)
}

// mayWrite returns an error if the data folder is that of a follower or of a former leader.
func (l Location) mayWrite() error {
	r, err := l.role()
	switch {
	case err != nil:
		return err
	case r.Follows != "":
		return &FollowerError{l.DataFolder(), r.Follows}
	case r.Fenced != nil:
		return l.fencedError(r)
	}
	return nil
}

// Explained adds to an error of a server that has closed, because another one became the
// leader, what only this one has.
func (l Location) Explained(err error) error {
	if !errors.As(err, new(*FencedError)) {
		return err
	}
	return l.mayWrite()
}

// fencedError describes a former leader.
func (l Location) fencedError(r role) *FencedError {
	e := &FencedError{Folder: l.DataFolder(), Epoch: r.Fenced.Epoch, Leader: r.Fenced.Leader}
	if own, err := l.ownChanges(r); err == nil {
		e.Own = own.String()
	}
	return e
}
