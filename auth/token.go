package auth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// TokenKind is the kind of a token, which says what it may do.
type TokenKind string

const (
	FullAccess TokenKind = "full-access" // everything
	ReadOnly   TokenKind = "read-only"   // reading every type, drafts included
	Custom     TokenKind = "custom"      // only what is in its list of permissions
)

// TokenSpec describes a token to be created.
type TokenSpec struct {
	Name        string // unique, at most 100 characters
	Kind        TokenKind
	Permissions []string      // full action names; for custom tokens only, at least one
	Lifetime    time.Duration // 0 for a token that does not expire
}

// TokenError is the reason why a token cannot be created.
type TokenError struct {
	Key     string // the wrong member of the spec: "name", "type", "permissions"
	Problem string
}

func (e *TokenError) Error() string { return "token not created: " + e.Problem }

func tokenError(key, format string, args ...any) error {
	return &TokenError{key, fmt.Sprintf(format, args...)}
}

const maxTokenName = 100

// check validates the spec for a site. Its error is a *TokenError.
func (s *TokenSpec) check(site *schema.Site) error {
	if err := s.Check(); err != nil {
		return err
	}
	known := TokenPermissions(site)
	var unknown []string
	for _, text := range s.Permissions {
		p, ok := ParsePermission(text)
		if !ok || !slices.Contains(known, p) {
			unknown = append(unknown, text)
		}
	}
	if unknown != nil {
		return tokenError("permissions", "unknown permissions: %s; `quire routes` lists the actions of the site", strings.Join(unknown, ", "))
	}
	return nil
}

// Check validates what does not depend on the site. Its error is a *TokenError.
func (s *TokenSpec) Check() error {
	switch {
	case s.Name == "":
		return tokenError("name", "it needs a name")
	case utf8.RuneCountInString(s.Name) > maxTokenName || !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, unicode.IsControl):
		return tokenError("name", "its name must be text of one line, of at most %d characters", maxTokenName)
	case !slices.Contains([]TokenKind{FullAccess, ReadOnly, Custom}, s.Kind):
		return tokenError("type", "its type must be one of full-access, read-only, custom, not %q", s.Kind)
	case s.Kind != Custom && len(s.Permissions) > 0:
		return tokenError("permissions", "only custom tokens have a list of permissions, and this one is %s", s.Kind)
	case s.Kind == Custom && len(s.Permissions) == 0:
		return tokenError("permissions", "a custom token needs at least one permission, such as api::dish.dish.find")
	case s.Lifetime < 0:
		return tokenError("days", "it must expire in the future")
	}
	return nil
}

// token is the stored form of a token. Its key is the name.
type token struct {
	Name        string    `json:"name"`
	Kind        TokenKind `json:"kind"`
	Permissions []string  `json:"permissions,omitempty"`
	Hash        []byte    `json:"hash"`
	Created     time.Time `json:"created"`
	Expires     time.Time `json:"expires,omitzero"`
	Used        time.Time `json:"used,omitzero"` // to the minute
}

func parseToken(value []byte) (*token, error) {
	t := new(token)
	if err := json.Unmarshal(value, t); err != nil {
		return nil, err
	}
	if len(t.Hash) != len(Digest{}) {
		return nil, fmt.Errorf("its hash has %d bytes, not %d", len(t.Hash), len(Digest{}))
	}
	return t, nil
}

// sameButUse reports whether two forms of a token differ only in the time of last use.
func (t *token) sameButUse(o *token) bool {
	return t.Name == o.Name && t.Kind == o.Kind && slices.Equal(t.Permissions, o.Permissions) &&
		string(t.Hash) == string(o.Hash) && t.Created.Equal(o.Created) && t.Expires.Equal(o.Expires)
}

func (t *token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

func (t *token) caller() *Caller {
	c := &Caller{name: `token "` + t.Name + `"`, actor: store.ActorOf(store.ByToken, t.Name), token: t.Hash}
	switch t.Kind {
	case FullAccess:
		c.every = true
	case ReadOnly:
		c.actions = []schema.Action{schema.Find, schema.FindOne, schema.ReadDraft}
	case Custom:
		c.listed = map[Permission]struct{}{}
		for _, text := range t.Permissions {
			if p, ok := ParsePermission(text); ok {
				c.listed[p] = struct{}{}
			}
		}
	}
	return c
}
