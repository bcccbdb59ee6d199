package audit

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"quire/store"
)

// Event is one line of the audit log. It is stored and exported as this JSON.
type Event struct {
	Number  uint64            `json:"number"` // one more than that of the line before
	At      time.Time         `json:"at"`
	By      Who               `json:"by"`
	Way     Way               `json:"way"`
	From    string            `json:"from,omitempty"` // the address of the client
	Action  string            `json:"action"`         // for example "account.create"
	Target  Target            `json:"target"`
	Outcome Outcome           `json:"outcome"`
	Details map[string]string `json:"details,omitempty"`
}

// Who is the actor.
type Who struct {
	Kind string `json:"kind"` // one of the kinds of package store, or "server"
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"` // the name at that time
}

// Target is what was changed or used.
type Target struct {
	Type   string `json:"type"` // the uid of a content type, or a word like "account"
	ID     string `json:"id,omitempty"`
	Locale string `json:"locale,omitempty"`
	Name   string `json:"name,omitempty"`
}

// Outcome is the result of the action.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
)

// Way is how the request came in.
type Way string

// The ways in.
const (
	ByAdmin   Way = "admin"   // the API of the admin
	ByAPI     Way = "api"     // the content API
	ByMCP     Way = "mcp"     // the Model Context Protocol
	ByCommand Way = "command" // a command on the machine
	ByServer  Way = "server"  // the server itself, for example a schedule
)

// serverKind is the kind of the server as an actor.
const serverKind = "server"

// Source is the actor of a request, and where it came from. A nil Source is the server
// itself. It may be used from any goroutine.
type Source struct {
	By   store.Actor
	Name string // name of the actor for people
	From netip.Addr
	Way  Way

	noted atomic.Int64
}

// Noted reports whether a line was recorded for this source.
func (s *Source) Noted() bool { return s != nil && s.noted.Load() > 0 }

func (s *Source) who() (w Who, way Way, from string) {
	if s == nil {
		return Who{Kind: serverKind}, ByServer, ""
	}
	w = Who{Kind: s.By.Kind(), ID: s.By.ID(), Name: s.Name}
	if w.Kind == "" {
		w.Kind = store.ByPublic
	}
	if s.From.IsValid() {
		from = s.From.String()
	}
	return w, s.Way, from
}

type sourceKey struct{}

// With returns a context whose changes are recorded for the source.
func With(ctx context.Context, s *Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// Of returns the source of a context, nil for the server itself.
func Of(ctx context.Context) *Source {
	s, _ := ctx.Value(sourceKey{}).(*Source)
	return s
}

// Limits of a line.
const (
	longestText   = 255  // bytes of a name or an id
	longestDetail = 1000 // bytes of one detail
	mostDetails   = 8
)

// cut shortens a text to a maximum number of bytes, at the end of a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most -= len("…"); most > 0 && !utf8.RuneStart(text[most]); {
		most--
	}
	return text[:most] + "…"
}
