package index

import (
	"strings"

	"quire/schema"
	"quire/store"
)

// Suits reports whether a value that was stored under a former schema is valid for the
// attribute: of its kind, in the stored form of that kind, and not a hash of a password
// that the attribute once held. v must not be empty.
func Suits(a *schema.Attribute, v *store.Value) bool {
	if !HasKind(a, v) {
		return false
	}
	switch a.Kind {
	case schema.Blocks:
		return strings.HasPrefix(v.Text, "[")
	case schema.Date:
		date, err := schema.ParseDate(v.Text)
		return err == nil && date == v.Text
	case schema.Time:
		time, err := schema.ParseTime(v.Text)
		return err == nil && time == v.Text
	case schema.DateTime, schema.Timestamp:
		moment, err := schema.ParseDateTime(v.Text)
		return err == nil && moment.UTC().Format(schema.DateTimeLayout) == v.Text
	case schema.Password:
		return true
	}
	return v.Kind != store.Text || !isPasswordHash(v.Text)
}

// isPasswordHash reports whether a text is a stored password: a hash of argon2id, or of
// bcrypt if it was imported.
func isPasswordHash(text string) bool {
	if strings.ContainsAny(text, " \t\r\n") {
		return false
	}
	if strings.HasPrefix(text, "$argon2") {
		return strings.Count(text, "$") == 5
	}
	return len(text) == 60 && strings.HasPrefix(text, "$2") && strings.Count(text, "$") == 3
}
