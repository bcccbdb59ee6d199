package settings

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/schema/source"
)

// Hook is one of site.json's "hooks": a process that is called before content is written.
type Hook struct {
	Name    string
	URL     string
	Events  []string      // of HookEvents; empty for all
	Types   []string      // uids of the site's own types; empty for all of them
	Timeout time.Duration // of one call
}

// HookEvents are the events before which a hook can be called.
var HookEvents = []string{"create", "update", "publish", "unpublish", "delete"}

const (
	mostHooks          = 20
	defaultHookTimeout = 5 // seconds
	longestHookTimeout = 30
)

// readHooks reads "hooks": [{"name", "url", "types", "events", "timeout"}].
func (s *Settings) readHooks(config source.Object, known Types) {
	readNamed(config, "hook", mostHooks, "remove some; one process can answer for several types", func(o source.Object) string {
		h := s.readHook(o, known)
		s.Hooks = append(s.Hooks, h)
		return h.Name
	})
}

// readNamed reads the list of hooks or the like: at most that many objects, each with a name
// of its own, which read returns.
func readNamed(config source.Object, kind string, most int, fix string, read func(source.Object) (name string)) {
	names := map[string]bool{}
	for _, item := range itemsAt(config, kind+"s", kind+"s", most, fix) {
		o, ok := item.Object()
		if !ok {
			continue
		}
		name := read(o)
		if names[name] {
			o.RefuseAt("name", fmt.Sprintf("another %s is called %q, too", kind, name), "choose another name")
		}
		names[name] = true
	}
}

// itemsAt returns the elements of the list at a key; none if there are more than most.
func itemsAt(o source.Object, key, what string, most int, fix string) []source.Value {
	v, ok := o.Get(key)
	if !ok {
		return nil
	}
	items, _ := v.List()
	if len(items) > most {
		v.Refuse(fmt.Sprintf("has %d %s, more than %d", len(items), what, most), fix)
		return nil
	}
	return items
}

// checkName reports a name that people cannot read.
func checkName(o source.Object, name, example string) {
	if name == "" || utf8.RuneCountInString(name) > longestName || strings.ContainsFunc(name, unicode.IsControl) {
		o.RefuseAt("name", "must be a text of 1 to 100 characters", fmt.Sprintf("write a name such as %q", example))
	}
}

func (s *Settings) readHook(o source.Object, known Types) (h Hook) {
	o.Only("name", "url", "types", "events", "timeout")
	h.Name = o.Text("name")
	checkName(o, h.Name, "prices")
	h.URL = o.Text("url")
	if why := s.Events.beside(h.URL).checkReceiver(h.URL); why != "" {
		o.RefuseAt("url", why, `write a whole address, such as "http://127.0.0.1:4000/hooks"; name one of a private network in events.allowPrivate, too`)
	}
	if v, ok := o.Get("events"); ok {
		h.Events = readNames(v, func(w source.Word) bool {
			return oneOf(w, slices.Contains(HookEvents, w.Text), "an event of hooks", "the events are "+strings.Join(HookEvents, ", "))
		})
	}
	if v, ok := o.Get("types"); ok {
		h.Types = readNames(v, func(w source.Word) bool {
			return known.Exists(source.Member{Key: w.Text, Value: w.Value}) &&
				oneOf(w, strings.HasPrefix(w.Text, "api::"), "a type with hooks", "name a content type of the site; users, roles and files have no hooks")
		})
	}
	seconds := o.Whole("timeout", 1, defaultHookTimeout)
	if seconds > longestHookTimeout {
		o.RefuseAt("timeout", fmt.Sprintf("is longer than %d seconds", longestHookTimeout), "lower it; whoever writes waits that long")
	}
	h.Timeout = time.Duration(seconds) * time.Second
	return h
}

// Beside returns the rules for the address of a process in site.json: those of webhooks,
// and in addition this machine if the address names it. A name that resolves to this
// machine is not enough.
func (e *Events) Beside(address string) Events { return *e.beside(address) }

func (e *Events) beside(address string) *Events {
	u, err := url.Parse(address)
	if err != nil {
		return e
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	literal, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !literal.Unmap().IsLoopback()) {
		return e
	}
	wider := *e
	wider.AllowPrivate = append(slices.Clone(e.AllowPrivate), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	return &wider
}
