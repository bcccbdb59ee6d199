package live

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"quire/content/event"
	"quire/index"
	"quire/query"
	"quire/store"
)

// commitPart is what a group receives of a commit, or of a part of it, as it is sent.
type commitPart struct {
	hub      *Hub
	revision uint64
	from     int // number of visible events before it
	next     int // number of visible events up to its end; 0 for all
	events   int // number of events in the text
	text     []byte
	shown    uint64 // the revision of the content that it shows; 0 if it shows none
	uses     atomic.Int64
}

const (
	partBytes  = 64 << 10 // size from which a part is full
	heldBytes  = 64 << 20 // size of all parts from which entries are left out
	entryBytes = 1 << 20  // maximum size of an entry in an event
	entryTime  = time.Second
)

// isFresh reports whether the part shows the current content.
func (p *commitPart) isFresh() bool {
	return p.shown == 0 || p.shown == p.hub.Index.Snapshot().Revision()
}

// release releases the part; its memory is free when all users have released it.
func (p *commitPart) release() {
	if p.uses.Add(-1) == 0 {
		p.hub.held.Add(-int64(cap(p.text)))
	}
}

// encode makes a part for one user. The caller holds g.mu.
func (g *group) encode(c *event.Commit, from int) *commitPart {
	p := &commitPart{hub: g.hub, revision: c.Revision, from: from}
	p.uses.Store(1)
	seen := g.visible(c)
	e := encoder{group: g, part: p, at: c.At, s: g.hub.Index.Snapshot()}
	for i := from; i < len(seen); i++ {
		if len(p.text) >= partBytes {
			p.next = i
			break
		}
		if ev := seen[i]; g.subscription.takes(g.hub.Site, ev) {
			at := event.Position{Revision: c.Revision, Index: i + 1}
			if i == len(seen)-1 {
				at.Index = 0
			}
			e.append(at, ev)
		}
	}
	g.hub.held.Add(int64(cap(p.text)))
	return p
}

// visible returns the events of a commit that the group may see. Positions within the
// commit count only these, so that they reveal no others.
func (g *group) visible(c *event.Commit) []*event.Event {
	seen := make([]*event.Event, 0, len(c.Events))
	for i := range c.Events {
		if g.sees(&c.Events[i]) {
			seen = append(seen, &c.Events[i])
		}
	}
	return seen
}

// encoder writes the events of a part.
type encoder struct {
	group *group
	part  *commitPart
	at    time.Time
	s     *index.Snapshot
	due   time.Time // deadline of the current query
}

// append adds an event that ends at a position.
func (e *encoder) append(at event.Position, ev *event.Event) {
	p := e.part
	p.events++
	dst := p.text
	if name := e.group.subscription.Name; name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	dst = append(append(append(dst, "id: "...), at.String()...), "\ndata: "...)
	from := len(dst)
	if form := e.group.subscription.Form; form != nil {
		dst = form.Data(dst, e.at, ev, func(dst []byte, ask Ask) ([]byte, bool, bool) { return e.current(dst, ev, ask) })
	} else {
		dst = e.data(dst, ev)
	}
	for i := from; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' {
			dst[i] = ' ' // between the values of a json attribute; in texts they are escaped
		}
	}
	p.text = append(dst, "\n\n"...)
}

// data appends the data of an event.
func (e *encoder) data(dst []byte, ev *event.Event) []byte {
	dst = strconv.AppendUint(append(dst, `{"revision":`...), e.part.revision, 10)
	dst = index.AppendTime(append(dst, `,"at":`...), e.at.UnixMilli())
	dst = index.AppendString(append(dst, `,"action":`...), ev.Action.String())
	dst = index.AppendString(append(dst, `,"type":`...), ev.Type)
	dst = index.AppendString(append(dst, `,"documentId":`...), ev.DocumentID)
	dst = append(dst, `,"locale":`...)
	if ev.Locale == "" {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendString(dst, ev.Locale)
	}
	dst = index.AppendString(append(dst, `,"status":`...), ev.Status.String())
	if hub := e.group.hub; query.SeesActor(hub.Site, e.group.caller, ev) {
		e.part.shown = e.s.Revision() // the name of a user
		dst = hub.Actor(append(dst, `,"actor":`...), e.group.caller, ev.By)
	}
	if e.group.subscription.Entry != nil && ev.Action != store.ActionDelete && ev.Action != store.ActionUnpublish {
		dst = e.entry(dst, ev)
	}
	return append(dst, '}')
}

// entry adds the current entry of an event. If it is too large, the client has to read it.
func (e *encoder) entry(dst []byte, ev *event.Event) []byte {
	dst, found, omitted := e.current(append(dst, `,"entry":`...), ev, e.group.subscription.Entry)
	switch {
	case omitted:
		return append(dst, `null,"entryOmitted":true`...)
	case !found:
		return append(dst, "null"...)
	}
	return dst
}

// current appends the current entry of an event, when there is a place to work. It appends
// nothing if there is none, or if it takes too much.
func (e *encoder) current(dst []byte, ev *event.Event, ask Ask) (_ []byte, found, omitted bool) {
	h, before := e.group.hub, len(dst)
	e.part.shown = e.s.Revision()
	h.work <- struct{}{}
	defer func() { <-h.work }()
	e.due = time.Now().Add(entryTime)
	dst, found, err := ask(e, e.s, ev, dst)
	if omitted = err != nil || len(dst)-before > entryBytes || h.held.Load()+int64(len(dst)) > heldBytes; omitted || !found {
		dst = dst[:before]
	}
	return dst, found, omitted
}

// errTooMuch leaves an entry out.
var errTooMuch = errors.New("the entry takes too much for a stream")

// OnTime implements query.Host.
func (e *encoder) OnTime() error {
	if time.Now().After(e.due) {
		return fmt.Errorf("%w: time", errTooMuch)
	}
	return nil
}

// Enter implements query.Host. Heavy queries have slots of their own, which streams do not
// take.
func (e *encoder) Enter(context.Context) error { return fmt.Errorf("%w: work", errTooMuch) }

// Reserve implements query.Host.
func (e *encoder) Reserve(bytes int) error {
	if bytes > 4*entryBytes {
		return fmt.Errorf("%w: memory", errTooMuch)
	}
	return nil
}
