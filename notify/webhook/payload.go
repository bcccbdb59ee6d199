package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"quire/content/history"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Limits of one payload.
const (
	mostBody      = 1 << 20  // bytes; the entry of a larger one is left out except for its ids
	mostMemory    = 16 << 20 // bytes while it is made
	longestMaking = 5 * time.Second
	madeAtOnce    = 4 // payloads, of all webhooks
)

// shown is what payloads show: all types except roles, without private attributes; users
// only if the hook names their type.
type shown struct {
	schema.Unlimited
	users bool
}

func (s shown) Allows(t *schema.Type, _ schema.Action) bool {
	return t.UID != schema.RoleUID && t.UID != schema.FolderUID && (s.users || t.UID != schema.UserUID)
}

// payload returns the body in which a change is sent, in Strapi's form.
func (b *Webhooks) payload(ctx context.Context, h *Hook, c *change) ([]byte, error) {
	t := b.site.Type(c.Event.Type)
	if t == nil {
		return nil, errUnwanted
	}
	head := index.AppendString([]byte(`{"event":`), eventName(t.UID, c.Event.Action))
	head = index.AppendTime(append(head, `,"createdAt":`...), c.At.UnixMilli())
	member := `,"media":`
	if t.UID != schema.FileUID {
		head = index.AppendString(append(head, `,"model":`...), t.Singular)
		head = index.AppendString(append(head, `,"uid":`...), t.UID)
		member = `,"entry":`
	}
	head = append(head, member...)
	body, err := b.appendEntry(ctx, head[:len(head):len(head)], h, t, c)
	if errors.Is(err, errLarge) || err == nil && len(body) >= mostBody {
		return append(appendIDs(head, c, `,"tooLarge":true`), '}'), nil
	}
	return append(body, '}'), err
}

// errUnwanted: the webhook no longer asks for the change, or the site no longer has its
// type, so there is nothing to send.
var errUnwanted = errors.New("the webhook no longer asks for this change")

// appendEntry appends the entry as the change left it: from the content in memory if that
// shows it or nothing else is known; otherwise the version in the history; and only its ids
// if it was removed without a trace.
func (b *Webhooks) appendEntry(ctx context.Context, dst []byte, h *Hook, t *schema.Type, c *change) ([]byte, error) {
	e := &c.Event
	k := store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}
	select {
	case b.making <- struct{}{}:
		defer func() { <-b.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, longestMaking)
	defer cancel()
	s, sees := b.index.Snapshot(), h.shown()
	former, err := b.former(ctx, s, t, k, c)
	if err != nil {
		return nil, err
	}
	if former != nil {
		return b.compiler.Viewer(sees, s).View(t, former).Append(dst), nil
	}
	var parameters *params.Node
	parameters = parameters.WithText("populate", "*")
	q, err := b.compiler.Compile(t, parameters, sees, query.Options{Draft: k.Status == store.Draft && t.DraftAndPublish, Write: true})
	if err != nil {
		return nil, err
	}
	q.Guard(bound{ctx}, query.Unlimited)
	body, found, err := q.AppendBareEntry(ctx, s, k, dst)
	if err != nil || found && !isRemoval(e.Action) {
		return body, err
	}
	return appendIDs(dst, c, ""), nil
}

func isRemoval(a store.Action) bool { return a == store.ActionDelete || a == store.ActionUnpublish }

// shown returns what the payloads of a hook show.
func (h *Hook) shown() shown { return shown{users: slices.Contains(h.Types, schema.UserUID)} }

// former returns the entry after the change, or before it was removed; nil if that is what
// the snapshot shows, or is not kept.
func (b *Webhooks) former(ctx context.Context, s *index.Snapshot, t *schema.Type, k store.Key, c *change) (former *store.Entry, err error) {
	onTime := func() error { return ctx.Err() }
	err = b.db.View(func(tx *store.Tx) error {
		if isRemoval(c.Event.Action) {
			version, err := history.RemovedBy(tx, t.UID, k, c.Event.Version)
			if err == nil && version != 0 {
				former, err = history.Read(tx, t.UID, k, version, onTime)
			}
			return err
		}
		left, err := history.At(tx, t.UID, k, c.Event.Version, onTime)
		if err != nil || left == nil || left.ID != c.Event.ID {
			return err
		}
		if tb, row, shown := s.Find(t, k); !shown || tb.Entry(row).Version != left.Stamp.Version {
			former = left
		}
		return nil
	})
	if errors.As(err, new(*history.UnreadableError)) {
		return nil, nil
	}
	return former, err
}

// appendIDs appends what is known of every entry.
func appendIDs(dst []byte, c *change, more string) []byte {
	ids, _ := json.Marshal(struct {
		ID         uint64 `json:"id"`
		DocumentID string `json:"documentId"`
		Locale     string `json:"locale,omitempty"`
	}{c.Event.ID, c.Event.DocumentID, c.Event.Locale})
	return append(append(dst, ids...), more...)
}

// bound is the host of the query of a payload.
type bound struct{ ctx context.Context }

// errLarge: the payload would take too much memory.
var errLarge = errors.New("the entry is too large to be sent")

func (bound) Enter(context.Context) error { return nil }

func (bound) Reserve(bytes int) error {
	if bytes > mostMemory {
		return errLarge
	}
	return nil
}

func (b bound) OnTime() error { return b.ctx.Err() }
