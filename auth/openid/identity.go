package openid

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identity is a person who signed in at a provider, as far as that is proven.
type Identity struct {
	Subject       string // identifies the person at the provider, the same each time; 1 to 255 bytes
	Email         string // as the provider has it, at most 320 bytes; empty if it has none
	EmailVerified bool   // the address belongs to the person: the provider says so, or site.json trusts it
	Name          string // of the person, for display; may be empty
	Username      string // at the provider, at most 255 bytes; may be empty

	Claims Claims // all claims of the provider
}

// Maximum lengths of a provider's values, in bytes. A longer address or name counts as
// none.
const (
	longestSubject  = 255 // as in OpenID Connect
	longestEmail    = 320
	longestUsername = 255
)

// identity reads the claims by their names in site.json.
func (p *Provider) identity(claims Claims) (*Identity, error) {
	m := p.settings.Members
	id := &Identity{Subject: claims.text(m.ID), Email: claims.text(m.Email), Name: claims.text("name"), Username: claims.text(m.Username), Claims: claims}
	// A claim that is true or false identifies nobody.
	if id.Subject == "" || len(id.Subject) > longestSubject || json.Unmarshal(claims.At(m.ID), new(bool)) == nil {
		return nil, &UntrustedError{Why: "the provider does not say who signed in, or not within 255 bytes"}
	}
	if len(id.Email) > longestEmail {
		id.Email = ""
	}
	if len(id.Username) > longestUsername {
		id.Username = ""
	}
	id.EmailVerified = p.isTheirs(id.Email, claims.text(m.Verified) == "true")
	return id, nil
}

// isTheirs reports whether an address belongs to the person, given whether the provider has
// verified it. An address that would be another person's in lower case does not.
func (p *Provider) isTheirs(email string, verified bool) bool {
	another := strings.ContainsFunc(email, func(r rune) bool { return r >= utf8.RuneSelf && unicode.ToLower(r) < utf8.RuneSelf })
	return email != "" && !another && (p.settings.TrustEmails || verified)
}

// Claims are a provider's claims about a person, in JSON, by name.
type Claims map[string]json.RawMessage

// At returns the value of a claim, in JSON, or nil. A name with dots that is not a claim
// itself leads into objects and lists: "data.0.login".
func (c Claims) At(name string) json.RawMessage {
	raw, whole := c[name]
	if !whole {
		first, rest, deeper := strings.Cut(name, ".")
		for raw = c[first]; deeper; raw = step(raw, first) {
			first, rest, deeper = strings.Cut(rest, ".")
		}
	}
	return raw
}

// text returns a text, a number as it is written, or "true" or "false"; "" for anything
// else.
func (c Claims) text(name string) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(c.At(name)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// step returns a member of an object or an element of a list; nil if there is none.
func step(raw json.RawMessage, name string) json.RawMessage {
	var list []json.RawMessage
	if n, err := strconv.Atoi(name); err == nil && json.Unmarshal(raw, &list) == nil && n >= 0 && n < len(list) {
		return list[n]
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(raw, &object) // anything but an object has no members
	return object[name]
}
