package content

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// vault is a site whose documents can have any number of passwords, some of them in
// nested components.
func vault(t *testing.T, hash func(context.Context, string) (string, error)) *fixture {
	keys := `"keys": {"type": "component", "component": "lock.key", "repeatable": true}`
	site := loadSite(t, fstest.MapFS{
		"src/components/lock/key.json": file(`{"info": {"displayName": "Key"}, "attributes": {"code": {"type": "password"}, ` + keys + `}}`),
		"src/api/vault/content-types/vault/schema.json": file(`{"kind": "collectionType",
			"info": {"singularName": "vault", "pluralName": "vaults", "displayName": "Vault"},
			"attributes": {"code": {"type": "password"}, ` + keys + `}}`),
	})
	return newFixtureWith(t, site, WriterOptions{Now: clock(), HashPassword: hash})
}

// keysOf returns a list of components with one password each.
func keysOf(n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"code": "open"},`, n), ",") + "]"
}

func TestPasswordsOfOneWriteAreBounded(t *testing.T) {
	hashed := 0
	f := vault(t, func(_ context.Context, s string) (string, error) { hashed++; return "hash of " + s, nil })
	id := f.create("vault", `{"code": "open", "keys": `+keysOf(MostPasswords-1)+`}`)
	if hashed != MostPasswords {
		t.Errorf("%d passwords hashed, want %d", hashed, MostPasswords)
	}
	hashed = 0
	for body, at := range map[string]string{
		`{"code": "open", "keys": ` + keysOf(MostPasswords) + `}`:              "keys.15.code",
		`{"keys": ` + keysOf(1000) + `}`:                                       "keys.16.code",
		`{"keys": [{"keys": ` + keysOf(9) + `}, {"keys": ` + keysOf(9) + `}]}`: "keys.1.keys.7.code",
	} {
		_, err := f.tryUpdate("vault", id, body)
		if got := pathsOf(t, err); !slices.Equal(got, []string{at}) || !strings.Contains(err.Error(), "16 at most") {
			t.Errorf("%.60s…: %v at %v, want it at %s", body, err, got, at)
		}
	}
	many, _ := f.ask("vault", `{"keys": `+keysOf(MostPasswords+1)+`}`)
	if err := f.writer.planner.HashPasswords(t.Context(), many); !slices.Equal(pathsOf(t, err), []string{"keys.16.code"}) {
		t.Errorf("a line of an import: %v", err)
	}
	one, _ := f.ask("vault", `{"keys": `+keysOf(10)+`}`)
	other, _ := f.ask("vault", `{"keys": `+keysOf(10)+`}`)
	if _, err := f.writer.CreateAll(t.Context(), []Request{one, other}, nil); !slices.Equal(pathsOf(t, err), []string{"keys.6.code"}) {
		t.Errorf("several documents in one write: %v", err)
	}
	if hashed != 0 {
		t.Errorf("%d passwords of refused writes were hashed", hashed)
	}
}

// If a client disconnects, hashing of its passwords stops.
func TestHashingEndsWithTheWrite(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	hashed := 0
	f := vault(t, func(ctx context.Context, s string) (string, error) {
		if hashed++; hashed == 3 {
			leave()
		}
		return s, ctx.Err()
	})
	request, err := f.ask("vault", `{"keys": `+keysOf(9)+`}`)
	must(t, err)
	_, err = f.writer.Create(ctx, request)
	if !errors.Is(err, context.Canceled) || hashed != 3 {
		t.Errorf("%v after %d passwords", err, hashed)
	}
}
