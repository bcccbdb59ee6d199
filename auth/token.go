package auth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"quire/schema"
)

// TokenKind says what a token may do.
type TokenKind string

const (
	FullAccess TokenKind = "full-access" // everything
	ReadOnly   TokenKind = "read-only"   // reading every type, drafts included
	Custom     TokenKind = "custom"      // what its list of permissions says
)

// TokenSpec describes a token to be created.
type TokenSpec struct {
	Name        string // unique, at most 100 characters
	Kind        TokenKind
	Permissions []string      // full action names; for custom tokens only, at least one
	Lifetime    time.Duration // 0 for a token that does not expire
}

// TokenError says why a token cannot be created.
type TokenError struct{ Problem string }

func (e *TokenError) Error() string { return "token not created: " + e.Problem }

func refuse(format string, args ...any) error {
	return &TokenError{fmt.Sprintf(format, args...)}
}

const maxTokenName = 100

// check reports what is wrong with the spec on this site, as *TokenError.
func (s *TokenSpec) check(site *schema.Site) error {
	switch {
	case s.Name == "":
		return refuse("it needs a name")
	case utf8.RuneCountInString(s.Name) > maxTokenName || !utf8.ValidString(s.Name):
		return refuse("its name must be text of at most %d characters", maxTokenName)
	case !slices.Contains([]TokenKind{FullAccess, ReadOnly, Custom}, s.Kind):
		return refuse("its type must be one of full-access, read-only, custom, not %q", s.Kind)
	case s.Kind != Custom && len(s.Permissions) > 0:
		return refuse("only custom tokens have a list of permissions, and this one is %s", s.Kind)
	case s.Kind == Custom && len(s.Permissions) == 0:
		return refuse("a custom token needs at least one permission, such as %s", example(site))
	case s.Lifetime < 0:
		return refuse("it must expire in the future")
	}
	return s.checkPermissions(site)
}

func (s *TokenSpec) checkPermissions(site *schema.Site) error {
	known := Known(site)
	var unknown []string
	for _, text := range s.Permissions {
		p, ok := ParsePermission(text)
		if !ok || !slices.Contains(known, p) {
			unknown = append(unknown, text)
		}
	}
	if unknown != nil {
		return refuse("unknown permissions: %s; `quire routes` lists the actions of the site", strings.Join(unknown, ", "))
	}
	return nil
}

func example(site *schema.Site) Permission { return Known(site)[0] }

// token is how a token is kept in the data file, under its name.
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
	if len(t.Hash) != len(digest{}) {
		return nil, fmt.Errorf("its hash has %d bytes, not %d", len(t.Hash), len(digest{}))
	}
	return t, nil
}

func (t *token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

func (t *token) caller() *Caller {
	c := &Caller{name: `token "` + t.Name + `"`}
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
