package users_test

import (
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/users"
	"quire/content/verify"
	"quire/store"
)

func checkAccounts(h *fixture) (faults []verify.Fault) {
	h.Helper()
	h.check(h.db.View(func(tx *store.Tx) (err error) {
		faults, err = users.Check(h.site, tx)
		return err
	}))
	return faults
}

// Unreadable tokens and sessions are reported and removed. The others stay.
func TestCheckAccounts(t *testing.T) {
	h := openFixture(t, `{}`)
	plain, err := h.CreateToken(t.Context(), auth.TokenSpec{Name: "good", Kind: auth.ReadOnly})
	h.check(err)
	if faults := checkAccounts(h); len(faults) > 0 {
		t.Fatalf("of a sound file: %+v", faults)
	}
	put := func(bucket, key, value string) {
		h.check(h.db.Update(func(tx *store.Tx) error { return tx.PutRecord(bucket, key, []byte(value)) }))
	}
	put("tokens", "bad", `{"name": "bad", "kind"`)
	put("tokens", "short", `{"name": "short", "kind": "read-only", "hash": "AAAA"}`)
	put("tokens", "odd", strings.Replace(tokenRecord(h, "good"), `"good"`, `"bad"`, 1))
	put("sessions", "0123456789", `]`)
	put("sessions", "9876543210", `{"user": "nobody"}`)
	all := ""
	for _, f := range checkAccounts(h) {
		all += f.Place + ": " + f.Message + "\n"
	}
	for _, want := range []string{
		`token "bad": it cannot be read`, `token "short": it cannot be read: its hash has 3 bytes`,
		`token "odd": it has the name "bad"`, "session 01234567…: it cannot be read", "sessions: their users are gone",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	var removed []verify.Fault
	err = h.db.Update(func(tx *store.Tx) (err error) { removed, err = users.Repair(tx); return err })
	if err != nil || len(removed) != 4 {
		t.Errorf("%+v, %v", removed, err)
	}
	if faults := checkAccounts(h); len(faults) != 1 || !faults[0].Note {
		t.Errorf("after the repair: %+v", faults)
	}
	h.check(h.reload(h.site))
	if _, err := h.authenticate(plain); err != nil {
		t.Errorf("the good token: %v", err)
	}
}

func tokenRecord(h *fixture, name string) (value string) {
	h.check(h.db.View(func(tx *store.Tx) error {
		raw, err := tx.Record("tokens", name)
		value = string(raw)
		return err
	}))
	return value
}

// Roles with the same type, and users without a role, are reported.
func TestCheckRolesAndUsers(t *testing.T) {
	h := openFixture(t, `{}`)
	h.check(h.db.Update(func(tx *store.Tx) error {
		text := func(s string) store.Value { return store.Value{Kind: store.Text, Text: s} }
		role := &store.Entry{ID: 90, DocumentID: "second", Status: store.Published, PublishedAt: 1, Fields: []store.Field{
			{Name: "type", Value: text("public")}, {Name: "permissions", Value: store.Value{Kind: store.JSON, Text: `{}`}}}}
		user := &store.Entry{ID: 90, DocumentID: "lost", Status: store.Published, PublishedAt: 1, Fields: []store.Field{
			{Name: "role", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: "gone", Place: 1}}}}}}
		if err := tx.Apply(store.Change{Type: "plugin::users-permissions.role", After: role}); err != nil {
			return err
		}
		return tx.Apply(store.Change{Type: "plugin::users-permissions.user", After: user})
	}))
	all := ""
	for _, f := range checkAccounts(h) {
		all += f.Place + ": " + f.Message + "\n"
	}
	for _, want := range []string{`its type "public" is that of the role`, "cannot be read, so that it allows nothing", "users: they have no role"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}
