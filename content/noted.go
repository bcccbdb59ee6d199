package content

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"quire/content/audit"
	"quire/schema"
	"quire/store"
)

// A write notes in the audit log, in its own transaction, each document that an account
// of the admin or one of its assistants writes, and each change of what users of the site may do, whoever makes
// the change.

// source returns on whose behalf a write is noted.
func source(ctx context.Context) *audit.Source {
	if by := audit.Of(ctx); by != nil {
		return by
	}
	if actor := authorOf(ctx); actor != "" {
		return &audit.Source{By: actor, Way: audit.ByServer}
	}
	return nil
}

// note notes an operation that has been applied.
func (op *operation) note(ctx context.Context) error {
	by, noted := source(ctx), map[documentName]bool{}
	for _, c := range op.changes {
		for _, e := range accessEvents(c) {
			noted[documentName{c.Type, keyOf(c).DocumentID}] = true
			if err := audit.Note(op.tx, by, e); err != nil {
				return err
			}
		}
	}
	if by == nil || by.Way != audit.ByAdmin && by.Way != audit.ByMCP {
		return nil
	}
	for i, e := range op.events {
		name := documentName{e.Type, e.DocumentID}
		action, requested := op.subjects[name]
		if !requested || noted[name] {
			continue
		}
		noted[name] = true
		target := audit.Target{Type: e.Type, ID: e.DocumentID, Locale: strings.Join(op.localesFrom(i), " ")}
		if err := audit.Note(op.tx, by, audit.Event{Action: "content." + action.String(), Target: target}); err != nil {
			return err
		}
	}
	return nil
}

// localesFrom lists the locales in which a document was changed, from the event with that
// index on.
func (op *operation) localesFrom(first int) (locales []string) {
	of := op.events[first]
	for _, e := range op.events[first:] {
		if e.Type == of.Type && e.DocumentID == of.DocumentID && e.Locale != "" && !slices.Contains(locales, e.Locale) {
			locales = append(locales, e.Locale)
		}
	}
	slices.Sort(locales)
	return locales
}

// keyOf returns the key of the entry that a change is about.
func keyOf(c store.Change) store.Key {
	if c.After != nil {
		return c.After.Key()
	}
	return c.Before.Key()
}

// accessEvents returns the events for a change of an entry that affects what users may
// do.
func accessEvents(c store.Change) []audit.Event {
	switch {
	case c.Before == c.After:
		return nil
	case c.Type == schema.UserUID:
		return userEvents(c)
	case c.Type == schema.RoleUID:
		return roleEvents(c)
	}
	return nil
}

// userEvents returns the events for a change of a user that affects access; none for
// other changes.
func userEvents(c store.Change) (events []audit.Event) {
	add := func(action string, e *store.Entry, details map[string]string) {
		events = append(events, audit.Event{Action: action, Target: audit.Target{Type: "user", ID: e.DocumentID, Name: e.Value("username").Text}, Details: details})
	}
	before, after := c.Before, c.After
	switch {
	case after == nil:
		add("user.delete", before, nil)
		return events
	case before == nil:
		add("user.create", after, map[string]string{"role": targetOf(after, "role")})
		return events
	}
	if was, is := targetOf(before, "role"), targetOf(after, "role"); was != is {
		add("user.role", after, map[string]string{"from": was, "to": is})
	}
	for name, actions := range map[string][2]string{userBlocked: {"user.unblock", "user.block"}, userConfirmed: {"user.unconfirm", "user.confirm"}} {
		if was, is := isTrue(before, name), isTrue(after, name); is && !was {
			add(actions[1], after, nil)
		} else if was && !is {
			add(actions[0], after, nil)
		}
	}
	ended := !before.Value(userEpoch).Equal(after.Value(userEpoch))
	switch {
	case ended && !before.Value("password").Equal(after.Value("password")):
		add("user.password", after, nil)
	case !before.Value("resetPasswordToken").Equal(after.Value("resetPasswordToken")) && !after.Value("resetPasswordToken").IsEmpty():
		add("user.reset-link", after, nil)
	case ended && len(events) == 0:
		add("user.sign-out", after, nil)
	}
	return events
}

func targetOf(e *store.Entry, name string) string {
	if edges := e.Value(name).Edges; len(edges) > 0 {
		return edges[0].Target
	}
	return ""
}

// roleEvents returns the event for a change of a role, with the permissions that it gains
// and loses; none if nothing changes that the event would show.
func roleEvents(c store.Change) []audit.Event {
	before, after, e, action := permissionsOf(c.Before), permissionsOf(c.After), c.After, "role.update"
	switch {
	case after == nil:
		e, action = c.Before, "role.delete"
	case c.Before == nil:
		action = "role.create"
	case slices.Equal(before, after) && c.Before.Value("type").Equal(e.Value("type")) && c.Before.Value("name").Equal(e.Value("name")):
		return nil // only its users or its description have changed
	}
	lacking := func(list, other []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(list), func(p string) bool { return slices.Contains(other, p) }), " ")
	}
	return []audit.Event{{
		Action: action, Target: audit.Target{Type: "role", ID: e.DocumentID, Name: e.Value("type").Text},
		Details: map[string]string{"added": lacking(after, before), "removed": lacking(before, after)},
	}}
}

// permissionsOf returns the permissions that are stored with a role; nil for no role.
func permissionsOf(e *store.Entry) []string {
	if e == nil {
		return nil
	}
	list := []string{}
	_ = json.Unmarshal([]byte(e.Value("permissions").Text), &list) // unreadable permissions allow nothing
	return list
}
