package auth

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"quire/schema"
	"quire/store"
)

func TestCallersWithTheSameRights(t *testing.T) {
	custom := func(name string, permissions ...string) *Caller {
		return (&token{Name: name, Kind: Custom, Permissions: permissions}).caller()
	}
	find := Permission{"api::a.a", "find"}
	groups := map[string][]*Caller{
		"nothing":    {custom("a"), newRole("public", nil)},
		"one":        {custom("a", "api::a.a.find"), custom("b", "api::a.a.find"), newRole("public", []Permission{find})},
		"another":    {custom("a", "api::b.b.find")},
		"other":      {custom("a", "api::a.a.findOne")},
		"both":       {custom("a", "api::a.a.find", "api::b.b.find"), custom("a", "api::b.b.find", "api::a.a.find")},
		"reading":    {(&token{Name: "a", Kind: ReadOnly}).caller(), (&token{Name: "b", Kind: ReadOnly}).caller()},
		"everything": {(&token{Name: "a", Kind: FullAccess}).caller()},
	}
	seen := map[Rights]string{}
	for name, callers := range groups {
		for _, c := range callers {
			if *c.Rights() != *callers[0].Rights() {
				t.Errorf("%s: callers that may do the same have different rights", name)
			}
			if c.Full() != (name == "everything") {
				t.Errorf("%s: full access is %t", name, c.Full())
			}
		}
		if other, ok := seen[*callers[0].Rights()]; ok {
			t.Errorf("%s and %s have the same rights", name, other)
		}
		seen[*callers[0].Rights()] = name
	}
}

// Who shows a token that is none keeps nobody waiting.
func TestUnknownTokensTakeNoWriteLock(t *testing.T) {
	b := &tokenCache{byHash: map[Digest]*cachedToken{}}
	b.forgetLocked()
	b.mu.RLock() // as of somebody who is finding a token
	defer b.mu.RUnlock()
	if h := b.find([]byte("key"), "no token"); h != nil {
		t.Errorf("found %+v", h)
	}
}

// A commit that a load has shown already changes nothing when the feed comes to it.
func TestTokensStayAsTheyWereLoaded(t *testing.T) {
	b := &tokenCache{byHash: map[Digest]*cachedToken{}, revision: 5}
	hash := digestOf([]byte("key"), "plain")
	value, err := json.Marshal(&token{Name: "x", Kind: FullAccess, Hash: hash[:]})
	check(t, err)
	created := []store.RecordChange{{Bucket: tokensBucket, Key: "x", After: value}}
	if b.apply(store.Commit{CommitID: store.CommitID{Revision: 5}, Records: created}); b.find([]byte("key"), "plain") != nil {
		t.Error("a token that was gone when the tokens were loaded is back")
	}
	if b.apply(store.Commit{CommitID: store.CommitID{Revision: 6}, Records: created}); b.find([]byte("key"), "plain") == nil {
		t.Error("a token that came later is missing")
	}
}

// FuzzTree: whatever comes for the permissions of a role, no more is granted than
// it enables.
func FuzzTree(f *testing.F) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(f, err)
	f.Add([]byte(`{"api::dish": {"controllers": {"dish": {"find": {"enabled": true, "policy": ""}, "delete": {"enabled": false}}}}}`))
	f.Add([]byte(`{"plugin::users-permissions": {"controllers": {"user": {"me": {"enabled": 1}}}}}`))
	f.Add([]byte(`{"": {"controllers": {"": {"": {"enabled": true}}}}}`))
	f.Add([]byte(`{"api::dish": null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		granted, err := ReadTree(site, body)
		if err == nil && len(granted) > bytes.Count(bytes.ToLower(body), []byte("true")) {
			t.Errorf("%q grants %v", body, granted)
		}
	})
}

// Whoever may list the files may find them as entries too; files have no permission of
// their type.
func TestFilesAreFoundByThoseWhoListThem(t *testing.T) {
	file := &schema.Type{UID: schema.FileUID}
	for _, one := range []struct {
		holds []Permission
		want  bool
	}{{nil, false}, {[]Permission{FindFiles}, true}, {[]Permission{FindOneFile}, false}} {
		c := newRole("r", one.holds)
		if c.Allows(file, schema.Find) != one.want || c.Allows(file, schema.Update) {
			t.Errorf("%v: finds files %t", one.holds, !one.want)
		}
	}
}
