package auth

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/schema"
	"quire/store"
)

// oneAccount is all accounts of a site: one.
type oneAccount struct{ user User }

func (o *oneAccount) SignedIn(id uint64, epoch, session string) *User {
	if id != o.user.ID || epoch != "epoch" || session != "" {
		return nil
	}
	return &o.user
}

func openPreviewAuth(t testing.TB, now func() time.Time) *Auth {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	site, err := schema.Load(fstest.MapFS{"src/api/a/content-types/a/schema.json": {Data: []byte(
		`{"info": {"singularName": "a", "pluralName": "as", "displayName": "A"}, "options": {"draftAndPublish": true}, "attributes": {}}`)}})
	check(t, err)
	a, err := Open(db, site, Options{Now: now})
	check(t, err)
	t.Cleanup(func() { a.Close(t.Context()) })
	return a
}

// maker is the identity of a token that may do everything.
func (a *Auth) maker(t testing.TB) Identity {
	t.Helper()
	plain, err := a.CreateToken(t.Context(), TokenSpec{Name: "all", Kind: FullAccess})
	check(t, err)
	by, err := a.Authenticate(plain, &oneAccount{})
	check(t, err)
	return by
}

// What a link lends is to read, whatever its maker may do.
func TestPreviewLinksLendReadingAlone(t *testing.T) {
	a := openPreviewAuth(t, nil)
	token, _, err := a.PreviewLink(a.maker(t), Preview{"api::a.a", "doc", ""}, time.Hour)
	check(t, err)
	by, err := a.OpenPreview(token, &oneAccount{})
	check(t, err)
	if by.Caller.Full() || by.User != nil || *by.Caller.Preview() != (Preview{"api::a.a", "doc", ""}) {
		t.Errorf("%+v", by)
	}
	for _, p := range AllPermissions(a.roles.currentSite()) {
		reads := p.Action == schema.Find || p.Action == schema.FindOne || p.Action == schema.ReadDraft
		if by.Caller.HasPermission(p) != reads {
			t.Errorf("%s: %v", p, by.Caller.HasPermission(p))
		}
	}
	if err := by.HasAccount(); err == nil {
		t.Error("a link has an account")
	}
}

// Callers of links have equal rights where document and maker's rights are equal.
func TestRightsOfPreviewLinks(t *testing.T) {
	full, same := (&token{Name: "a", Kind: FullAccess}).caller(), (&token{Name: "b", Kind: FullAccess}).caller()
	reads := (&token{Name: "c", Kind: ReadOnly}).caller()
	rights := func(c *Caller, p Preview) Rights { return *Identity{Caller: c}.narrowed(p).Rights() }
	one := Preview{"api::a.a", "doc", ""}
	if rights(full, one) != rights(same, one) {
		t.Error("equal rights differ")
	}
	seen := map[Rights]bool{*full.Rights(): true, *reads.Rights(): true}
	for _, r := range []Rights{rights(full, one), rights(reads, one), rights(full, Preview{"api::a.a", "other", ""}), rights(full, Preview{"api::b.b", "doc", ""})} {
		if seen[r] {
			t.Error("different rights are equal")
		}
		seen[r] = true
	}
}

// Too long a token is not made, so that all that are made are read.
func TestLongPreviewTokens(t *testing.T) {
	a := openPreviewAuth(t, nil)
	by := a.maker(t)
	for _, length := range []int{1, 100, 1000, 2000} {
		token, _, err := a.PreviewLink(by, Preview{"api::a.a", strings.Repeat("x", length), ""}, time.Hour)
		if _, opened := a.OpenPreview(token, &oneAccount{}); (err == nil) != (opened == nil) {
			t.Errorf("%d: made with %v, opened with %v", length, err, opened)
		}
	}
}

// What names no document opens none, instead of all.
func TestPreviewLinksOfNothing(t *testing.T) {
	a := openPreviewAuth(t, nil)
	by := a.maker(t)
	for _, p := range []Preview{{Type: "api::a.a"}, {DocumentID: "doc"}, {}} {
		token, _, err := a.PreviewLink(by, p, time.Hour)
		check(t, err)
		if who, err := a.OpenPreview(token, &oneAccount{}); err == nil {
			t.Errorf("%v opens as %s", p, who)
		}
	}
}

// FuzzPreview: nobody reads but with a token that was made, to the last byte and up to
// its moment. What is sealed is read, or refused: it never panics, and never opens more
// than one document for reading.
func FuzzPreview(f *testing.F) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	a := openPreviewAuth(f, func() time.Time { return now })
	by := a.maker(f)
	ofUser := Identity{Caller: a.Public(), User: &User{ID: 7}, epoch: "epoch"}
	made := map[string]bool{}
	for _, who := range []Identity{by, ofUser, {Caller: a.Public()}} {
		token, _, err := a.PreviewLink(who, Preview{"api::a.a", "doc", ""}, time.Hour)
		if err != nil {
			f.Fatal(err)
		}
		made[token] = true
		f.Add(token, []byte(`{"t":"api::a.a","d":"doc","x":1777640400,"u":7,"e":"epoch"}`))
		f.Add(token[1:], []byte(`{"t":"api::a.a","d":"","x":9223372036854775807,"k":"`+base64.StdEncoding.EncodeToString(by.Caller.token)+`"}`))
	}
	f.Add("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30.", []byte(`{"k":"AA==","x":1e3}`))
	f.Add("", []byte(`[]`))
	accounts := &oneAccount{User{ID: 7, Role: "none"}}
	check := func(t *testing.T, token string, wasMade bool) {
		who, err := a.OpenPreview(token, accounts)
		var refused *UnauthorizedError
		switch {
		case err != nil && (!errors.As(err, &refused) || who.Caller != nil || strings.Contains(err.Error(), token) && token != "" && len(token) > 20):
			t.Errorf("%q: %+v, %v", token, who, err)
		case err == nil && (!wasMade || who.Caller.Full() || who.Caller.Preview() == nil || who.Caller.Preview().DocumentID == "" || who.Caller.HasPermission(Permission{"api::a.a", schema.Update})):
			t.Errorf("%q opens as %s", token, who)
		}
	}
	f.Fuzz(func(t *testing.T, token string, claims []byte) {
		check(t, token, made[token])
		sealed := base64.RawURLEncoding.EncodeToString(a.previewSeal().Seal(nil, nil, claims, []byte(previewForm)))
		var c previewClaims
		check(t, sealed, json.Unmarshal(claims, &c) == nil && c.Expires > now.Unix())
	})
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
