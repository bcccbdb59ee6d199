package audit

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"quire/store"
)

// Follow also writes each stored line to the log for operators. Call stop before db is
// closed.
func Follow(db *store.DB, log *slog.Logger) (stop func()) {
	return db.Subscribe(func(c store.Commit) {
		for _, e := range Noted(c) {
			level := slog.LevelInfo
			if e.Outcome == Refused {
				level = slog.LevelWarn
			}
			log.LogAttrs(context.Background(), level, "audit", e.attributes()...)
		}
	})
}

// attributes returns a line in the form of the log for operators.
func (e *Event) attributes() []slog.Attr {
	list := []slog.Attr{slog.Uint64("number", e.Number), slog.String("action", e.Action), slog.String("outcome", string(e.Outcome)), slog.String("by", e.By.logged()), slog.String("way", string(e.Way))}
	if e.From != "" {
		list = append(list, slog.String("from", e.From))
	}
	if target := e.Target.logged(); target != "" {
		list = append(list, slog.String("target", target))
	}
	var details []any
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		details = append(details, slog.String(name, e.Details[name]))
	}
	return append(list, slog.Group("details", details...))
}

// logged is String without the name of a user of the site, which is private.
func (w Who) logged() string {
	if w.Kind == store.ByUser {
		w.Name = ""
	}
	return w.String()
}

// logged is String without the name of a user of the site.
func (t Target) logged() string {
	if t.Type == "user" {
		t.Name = ""
	}
	return t.String()
}

// String names the actor in one line: "admin ada@example.com".
func (w Who) String() string { return joined(w.Kind, orElse(w.Name, w.ID)) }

// String names the target in one line: "account ada@example.com".
func (t Target) String() string { return joined(t.Type, orElse(t.Name, t.ID), t.Locale) }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
}
