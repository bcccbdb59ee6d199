package content

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"quire/schema"
	"quire/store"
)

// The attributes of users that affect their sessions.
const (
	userEpoch     = "sessionEpoch"
	userBlocked   = "blocked"
	userConfirmed = "confirmed"
)

// EndSessions ends the sessions of a user after a change that invalidates them, by starting
// another epoch. It compares the stored values before and after, so that the way and the
// form of the change do not matter. An epoch that the change itself starts stays.
func EndSessions(t *schema.Type, before, after *store.Entry) {
	if t.UID != schema.UserUID || after == nil || !shutsOut(before, after) {
		return
	}
	// A transaction plans its writes twice, and both plans must be the same.
	of := fmt.Sprintf("%s %d %q", after.DocumentID, after.UpdatedAt, after.Value("password").Text)
	if before != nil {
		of += before.Value(userEpoch).Text
	}
	epoch := sha256.Sum256([]byte(of))
	after.Fields = after.Fields.With(userEpoch, store.Value{Kind: store.Text, Text: hex.EncodeToString(epoch[:])[:documentIDLength]})
}

// shutsOut reports whether a change blocks a user, removes the confirmation, or replaces
// the password or provider with which the user signed in.
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
