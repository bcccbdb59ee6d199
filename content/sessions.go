package content

import (
	"quire/schema"
	"quire/store"
)

// The attributes of users that decide about their sessions.
const (
	userEpoch     = "sessionEpoch"
	userBlocked   = "blocked"
	userConfirmed = "confirmed"
)

// EndSessions ends the sessions of a user whom a change shuts out, by beginning
// another epoch. It goes by what is stored before and after, so that it does not
// matter which way the change came, nor how the body put it. An epoch that the
// change itself begins stays.
func EndSessions(t *schema.Type, before, after *store.Entry) {
	if t.UID != schema.UserUID || after == nil || !shutsOut(before, after) {
		return
	}
	after.Fields = after.Fields.With(userEpoch, store.Value{Kind: store.Text, Text: NewDocumentID()})
}

// shutsOut reports whether a change blocks a user or takes the confirmation away,
// or puts another password or provider in place of the one that the user came in by.
func shutsOut(before, after *store.Entry) bool {
	if before == nil {
		return isTrue(after, userBlocked)
	}
	differs := func(name string) bool { return !before.Value(name).Equal(after.Value(name)) }
	if differs(userEpoch) {
		return false
	}
	return isTrue(after, userBlocked) && !isTrue(before, userBlocked) ||
		isTrue(before, userConfirmed) && !isTrue(after, userConfirmed) ||
		differs("password") || differs("provider")
}

func isTrue(e *store.Entry, name string) bool {
	v := e.Value(name)
	return v.Kind == store.Bool && v.Num != 0
}
