package hook

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"quire/content"
	"quire/notify/webhook"
	"quire/schema"
	"quire/schema/settings"
)

// The calls of a site that may be under way, and those of one hook.
const (
	mostCalls = 128
	mostOfOne = mostCalls / 2
)

// Options are what Hooks need besides the site.
type Options struct {
	// Secrets sign each call; see webhook.ParseSecret.
	Secrets []string

	Log *slog.Logger     // for operators; discarded by default
	Now func() time.Time // time.Now by default

	// Observe is called for each call with its result, one of Outcomes, and its duration.
	Observe func(hook, outcome string, took time.Duration)
}

// Outcomes are the results of calls.
var Outcomes = []string{"allowed", "changed", "refused", "failed", "busy"}

// Hooks are the hooks of one version of the site. They are safe for use by many goroutines.
type Hooks struct {
	all    []*hook
	byType map[*schema.Type][]content.Hook
}

// New returns the hooks in site.json, nil if there are none.
func New(site *schema.Site, o Options) *Hooks {
	if len(site.Settings.Hooks) == 0 {
		return nil
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Observe == nil {
		o.Observe = func(string, string, time.Duration) {}
	}
	h := &Hooks{byType: map[*schema.Type][]content.Hook{}}
	all := &callSlots{free: mostCalls}
	for _, s := range site.Settings.Hooks {
		one := &hook{Hook: s, options: o, places: all, client: client(&site.Settings, s), most: site.Settings.Limits.BodyBytes}
		h.all = append(h.all, one)
		for t := range site.Served() {
			if !t.BuiltIn && (len(s.Types) == 0 || slices.Contains(s.Types, t.UID)) {
				h.byType[t] = append(h.byType[t], one)
			}
		}
	}
	return h
}

// client returns the HTTP client of a hook, limited to its allowed addresses.
func client(s *settings.Settings, h settings.Hook) *http.Client {
	transport := webhook.NewTransport(s.Events.Beside(h.URL), nil, h.Timeout)
	transport.MaxIdleConnsPerHost, transport.MaxConnsPerHost = mostOfOne, mostOfOne
	return &http.Client{
		Timeout:       h.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     transport,
	}
}

// About returns the hooks of a type, in the order of site.json.
func (h *Hooks) About(t *schema.Type) []content.Hook { return h.byType[t] }

// Close closes idle connections.
func (h *Hooks) Close() {
	if h == nil {
		return
	}
	for _, one := range h.all {
		one.client.CloseIdleConnections()
	}
}

// callSlots are those of the calls that may be under way. A hook takes at most as many as it
// leaves to the others, so that those are asked even if it takes long to answer.
type callSlots struct {
	mu   sync.Mutex
	free int
}

// take takes a place for a hook that has taken some, and reports whether there is one.
func (p *callSlots) take(taken *int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *taken >= p.free {
		return false
	}
	*taken++
	p.free--
	return true
}

// leave gives a place back.
func (p *callSlots) leave(taken *int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*taken--
	p.free++
}
