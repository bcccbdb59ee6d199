package webhook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"quire/content/audit"
	"quire/content/event"
	"quire/query"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// The buckets of records.
const (
	hooksBucket     = "webhooks"          // by the id of the hook
	positionsBucket = "webhook-positions" // by the id of the hook: how far it has read the log; none while it is disabled
)

// Hook is a receiver of changes.
type Hook struct {
	ID string `json:"-"`
	settings.Webhook
	Managed bool `json:"-"` // in site.json, which has the Webhook

	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	Secret     string    `json:"secret"`
	Former     string    `json:"formerSecret,omitempty"` // also signs until FormerEnds
	FormerEnds time.Time `json:"formerEnds,omitzero"`
}

// managedPrefix begins the ids of the hooks of site.json. No other id has a 0.
const managedPrefix = "site0"

// managedID returns the id of the hook of site.json with this name.
func managedID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return managedPrefix + hex.EncodeToString(sum[:10])
}

// newID returns the id of a new hook: 24 letters and digits from 2 to 7.
func newID() string { return strings.ToLower(rand.Text()[:24]) }

// secrets returns the secrets that sign at a time.
func (h *Hook) secrets(now time.Time) []string {
	if h.Former != "" && now.Before(h.FormerEnds) {
		return []string{h.Secret, h.Former}
	}
	return []string{h.Secret}
}

// wants reports whether an event is sent to the hook: one that it may see, and asks for.
// Hooks see nothing private, so changes of roles are never sent, and those of users only if
// the hook names their type.
func (h *Hook) wants(site *schema.Site, e *event.Event) bool {
	switch {
	case !query.SeesEvent(site, h.shown(), e):
		return false
	case len(h.Types) > 0 && !slices.Contains(h.Types, e.Type):
		return false
	case len(h.Locales) > 0 && e.Locale != "" && !slices.Contains(h.Locales, e.Locale):
		return false
	}
	return len(h.Events) == 0 || slices.Contains(h.Events, eventName(e.Type, e.Action))
}

// eventName returns Strapi's name of an event.
func eventName(uid string, a store.Action) string {
	if uid == schema.FileUID {
		return "media." + a.String()
	}
	return "entry." + a.String()
}

// readHooks returns the hooks of a data file and those of site.json, by name. A hook of
// site.json that was never stored has no secret.
func readHooks(tx *store.Tx, s *settings.Settings) (hooks []*Hook, err error) {
	stored := map[string]*Hook{}
	err = tx.Records(hooksBucket, func(id string, value []byte) error {
		h, err := parseHook(id, value)
		if err != nil {
			return nil // Check reports it
		}
		if stored[id] = h; !strings.HasPrefix(id, managedPrefix) {
			hooks = append(hooks, h)
		}
		return nil
	})
	for _, w := range s.Webhooks {
		h := stored[managedID(w.Name)]
		if h == nil {
			h = &Hook{ID: managedID(w.Name)}
		}
		h.Webhook, h.Managed = w, true
		hooks = append(hooks, h)
	}
	slices.SortStableFunc(hooks, func(a, b *Hook) int { return strings.Compare(a.Name, b.Name) })
	return hooks, err
}

// readHook reads one hook; nil if it is neither stored nor in site.json, or cannot be read.
func readHook(tx *store.Tx, s *settings.Settings, id string) (*Hook, error) {
	value, err := tx.Record(hooksBucket, id)
	if err != nil || value == nil {
		return nil, err
	}
	h, err := parseHook(id, value)
	if err != nil {
		return nil, nil // Check reports it
	}
	if !strings.HasPrefix(id, managedPrefix) {
		return h, nil
	}
	i := slices.IndexFunc(s.Webhooks, func(w settings.Webhook) bool { return managedID(w.Name) == id })
	if i < 0 {
		return nil, nil
	}
	h.Webhook, h.Managed = s.Webhooks[i], true
	return h, nil
}

func parseHook(id string, value []byte) (*Hook, error) {
	h := &Hook{ID: id}
	if err := json.Unmarshal(value, h); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if h.Secret == "" {
		return nil, fmt.Errorf("it has no secret")
	}
	return h, nil
}

// put stores a hook. For a hook of site.json it stores only what site.json does not have.
func (h *Hook) put(tx *store.Tx) error {
	record := *h
	if h.Managed {
		record.Webhook = settings.Webhook{Name: h.Name} // for display
	}
	return tx.PutJSON(hooksBucket, h.ID, record)
}

// follow gives an enabled hook without a position the position after this commit, and
// removes the position of a disabled one.
func (h *Hook) follow(tx *store.Tx) error {
	former, err := tx.Record(positionsBucket, h.ID)
	switch {
	case err != nil:
		return err
	case !h.Enabled:
		return tx.DeleteRecord(positionsBucket, h.ID)
	case former != nil:
		return nil
	}
	return tx.PutRecord(positionsBucket, h.ID, []byte(event.Position{Revision: tx.Revision()}.String()))
}

// HeaderNames returns the names of the additional headers, sorted. Their values are shown
// to nobody: they may be secret.
func (h *Hook) HeaderNames() []string { return slices.Sorted(maps.Keys(h.Headers)) }

// note records a change of a hook in the audit log, without its address, which may contain
// a secret.
func (h *Hook) note(ctx context.Context, tx *store.Tx, action string) error {
	return audit.Note(tx, audit.Of(ctx), audit.Event{Action: action, Target: audit.Target{Type: "webhook", ID: h.ID, Name: h.Name}})
}
