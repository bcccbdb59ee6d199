package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/content/audit"
	"quire/schema"
	"quire/store"
)

// Workflow is the stages of a content type. The zero Workflow has none.
type Workflow struct {
	Stages []Stage `json:"stages"`

	// Publish is the id of the stage from which alone documents are published; empty for all.
	Publish string `json:"publish,omitempty"`
}

// Stage is one stage of a workflow.
type Stage struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	From  []string `json:"from,omitempty"`  // the stages from which documents are moved here; empty for all
	Roles []string `json:"roles,omitempty"` // of the admin, whose accounts move documents here; empty for all that may change them
}

// Limits of a workflow.
const (
	MostStages    = 20
	mostStageName = 100 // bytes
	mostStageID   = 32  // bytes
	mostRoles     = 100 // of a stage
)

// MisfitError reports what is wrong with a part of a workflow, a state or a comment.
type MisfitError struct{ Key, Message string }

func (e *MisfitError) Error() string { return e.Key + ": " + e.Message }

func wrong(key, form string, values ...any) error {
	return &MisfitError{key, fmt.Sprintf(form, values...)}
}

// Check reports the first part of a workflow that makes no sense for a type. Whether its roles
// exist is for the caller to check. Its error is a *MisfitError.
func (w *Workflow) Check(t *schema.Type) error {
	if len(w.Stages) > MostStages {
		return wrong("stages", "a type has at most %d stages", MostStages)
	}
	for i, s := range w.Stages {
		if err := w.checkStage(fmt.Sprintf("stages[%d]", i), w.Stages[:i], s); err != nil {
			return err
		}
	}
	switch {
	case w.Publish != "" && w.Stage(w.Publish) == nil:
		return wrong("publish", "there is no stage %.40q", w.Publish)
	case w.Publish != "" && !t.DraftAndPublish:
		return wrong("publish", "documents without drafts are always published")
	}
	return nil
}

func (w *Workflow) checkStage(at string, before []Stage, s Stage) error {
	if s.ID == "" || len(s.ID) > mostStageID || strings.ContainsFunc(s.ID, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return wrong(at+".id", "an id has 1 to %d small letters and digits", mostStageID)
	}
	if strings.TrimSpace(s.Name) == "" || len(s.Name) > mostStageName || !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, unicode.IsControl) {
		return wrong(at+".name", "a name has one line of 1 to %d bytes", mostStageName)
	}
	for _, b := range before {
		switch {
		case b.ID == s.ID:
			return wrong(at+".id", "another stage has this id")
		case b.Name == s.Name:
			return wrong(at+".name", "another stage has this name")
		}
	}
	for i, id := range s.From {
		if w.Stage(id) == nil {
			return wrong(fmt.Sprintf("%s.from[%d]", at, i), "there is no stage %.40q", id)
		}
	}
	if len(s.Roles) > mostRoles {
		return wrong(at+".roles", "a stage names at most %d roles", mostRoles)
	}
	return nil
}

// Stage returns the stage with an id; nil if there is none.
func (w *Workflow) Stage(id string) *Stage {
	if i := slices.IndexFunc(w.Stages, func(s Stage) bool { return s.ID == id }); i >= 0 {
		return &w.Stages[i]
	}
	return nil
}

// StageOf returns the stage of a document: the first one if it was never moved, or if its stage
// no longer exists. It is nil if the type has no stages.
func (w *Workflow) StageOf(st *State) *Stage {
	if len(w.Stages) == 0 {
		return nil
	}
	if s := w.Stage(st.Stage); s != nil {
		return s
	}
	return &w.Stages[0]
}

// Leads reports whether documents may be moved from one stage to another.
func (w *Workflow) Leads(from, to *Stage) bool {
	return from.ID != to.ID && (len(to.From) == 0 || slices.Contains(to.From, from.ID))
}

// The buckets of the package. Workflows are stored by the uid of their type, states by the key
// of their place, comments by that and their number, and places by the account that waits for
// something there.
const (
	WorkflowsBucket = "admin.workflows"
	StatesBucket    = "admin.reviews"
	CommentsBucket  = "admin.comments"
	WaitingBucket   = "admin.waiting"
)

