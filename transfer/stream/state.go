package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"quire/store"
)

// state is what a sender knows of its stream, in a file beside the queue. It is on the disk
// before anything is put under a new number, so that after a crash the sender recognizes its
// own objects, and a copy of the data folder does not take the other's for its own.
type state struct {
	Stream string         `json:"stream"` // id and target; another one begins anew
	Number uint64         `json:"number"` // of the last segment in the target
	ID     string         `json:"id"`     // of that segment
	Last   store.CommitID `json:"last"`   // the last commit in it; zero after an image that begins anew
	Time   int64          `json:"time"`

	Anew     bool      `json:"anew"`  // an image is needed before the next segment
	Image    int64     `json:"image"` // time of the last image
	Shows    uint64    `json:"shows"` // revision of the last commit in that image
	Outgoing *outgoing `json:"outgoing,omitempty"`

	path string
	new  bool // there was no state
}

// outgoing is a segment that is being put, or has been put since the state was written.
type outgoing struct {
	ID   string         `json:"id"`
	Last store.CommitID `json:"last"`
	Time int64          `json:"time"`
}

// readState reads the state in a folder. One of another stream is ignored.
func readState(folder, stream string) (*state, error) {
	s := &state{path: filepath.Join(folder, "state.json")}
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
	}
	if s.Stream != stream {
		*s = state{path: s.path, Stream: stream, Anew: true, new: true}
	}
	return s, nil
}

// save writes the state to the disk.
func (s *state) save() error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return store.ReplaceFile(s.path, text, 0o600)
}

// arrived notes that the outgoing segment is in the target.
func (s *state) arrived() {
	s.Number, s.ID, s.Last, s.Time = s.Number+1, s.Outgoing.ID, s.Outgoing.Last, s.Outgoing.Time
	s.Outgoing = nil
}

// end returns the last commit that has been recorded if the queue is empty.
func (s *state) end() (store.CommitID, int64) {
	if s.Outgoing != nil {
		return s.Outgoing.Last, s.Outgoing.Time
	}
	return s.Last, s.Time
}
