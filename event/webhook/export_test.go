package webhook

import (
	"context"
	"encoding/json"

	"quire/event"
	"quire/schema/settings"
	"quire/schema/source"
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
func (b *Book) TakePlaces() {
	for range madeAtOnce {
		b.making <- struct{}{}
	}
}

// MakePayload makes the payload of a change of an entry of a type.
func (b *Book) MakePayload(ctx context.Context, uid string) error {
	_, err := b.payload(ctx, &Hook{}, &change{Event: event.Event{Type: uid}})
	return err
}