// SettingKey begins the key of the setting of an archive with the workflow of a type. The uid
// follows.
const SettingKey = "quire_review_workflow::"

// InTx is a part of a transaction.
type InTx = func(*store.Tx) error

// Beside is what belongs to a change, and is stored in the same transaction.
type Beside struct {
	By     *audit.Source
	Events []audit.Event // lines of the audit log
	Mail   []InTx
}

func (b *Beside) put(tx *store.Tx) error {
	for _, e := range b.Events {
		if err := audit.Note(tx, b.By, e); err != nil {
			return err
		}
	}
	for _, mail := range b.Mail {
		if err := mail(tx); err != nil {
			return err
		}
	}
	return nil
}

// Board reads and writes workflows, states and comments. Its methods may be called from any
// goroutine.
type Board struct {
	db  *store.DB
	now func() time.Time
}

// ErrChanged: somebody else has changed the workflow meanwhile.
var ErrChanged = store.ErrRecordChanged

// NewBoard returns what a data file has. now is time.Now if it is nil.
func NewBoard(db *store.DB, now func() time.Time) *Board {
	if now == nil {
		now = time.Now
	}
	return &Board{db, now}
}

// ReadWorkflow reports whether a stored workflow can be read.
func ReadWorkflow(_ string, value []byte) error { return json.Unmarshal(value, new(Workflow)) }

// WorkflowOf returns the workflow of a type in a transaction. Without one, or if it cannot be
// read, it is the zero Workflow.
func WorkflowOf(tx *store.Tx, uid string) (*Workflow, error) {
	value, err := tx.Record(WorkflowsBucket, uid)
	return workflow(value), err
}

func workflow(value []byte) *Workflow {
	w := new(Workflow)
	if value != nil && json.Unmarshal(value, w) != nil {
		return new(Workflow)
	}
	return w
}

// Workflows returns the workflows of the types that have stages, by uid, in a transaction.
func Workflows(tx *store.Tx) (map[string]*Workflow, error) {
	all := map[string]*Workflow{}
	err := tx.Records(WorkflowsBucket, func(uid string, value []byte) error {
		all[uid] = workflow(value)
		return nil
	})
	return all, err
}

// Workflow returns the workflow of a type, and its version for PutWorkflow.
func (s *Board) Workflow(uid string) (w *Workflow, version string, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(WorkflowsBucket, uid)
		if err != nil {
			return err
		}
		version, w = store.RecordVersion(value), workflow(value)
		return nil
	})
	return w, version, err
}

// Workflows returns the workflows of the types that have stages, by uid.
func (s *Board) Workflows() (all map[string]*Workflow, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		all, err = Workflows(tx)
		return err
	})
	return all, err
}

// PutWorkflow stores the workflow of a type, which must have passed Check, in place of the one of
// that version. One without stages removes it. The error is ErrChanged.
func (s *Board) PutWorkflow(uid, version string, w *Workflow, beside *Beside) error {
	return s.db.Update(func(tx *store.Tx) error {
		err := tx.RequireRecord(WorkflowsBucket, uid, version)
		if err == nil {
			err = SetWorkflow(tx, uid, w)
		}
		if err != nil {
			return err
		}
		return beside.put(tx)
	})
}

// SetWorkflow is PutWorkflow in a transaction, in place of any other.
func SetWorkflow(tx *store.Tx, uid string, w *Workflow) error {
	if len(w.Stages) == 0 {
		return tx.DeleteRecord(WorkflowsBucket, uid)
	}
	return tx.PutJSON(WorkflowsBucket, uid, w)
}

// NeededStage returns the stage that a document is in and the one that it must be in to be
// published; nil if it may be published.
func NeededStage(tx *store.Tx, p Place) (is, needed *Stage, err error) {
	w, err := WorkflowOf(tx, p.UID)
	if err != nil || w.Stage(w.Publish) == nil {
		return nil, nil, err
	}
	st, err := stateOf(tx, p)
	if err != nil {
		return nil, nil, err
	}
	if is, needed = w.StageOf(st), w.Stage(w.Publish); is.ID == needed.ID {
		return nil, nil, nil
	}
	return is, needed, nil
}
