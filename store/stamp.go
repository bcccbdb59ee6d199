package store

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Stamp says which write made a version of an entry, and who requested it. It is not
// content: no query sees it.
type Stamp struct {
	Version   uint64 // the number of the write, larger than those of all earlier ones
	Action    Action // what the write did to the entry
	CreatedBy Actor  // who created the entry
	UpdatedBy Actor  // who made this version
}

// Action is what a write did to an entry.
type Action byte

// The numbers are stored: they keep their meaning.
const (
	ActionUnknown      Action = iota // unknown, as in older files
	ActionCreate                     // the entry is new
	ActionUpdate                     // its content was written
	ActionPublish                    // the draft became the published version
	ActionUnpublish                  // the published version was removed, or with it the draft's changes
	ActionDiscardDraft               // the draft became what is published
	ActionDuplicate                  // it is a copy of another document
	ActionRestore                    // it was restored from the history
	ActionDelete                     // it was removed
	ActionImport                     // it was loaded from an export
	ActionLink                       // another document was linked to it or unlinked from it
	ActionMigrate                    // the schema changed, and the content with it
	actionEnd
)

var actionNames = [actionEnd]string{"", "create", "update", "publish", "unpublish", "discard-draft", "duplicate", "restore", "delete", "import", "link", "migrate"}

// String returns the name of the action: "discard-draft". It is empty for ActionUnknown.
func (a Action) String() string {
	if a < actionEnd {
		return actionNames[a]
	}
	return fmt.Sprintf("action %d", byte(a))
}

// Actor is the actor of a write: a kind and, if there are several of a kind, its id, as in
// "token:3" or "user:k4hxw0ou2mv3ta9c1b8dzqeg". It is empty if unknown.
type Actor string

// The kinds of actors.
const (
	ByToken     = "token"     // an API token, by its id
	ByUser      = "user"      // a user of the site, by documentId
	ByAdmin     = "admin"     // an account of the admin, by its id
	ByAssistant = "assistant" // an assistant of such an account, by the account's id, a dot and its own
	ByCommand   = "command"   // a command on the machine, by its name
	BySchedule  = "schedule"  // a schedule or release, by its id
	ByPublic    = "public"    // a caller without a credential
)

// ActorOf returns the actor of that kind. The id may be empty.
func ActorOf(kind, id string) Actor {
	if id == "" {
		return Actor(kind)
	}
	return Actor(kind + ":" + id)
}

// Kind returns the kind of the actor, for example ByToken.
func (a Actor) Kind() string { kind, _, _ := strings.Cut(string(a), ":"); return kind }

// ID returns its id among those of its kind.
func (a Actor) ID() string { _, id, _ := strings.Cut(string(a), ":"); return id }

// Account returns the id of the account of the admin on whose behalf the actor writes: its
// own, or that of the owner of an assistant. It is empty for other actors.
func (a Actor) Account() string {
	switch a.Kind() {
	case ByAdmin, ByAssistant:
		account, _, _ := strings.Cut(a.ID(), ".")
		return account
	}
	return ""
}

// With returns an account of the admin as the author of a version that has suggestions of a
// language model, which has that name.
func (a Actor) With(model string) Actor {
	if a.Kind() != ByAdmin || model == "" {
		return a
	}
	return a + Actor(" "+model)
}

// Model returns the account and the name of the model of an actor that With has returned; other
// actors have no model.
func (a Actor) Model() (by Actor, model string) {
	if a.Kind() != ByAdmin {
		return a, ""
	}
	account, model, _ := strings.Cut(string(a), " ")
	return Actor(account), model
}

const (
	stampHead = 8 + 1 // the version and the action; then each actor after its length
	maxActor  = 4095  // bytes; a token's name has up to 255 characters
)

func (s *Stamp) check() error {
	for _, a := range []Actor{s.CreatedBy, s.UpdatedBy} {
		if len(a) > maxActor {
			return fmt.Errorf("the actor %.20q… is longer than %d bytes", a, maxActor)
		}
	}
	if s.Action >= actionEnd {
		return fmt.Errorf("%s is unknown", s.Action)
	}
	return nil
}

// size returns the number of bytes that append adds.
func (s *Stamp) size() int { return stampHead + 2 + len(s.CreatedBy) + 2 + len(s.UpdatedBy) }

// append writes [version, action, length, createdBy, length, updatedBy].
func (s *Stamp) append(b []byte) []byte {
	b = append(binary.BigEndian.AppendUint64(b, s.Version), byte(s.Action))
	for _, a := range []Actor{s.CreatedBy, s.UpdatedBy} {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(a))), a...)
	}
	return b
}

// stamp reads what append wrote, and returns the rest.
func (d *decoder) stamp(stored []byte) (s Stamp, rest []byte, err error) {
	if len(stored) < stampHead {
		return s, nil, errShort
	}
	s.Version, s.Action = binary.BigEndian.Uint64(stored), Action(stored[stampHead-1])
	rest = stored[stampHead:]
	for _, a := range []*Actor{&s.CreatedBy, &s.UpdatedBy} {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return s, nil, errShort
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		*a, rest = Actor(d.names.of(rest[2:end])), rest[end:]
	}
	return s, rest, s.check()
}
