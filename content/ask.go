package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Hooks outside this process may be asked about a write before it begins. They can refuse
// it or change its data. That may take long, so it happens before the write queues: neither
// the Writer nor a transaction waits for it. The answer is checked like data that the
// caller sent. If a document changes meanwhile, the answer was about another version, and
// the hooks are asked again.

// Asker knows which hooks to ask about writes.
type Asker interface {
	// About returns the hooks to ask about writes of a type, in this order; none for most
	// types.
	About(t *schema.Type) []Hook
}

// Hook is asked about a write before the write begins.
type Hook interface {
	// Name is the name in site.json.
	Name() string

	// Ask returns the data to write instead of the proposed data, or nil to leave that
	// unchanged. An error refuses the write.
	Ask(ctx context.Context, p *Proposal) (json.RawMessage, error)
}

// Proposal is a write of one document that has not begun yet.
type Proposal struct {
	Action     store.Action
	Events     []string // what it does: of "create", "update", "publish", "unpublish" and "delete"
	Type       *schema.Type
	DocumentID string          // empty for a document without an id yet
	Locales    []string        // AllLocales alone for all; none for types that are not localized
	Actor      store.Actor     // who requests the write
	Data       json.RawMessage // the object that was sent, without passwords; nil if none was sent
}

// RefusedError is a write that a Hook, or the project's own code, refuses.
type RefusedError struct {
	Hook    string // its name; empty for code
	Name    string // of the error; empty for that of the status
	Status  int    // of HTTP, 400 to 499
	Message string
	Details json.RawMessage // an object; nil for none
}

func (e *RefusedError) Error() string { return e.Message }

// UnaskedError reports a write about which a Hook could not be asked, or gave an invalid
// answer. The write was not done.
type UnaskedError struct {
	Hook string // its name
	Busy bool   // too many requests are in progress already
	Err  error  // for operators
}

func (e *UnaskedError) Error() string {
	return fmt.Sprintf("the hook %q cannot be asked: %v", e.Hook, e.Err)
}

func (e *UnaskedError) Unwrap() error { return e.Err }

// OvertakenError reports a write whose document changed each time that a Hook was asked
// about it. The write was not done.
type OvertakenError struct {
	Type       string // uid
	DocumentID string
}

func (e *OvertakenError) Error() string {
	return fmt.Sprintf("%s %s was changed while a hook was asked about it", e.Type, e.DocumentID)
}

const (
	askings    = 3                // attempts of one write, if its document changes meanwhile
	longestAsk = 60 * time.Second // for all hooks of one write, or about several at once
)

// views are the documents that hooks were asked about, in the state at that time.
type views []seenVersion

type seenVersion struct {
	t          *schema.Type
	documentID string
	version    uint64
}

// ask asks about all writes, one after the other, at most until the deadline. It replaces
// their inputs with the answers.
func (w *Writer) ask(ctx context.Context, p Reservation, writes []Write, until time.Time) (seen views, err error) {
	if w.asker == nil || !slices.ContainsFunc(writes, w.hasHooks) {
		return nil, nil
	}
	if err := p.wait(); err != nil {
		return nil, err
	}
	a := &asking{writer: w, content: w.index().Snapshot(), made: map[store.Name]bool{}}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for i := range writes {
		err := a.ask(limited, &writes[i])
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(writes) > 1:
			return nil, &PartError{i, err}
		}
		return nil, err
	}
	return a.seen, stillMay(ctx)
}

// mayKey is the key of the function that While stores in a context.
type mayKey struct{}

// While returns a context for writes about which hooks are asked. After the answers, it
// calls may, and refuses the write with the error of may: meanwhile the caller may have
// lost the right to the write.
func While(ctx context.Context, may func() error) context.Context {
	return context.WithValue(ctx, mayKey{}, may)
}

func stillMay(ctx context.Context) error {
	if may, given := ctx.Value(mayKey{}).(func() error); given {
		return may()
	}
	return nil
}

// HasHooks reports whether somebody may be asked about writes of a type, which may take long.
func (w *Writer) HasHooks(t *schema.Type) bool { return w.asker != nil && len(w.asker.About(t)) > 0 }

func (w *Writer) hasHooks(one Write) bool { return one.about.t != nil && w.HasHooks(one.about.t) }

// asking holds what is known while hooks are asked about several writes.
type asking struct {
	writer  *Writer
	content *index.Snapshot
	made    map[store.Name]bool // created by the writes before
	seen    views
}

func (a *asking) ask(ctx context.Context, write *Write) error {
	if !a.writer.hasHooks(*write) {
		return nil
	}
	m := &write.about
	hooks, p := a.writer.asker.About(m.t), a.proposal(ctx, m)
	a.seen = append(a.seen, seenVersion{m.t, p.DocumentID, a.content.Version(m.t, p.DocumentID, true)})
	if write.sent == nil && write.request != nil {
		write.sent = write.request.Input
	}
	if write.sent != nil && write.sent.Sent().IsObject() {
		return a.askWithData(ctx, hooks, p, write)
	}
	for _, h := range hooks {
		data, err := h.Ask(ctx, p)
		if err == nil && data != nil {
			err = &UnaskedError{Hook: h.Name(), Err: errors.New("it returned data for a write that has none")}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askWithData asks about a write that has data. Each hook is asked about the result of the
// one before it. The input is decoded again in any case, because an earlier attempt has
// hashed its passwords.
func (a *asking) askWithData(ctx context.Context, hooks []Hook, p *Proposal, write *Write) error {
	site, value := a.writer.planner.site, write.sent.Sent()
	for _, h := range hooks {
		shown, _ := value.Shown(site, p.Type)
		p.Data = json.RawMessage(shown.JSON())
		data, err := h.Ask(ctx, p)
		if err == nil && data != nil {
			if value, err = value.Revised(site, p.Type, data); err != nil {
				err = &UnaskedError{Hook: h.Name(), Err: err}
			}
		}
		if err != nil {
			return err
		}
	}
	input, err := body.DecodeValue(site, p.Type, value, write.sent.Access())
	write.request.Input = input
	return err
}

// guard makes the writes fail with an *OvertakenError if a document has changed since hooks
// saw it. It checks this before the first write, which may change the documents of the
// others.
func (seen views) guard(plans []plan) []plan {
	if len(seen) == 0 {
		return plans
	}
	first := plans[0]
	plans[0] = func(op *operation) ([]Result, error) {
		if err := seen.overtaken(op.content); err != nil {
			return nil, err
		}
		return first(op)
	}
	return plans
}

// overtaken returns an *OvertakenError if a document is not as hooks saw it.
func (seen views) overtaken(now *index.Snapshot) error {
	for _, v := range seen {
		if now.Version(v.t, v.documentID, true) != v.version {
			return &OvertakenError{v.t.UID, v.documentID}
		}
	}
	return nil
}
