package content

import (
	"errors"
	"quire/content/body"
	"slices"
	"strings"
	"testing"
)

func TestPublishedScalars(t *testing.T) {
	for _, e := range []struct {
		attribute, value string
		fine             bool
	}{
		{`{"type": "string", "minLength": 2}`, `"a"`, false},
		{`{"type": "string", "minLength": 2}`, `"😀"`, true}, // two UTF-16 units
		{`{"type": "string", "regex": "^a"}`, `"b"`, false},
		{`{"type": "string", "regex": "^a"}`, `""`, true},
		{`{"type": "string", "regex": "^a", "required": true}`, `""`, false},
		{`{"type": "string", "required": true}`, `null`, false},
		{`{"type": "string", "required": true}`, `""`, true},
		{`{"type": "uid"}`, `"a-b_c.d~e"`, true},
		{`{"type": "uid"}`, `"has space"`, false},
		{`{"type": "uid"}`, `""`, true},
		{`{"type": "uid", "required": true}`, `""`, false},
		{`{"type": "integer", "min": 1}`, `0`, false},
		{`{"type": "float", "min": 0.5}`, `0.4`, false},
		{`{"type": "biginteger", "min": "9007199254740993"}`, `9007199254740992`, false},
		{`{"type": "biginteger", "min": "9007199254740993"}`, `"9007199254740993"`, true},
		{`{"type": "boolean", "required": true}`, `null`, false},
		{`{"type": "boolean", "required": true}`, `false`, true},
		{`{"type": "date", "required": true}`, `null`, false},
		{`{"type": "json", "required": true}`, `null`, false},
		{`{"type": "blocks", "required": true}`, `[]`, true},
		{`{"type": "password", "minLength": 6}`, `"short"`, false},
		{`{"type": "password", "required": true}`, `null`, false},
		{`{"type": "email"}`, `"a@b.co"`, true},
		{`{"type": "email"}`, `"josé.müller+tag@exämple.org"`, true},
		{`{"type": "email"}`, `""`, false},
		{`{"type": "email"}`, `"a@b"`, false},
		{`{"type": "email"}`, `"a b@c.de"`, false},
		{`{"type": "email"}`, `"a@b@c.de"`, false},
		{`{"type": "email"}`, `".a@b.co"`, false},
		{`{"type": "email"}`, `"a@-b.co"`, false},
	} {
		t.Run(e.attribute+e.value, func(t *testing.T) {
			f := newFixture(t, loadSite(t, mapSite(`"a": `+e.attribute)))
			_, err := f.tryCreate("one", `{"a": `+e.value+`}`)
			if e.fine != (err == nil) {
				t.Fatalf("got %v", err)
			}
			if err != nil && !slices.Contains(pathsOf(t, err), "a") {
				t.Errorf("refused at %q, want a", pathsOf(t, err))
			}
			if _, err := f.tryCreate("one", `{"a": `+e.value+`}`, asDraft); err != nil {
				t.Errorf("a draft was refused: %v", err)
			}
		})
	}
}

// Matching a pattern takes time for each byte of a text and each step of the pattern. A
// match that would take too long is refused before it begins.
func TestPatternsHaveAReach(t *testing.T) {
	f := newFixture(t, loadSite(t, mapSite(`"plain": {"type": "text", "regex": "^[a-z ]+$"}, "words": {"type": "text", "regex": "^(\\w+\\s?){1,200}$"}`)))
	long := strings.Repeat("word ", 100_000)
	f.create("one", `{"plain": "`+long+`", "words": "`+long[:1000]+`"}`)
	f.create("one", `{"words": "`+long+`"}`, asDraft)
	_, err := f.tryCreate("one", `{"words": "`+long+`"}`)
	var refused *body.ValidationError
	if !errors.As(err, &refused) || len(refused.Issues) != 1 || !strings.Contains(refused.Issues[0].Message, "too long to be matched") {
		t.Errorf("%v", err)
	}
	if _, err := f.tryCreate("one", `{"words": "`+long[:1005]+`"}`); err == nil {
		t.Error("201 words are taken for 200")
	}
}
