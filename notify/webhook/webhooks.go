package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"
	"time"

	"quire/content"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Webhooks has the hooks of one version of the site. Its methods may be called from any
// goroutine.
type Webhooks struct {
	db       *store.DB
	site     *schema.Site
	index    *index.Index
	writer   *content.Writer
	compiler *query.Compiler
	sender   *sender
	making   chan struct{} // holds a token for each payload in progress
	now      func() time.Time
}

// Options are what Webhooks need besides the site and its content. The zero value is ready
// to use.
type Options struct {
	Now      func() time.Time // time.Now by default
	Resolver *net.Resolver    // the system's by default
	Log      *slog.Logger     // for operators; discarded by default

	// Files signs the addresses of private files in payloads; nil signs none.
	Files query.Signer

	// Observe is called with the outcome of each delivery.
	Observe func(Outcome)
}

func (o Options) orDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Outcome) {}
	}
	return o
}

// New returns the hooks of a version of the site.
func New(db *store.DB, site *schema.Site, x *index.Index, w *content.Writer, o Options) *Webhooks {
	o = o.orDefaults()
	compiler := query.NewCompiler(site)
	compiler.SignWith(o.Files)
	return &Webhooks{
		db: db, site: site, index: x, writer: w, now: o.Now,
		compiler: compiler, making: make(chan struct{}, madeAtOnce), sender: newSender(site.Settings.Events, o.Resolver, o.Now),
	}
}

// NotFoundError: the hook or the delivery does not exist.
type NotFoundError struct{ What, Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %.100q", e.What, e.Name) }

// RefusedError reports an invalid hook, or an invalid change of one.
type RefusedError struct {
	Key     string // of the input, with a path; empty if it is about the whole
	Message string
}

func (e *RefusedError) Error() string {
	if e.Key == "" {
		return e.Message
	}
	return e.Key + ": " + e.Message
}

// ChangedError: the hook has changed since it was read.
type ChangedError struct{ ID string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the webhook %s has changed meanwhile", e.ID)
}

// List returns the hooks, ordered by name.
func (b *Webhooks) List() (hooks []*Hook, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		hooks, err = readHooks(tx, &b.site.Settings)
		return err
	})
	return hooks, err
}

// Hook returns the hook with that id, otherwise with that name; a *NotFoundError if there
// is none. If a hook in site.json and another one have the same name, it is a
// *RefusedError.
func (b *Webhooks) Hook(name string) (*Hook, error) {
	hooks, err := b.List()
	if err != nil {
		return nil, err
	}
	var found []*Hook
	for _, h := range hooks {
		if h.ID == name {
			return h, nil
		}
		if h.Name == name {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{"webhook", name}
	case 1:
		return found[0], nil
	}
	return nil, &RefusedError{Message: fmt.Sprintf("There are two webhooks %.100q; name one by its id, %s or %s", name, found[0].ID, found[1].ID)}
}

// Create stores a new hook, with a secret. It receives changes that are committed from then
// on. The error is a *RefusedError if there are too many hooks, or one with that name.
func (b *Webhooks) Create(ctx context.Context, w settings.Webhook) (*Hook, error) {
	now := b.now().UTC()
	h := &Hook{ID: newID(), Webhook: w, CreatedAt: now, UpdatedAt: now, Secret: newSecret()}
	err := b.writer.Record(ctx, func(tx *store.Tx) error {
		hooks, err := readHooks(tx, &b.site.Settings)
		if err != nil {
			return err
		}
		if n := len(hooks) - len(b.site.Settings.Webhooks); n >= settings.MaxWebhooks {
			return &RefusedError{Message: fmt.Sprintf("The site has %d webhooks, and cannot have more; delete some", n)}
		}
		return errors.Join(b.store(tx, h, hooks), h.note(ctx, tx, "webhook.create"))
	})
	return h, err
}

// Change stores a changed hook.
func (b *Webhooks) Change(ctx context.Context, was *Hook, w settings.Webhook) (*Hook, error) {
	if was.Managed {
		return nil, errManaged
	}
	h := *was
	h.Webhook, h.UpdatedAt = w, b.now().UTC()
	return &h, b.replace(ctx, was, &h, "webhook.update")
}

var errManaged = &RefusedError{Message: "The webhook is one of site.json; change it there"}

// Rotate gives a hook a new secret, and returns the hook with it. The former secret remains
// valid for signatures for a day.
func (b *Webhooks) Rotate(ctx context.Context, was *Hook) (*Hook, error) {
	h, now := *was, b.now().UTC()
	h.Former, h.FormerEnds = was.Secret, now.Add(formerLasts)
	h.Secret, h.UpdatedAt = newSecret(), now
	return &h, b.replace(ctx, was, &h, "webhook.rotate")
}

// replace stores h if the stored hook is was. It records the action in the audit log.
func (b *Webhooks) replace(ctx context.Context, was, h *Hook, action string) error {
	return b.writer.Record(ctx, func(tx *store.Tx) error {
		hooks, err := readHooks(tx, &b.site.Settings)
		if err != nil {
			return err
		}
		for _, stored := range hooks {
			if stored.ID == h.ID && reflect.DeepEqual(stored, was) {
				return errors.Join(b.store(tx, h, hooks), h.note(ctx, tx, action))
			}
		}
		return &ChangedError{h.ID}
	})
}

// store stores a hook in addition to the others.
func (b *Webhooks) store(tx *store.Tx, h *Hook, others []*Hook) error {
	for _, o := range others {
		if o.ID != h.ID && o.Name == h.Name {
			return &RefusedError{"name", fmt.Sprintf("there is a webhook %q already; choose another name", h.Name)}
		}
	}
	if err := h.put(tx); err != nil {
		return err
	}
	return h.follow(tx)
}

// Remove deletes a hook. Its waiting deliveries are not sent any more.
func (b *Webhooks) Remove(ctx context.Context, h *Hook) error {
	if h.Managed {
		return errManaged
	}
	return b.writer.Record(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteRecord(hooksBucket, h.ID); err != nil {
			return err
		}
		return errors.Join(tx.DeleteRecord(positionsBucket, h.ID), h.note(ctx, tx, "webhook.delete"))
	})
}

