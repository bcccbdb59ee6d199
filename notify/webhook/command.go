package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Info describes a hook for commands.
type Info struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	URL      string    `json:"url"`
	Events   []string  `json:"events"`  // empty for all
	Types    []string  `json:"types"`   // empty for all but users
	Locales  []string  `json:"locales"` // empty for all
	Headers  []string  `json:"headers"` // their names
	Enabled  bool      `json:"enabled"`
	Managed  bool      `json:"managed"` // by site.json
	Waiting  int       `json:"waiting"`
	SetAside int       `json:"setAside"`
	Created  time.Time `json:"createdAt,omitzero"`
}

// Target names a hook, by id or name, and for some commands one of its deliveries.
type Target struct {
	Hook     string `json:"hook"`
	Delivery string `json:"delivery,omitempty"` // empty for all that were set aside
	Rotate   bool   `json:"rotate,omitempty"`
}

// Do runs a command by its name: "webhook list", "webhook test", "webhook deliveries",
// "webhook resend" or "webhook secret". args and the result are JSON.
func (b *Webhooks) Do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	var to Target
	if err := json.Unmarshal(args, &to); err != nil {
		return nil, fmt.Errorf("the arguments of the command cannot be read: %w", err)
	}
	if name == "webhook list" {
		return b.infos()
	}
	h, err := b.Hook(to.Hook)
	if err != nil {
		return nil, err
	}
	switch name {
	case "webhook test":
		return b.Test(ctx, h)
	case "webhook deliveries":
		return b.Deliveries(h)
	case "webhook resend":
		return b.Resend(ctx, h, to.Delivery)
	case "webhook secret":
		if secret, err := b.Secret(ctx, h); err != nil || !to.Rotate {
			return secret, err
		}
		if h, err = b.Hook(h.ID); err == nil {
			h, err = b.Rotate(ctx, h)
		}
		if err != nil {
			return nil, err
		}
		return h.Secret, nil
	}
	return nil, errors.New("there is no command " + name)
}

// infos lists the hooks with the number of waiting deliveries.
func (b *Webhooks) infos() ([]Info, error) {
	hooks, err := b.List()
	if err != nil {
		return nil, err
	}
	infos := []Info{}
	for _, h := range hooks {
		n, err := b.CountOf(h)
		if err != nil {
			return nil, err
		}
		infos = append(infos, Info{
			ID: h.ID, Name: h.Name, URL: h.URL, Events: h.Events, Types: h.Types, Locales: h.Locales, Headers: h.HeaderNames(),
			Enabled: h.Enabled, Managed: h.Managed, Waiting: n.Waiting, SetAside: n.SetAside, Created: h.CreatedAt,
		})
	}
	return infos, nil
}
