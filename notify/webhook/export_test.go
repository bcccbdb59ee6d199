package webhook

import (
	"context"
	"encoding/json"
	"time"

	"quire/content/event"
	"quire/schema/settings"
	"quire/schema/source"
	"quire/store"
)

// checkURL says what is wrong with the address of a webhook; empty for nothing.
func checkURL(text string, allowed settings.Events) string {
	body, _ := json.Marshal(map[string]string{"name": "a", "url": text})
	problems := &source.Problems{}
	o, _ := source.Parse("hook", body, problems)
	s := settings.Settings{Events: allowed}
	s.ReadWebhook(o, settings.Webhook{}, settings.Types{})
	if len(problems.List) > 0 {
		return problems.List[0].Message
	}
	return ""
}

// WakeAll has what is due tried.
func (s *Service) WakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aside.Wake()
	for _, r := range s.runners {
		r.box.Wake()
		r.wake()
	}
}

// TakePlaces takes all places in which payloads are made.
func (b *Webhooks) TakePlaces() {
	for range madeAtOnce {
		b.making <- struct{}{}
	}
}

// MakePayload makes the payload of a change of an entry of a type.
func (b *Webhooks) MakePayload(ctx context.Context, uid string) error {
	_, err := b.payload(ctx, &Hook{}, &change{Event: event.Event{Type: uid}})
	return err
}

// PayloadOf makes the payload of a change.
func (b *Webhooks) PayloadOf(ctx context.Context, e event.Event) ([]byte, error) {
	return b.payload(ctx, &Hook{}, &change{Event: e})
}

// Keep stores so many attempts of a hook, as Run does once a second.
func Keep(tx *store.Tx, hook string, n int) error {
	list := make([]*tried, n)
	for i := range list {
		e := event.Event{Position: event.Position{Revision: uint64(i)}, Type: "api::restaurant.restaurant", DocumentID: "jvufbrfma1zayexlazilshor", Locale: "en", Action: store.ActionPublish}
		list[i] = &tried{Change: change{At: time.Now(), Event: e}, Began: time.Now(), Took: time.Millisecond, Try: 1, Answer: 204}
	}
	return putTried(tx, hook, list)
}

// PutPosition stores how far a hook has come.
func PutPosition(tx *store.Tx, hook string, at event.Position) error {
	return tx.PutRecord(positionsBucket, hook, []byte(at.String()))
}