// Secret returns the secret of a hook. A hook of site.json gets its secret on first use.
func (b *Webhooks) Secret(ctx context.Context, h *Hook) (string, error) {
	if h.Secret != "" {
		return h.Secret, nil
	}
	if err := b.ensure(ctx); err != nil {
		return "", err
	}
	h, err := b.Hook(h.ID)
	if err != nil {
		return "", err
	}
	return h.Secret, nil
}

// ensure gives the hooks of site.json secrets and positions. Hooks that are disabled or no
// longer in site.json lose their positions; secrets stay, so that the receiver of a hook
// that returns can keep its secret.
func (b *Webhooks) ensure(ctx context.Context) error {
	due := false
	err := b.db.View(func(tx *store.Tx) (err error) {
		due, err = b.ensureIn(tx, false)
		return err
	})
	if err != nil || !due {
		return err
	}
	return b.writer.Record(ctx, func(tx *store.Tx) error {
		_, err := b.ensureIn(tx, true)
		return err
	})
}

// ensureIn reports whether ensure has something to do, and does it if do is set.
func (b *Webhooks) ensureIn(tx *store.Tx, do bool) (due bool, err error) {
	hooks, err := readHooks(tx, &b.site.Settings)
	if err != nil {
		return false, err
	}
	enabled := map[string]bool{}
	for _, h := range hooks {
		enabled[h.ID] = h.Enabled
		position, err := tx.Record(positionsBucket, h.ID)
		switch {
		case err != nil:
			return false, err
		case h.Secret != "" && (position != nil) == h.Enabled:
			continue
		case !do:
			return true, nil
		}
		if h.Secret == "" {
			now := b.now().UTC()
			h.Secret, h.CreatedAt, h.UpdatedAt = newSecret(), now, now
			if err := h.put(tx); err != nil {
				return false, err
			}
		}
		if err := h.follow(tx); err != nil {
			return false, err
		}
	}
	err = tx.Records(positionsBucket, func(id string, _ []byte) error {
		if enabled[id] {
			return nil
		}
		if due = true; !do {
			return nil
		}
		return tx.DeleteRecord(positionsBucket, id)
	})
	return due, err
}

// Trial is the result of a test of a hook.
type Trial struct {
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status,omitempty"` // of the response, if there was one
	Error     string `json:"error,omitempty"`
	Took      int64  `json:"milliseconds"`
}

// testEvent is Strapi's name for the event of a test.
const testEvent = "trigger-test"

// Test sends a hook a test event, once.
func (b *Webhooks) Test(ctx context.Context, h *Hook) (Trial, error) {
	if _, err := b.Secret(ctx, h); err != nil {
		return Trial{}, err
	}
	h, err := b.Hook(h.ID)
	if err != nil {
		return Trial{}, err
	}
	began := b.now()
	body := index.AppendTime([]byte(`{"event":"`+testEvent+`","createdAt":`), began.UnixMilli())
	status, err := b.sender.send(ctx, &message{
		id: "msg_" + h.ID + "_test_" + newID(), event: testEvent, url: h.URL, headers: h.Headers,
		secrets: h.secrets(began), body: append(body, '}'),
	})
	t := Trial{Delivered: err == nil, Status: status, Took: b.now().Sub(began).Milliseconds()}
	if err != nil {
		t.Error = err.Error()[:min(len(err.Error()), mostCause)]
	}
	return t, ctx.Err()
}

// Deliveries lists the deliveries that have not arrived at a hook, oldest first.
func (b *Webhooks) Deliveries(h *Hook) (all []Delivery, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		all, err = deliveries(tx, h)
		return err
	})
	return all, err
}

// resentAtOnce is the number of deliveries that are made due in one transaction.
const resentAtOnce = 500

