package auth_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quire/auth"
	"quire/store"
)

func TestRevokeToken(t *testing.T) {
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), start())
	gone := create(t, a, auth.TokenSpec{Name: "gone", Kind: auth.FullAccess})
	kept := create(t, a, auth.TokenSpec{Name: "kept", Kind: auth.FullAccess})
	if _, err := authenticate(a, gone); err != nil {
		t.Fatal(err)
	}
	check(t, a.RevokeToken(t.Context(), "gone"))
	if _, err := authenticate(a, gone); !isUnauthorized(err) {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := authenticate(a, kept); err != nil {
		t.Errorf("another token: %v", err)
	}
	if err := a.RevokeToken(t.Context(), "gone"); !errors.As(err, new(*auth.NoSuchError)) {
		t.Errorf("revoking it again: %v", err)
	}
	again := create(t, a, auth.TokenSpec{Name: "gone", Kind: auth.ReadOnly})
	if _, err := authenticate(a, again); err != nil {
		t.Errorf("a new token of that name: %v", err)
	}
	if _, err := authenticate(a, gone); err == nil {
		t.Error("with it the former one is back")
	}
}

func TestTokensAreListed(t *testing.T) {
	c := start()
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), c)
	if list, err := a.Tokens(); err != nil || len(list) != 0 {
		t.Errorf("without any: %v, %v", list, err)
	}
	create(t, a, auth.TokenSpec{Name: "form", Kind: auth.Custom, Permissions: []string{"api::dish.dish.find"}, Lifetime: time.Hour})
	create(t, a, auth.TokenSpec{Name: "all", Kind: auth.FullAccess})
	list, err := a.Tokens()
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	form := list[1]
	if list[0].Name != "all" || form.Name != "form" || form.Kind != auth.Custom || !slices.Equal(form.Permissions, []string{"api::dish.dish.find"}) ||
		!form.Created.Equal(c.Now()) || !form.Expires.Equal(c.Now().Add(time.Hour)) || !form.Used.IsZero() || !list[0].Expires.IsZero() {
		t.Errorf("got %+v", list)
	}
}

// The use of a token is noted once a minute at most, whatever it is used for.
func TestUseOfTokensIsNoted(t *testing.T) {
	c, db := start(), openDB(t, filepath.Join(t.TempDir(), "quire.db"))
	a := openAuth(t, db, c)
	token := create(t, a, auth.TokenSpec{Name: "x", Kind: auth.FullAccess})
	commits := 0
	cancel := db.Subscribe(func(store.Commit) { commits++ })
	defer cancel()
	first := c.Now()
	for range 5 {
		if _, err := authenticate(a, token); err != nil {
			t.Fatal(err)
		}
		c.advance(14 * time.Second)
	}
	check(t, a.Close(context.Background()))
	list, err := a.Tokens()
	if err != nil || !list[0].Used.Equal(first) {
		t.Errorf("used %v, want %v (%v)", list[0].Used, first, err)
	}
	if commits != 1 {
		t.Errorf("it was noted %d times", commits)
	}
	again := openAuth(t, db, c)
	for range 2 {
		authenticate(again, token)
		c.advance(time.Second)
	}
	check(t, again.Close(context.Background()))
	if commits != 2 {
		t.Errorf("after a restart it was noted %d times", commits-1)
	}
}