// Resend makes one delivery of a hook due now, whether it waits, was set aside or has
// arrived recently; if id is empty, all that were set aside. It returns the number of
// deliveries; a *NotFoundError if the delivery does not exist.
func (b *Webhooks) Resend(ctx context.Context, h *Hook, id string) (n int, err error) {
	for {
		var found []store.Parcel
		err := b.db.View(func(tx *store.Tx) (err error) {
			found, err = toResend(tx, h, id)
			return err
		})
		switch {
		case err == nil && len(found) == 0 && id != "":
			return b.repeat(ctx, h, id)
		case err != nil || len(found) == 0:
			return n, err
		}
		err = b.writer.Record(ctx, func(tx *store.Tx) error {
			if err := resend(tx, found, b.now()); err != nil || n > 0 {
				return err
			}
			return h.note(ctx, tx, "webhook.resend")
		})
		if n += len(found); err != nil || id != "" {
			return n, err
		}
	}
}

// repeat sends a recently tried delivery that no longer waits.
func (b *Webhooks) repeat(ctx context.Context, h *Hook, id string) (n int, err error) {
	err = b.writer.Record(ctx, func(tx *store.Tx) error {
		list, err := triedOf(tx, h.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(t *tried) bool { return h.deliveryID(&t.Change) == id })
		if at < 0 {
			return &NotFoundError{"delivery", id}
		}
		c := &change{At: list[at].Change.At, Event: list[at].Change.Event}
		p, err := c.parcel(h.ID, 0, b.now())
		if err != nil {
			return err
		}
		n = 1
		return errors.Join(putBehind(tx, p), h.note(ctx, tx, "webhook.resend"))
	})
	return n, err
}

// toResend finds parcels to send again.
func toResend(tx *store.Tx, h *Hook, id string) (found []store.Parcel, err error) {
	kinds := []string{asideKind, kind}
	if id == "" {
		kinds = kinds[:1]
	}
	for _, k := range kinds {
		parcels, err := tx.ParcelsBelow(k, h.ID+"/")
		if err != nil {
			return nil, err
		}
		for _, p := range parcels {
			if d := h.delivery(&p); d != nil && (id == "" || d.ID == id) && len(found) < resentAtOnce {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

func resend(tx *store.Tx, parcels []store.Parcel, now time.Time) error {
	for i := range parcels {
		p, err := tx.Parcel(parcels[i].Kind, parcels[i].Key)
		if err != nil {
			return err
		}
		if p == nil || !bytes.Equal(p.Body, parcels[i].Body) {
			continue // it was sent meanwhile
		}
		if err := sendAgain(tx, p, now); err != nil {
			return err
		}
	}
	return nil
}

// Counts are how many deliveries wait or were set aside.
type Counts struct{ Waiting, SetAside int }

// CountOf counts the deliveries of a hook.
func (b *Webhooks) CountOf(h *Hook) (n Counts, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		if n.Waiting, err = tx.CountParcelsBelow(kind, h.ID+"/"); err == nil {
			n.SetAside, err = tx.CountParcelsBelow(asideKind, h.ID+"/")
		}
		return err
	})
	return n, err
}

// attempt sends a change to a hook once, and returns the status of the response, 0 for
// none. It does not send it if the hook no longer wants it: the hook may lead elsewhere
// now, to a receiver who may see less.
func (b *Webhooks) attempt(ctx context.Context, h *Hook, c *change) (status int, err error) {
	if !h.wants(b.site, &c.Event) {
		return 0, errUnwanted
	}
	body, err := b.payload(ctx, h, c)
	if err != nil {
		return 0, err
	}
	return b.sender.send(ctx, &message{
		id: h.deliveryID(c), event: eventName(c.Event.Type, c.Event.Action), url: h.URL, headers: h.Headers,
		secrets: h.secrets(b.now()), body: body,
	})
}

// Close closes idle connections.
func (b *Webhooks) Close() { b.sender.close() }

// removeOrphans removes a few parcels and attempts of hooks that no longer exist, and
// reports whether there may be more.
func (b *Webhooks) removeOrphans(ctx context.Context, hooks []*Hook) (more bool, err error) {
	known := map[string]bool{}
	for _, h := range hooks {
		known[h.ID] = true
	}
	type recordKey struct{ bucket, key string }
	var orphans []recordKey
	err = b.db.View(func(tx *store.Tx) error {
		for _, in := range []recordKey{{store.OutboxBucket, kind + "/"}, {store.OutboxBucket, asideKind + "/"}, {attemptsBucket, ""}} {
			err := tx.RecordsFrom(in.bucket, in.key, "", func(key string, _ []byte) bool {
				if !known[hookOf(strings.TrimPrefix(key, in.key))] {
					orphans = append(orphans, recordKey{in.bucket, key})
				}
				return len(orphans) < resentAtOnce
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(orphans) == 0 {
		return false, err
	}
	return len(orphans) >= resentAtOnce, b.writer.Record(ctx, func(tx *store.Tx) error {
		for _, o := range orphans {
			if err := tx.DeleteRecord(o.bucket, o.key); err != nil {
				return err
			}
		}
		return nil
	})
}
