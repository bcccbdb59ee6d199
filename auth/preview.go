package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/schema"
	"quire/store"
)

// A preview link allows anybody who has it to read one document, drafts included, for a
// while and with the rights of its maker. It is only a token: which document, until when,
// and who made it, encrypted with a key that only this data file has. What its maker may do
// is checked each time that it is used.

// Preview is the one document that a preview link opens, in all its locales.
type Preview struct {
	Type       string `json:"t"` // uid
	DocumentID string `json:"d"`
	Form       string `json:"f,omitempty"` // unsaved form of its maker that is shown instead of the draft; empty for none
}

// Limits of the lifetime of a preview link.
const (
	DefaultPreview  = time.Hour
	ShortestPreview = time.Minute
	LongestPreview  = 7 * 24 * time.Hour
)

// longestPreviewToken limits what is read of a token, and so the tokens that are made.
const longestPreviewToken = 2048

// ErrLongPreview refuses links to documents whose ids do not fit into a token.
var ErrLongPreview = errors.New("the id of the document is too long for a preview link")

// previewForm is part of the encrypted text, so that another form is another kind of token.
const previewForm = "preview link, form 1"

// previewClaims is the content of a preview link's token. Without token, admin and user,
// the public made it.
type previewClaims struct {
	Preview
	Expires int64  `json:"x"`           // in seconds since 1970
	Token   []byte `json:"k,omitempty"` // keyed hash of the API token that made it
	Admin   string `json:"a,omitempty"` // id of the account of the admin that made it
	User    uint64 `json:"u,omitempty"` // id of the user who made it
	Epoch   string `json:"e,omitempty"` // of the user's sessions, or of that account
}

// PreviewLink makes the token of a link to p in the name of by, valid until the returned
// time.
func (a *Auth) PreviewLink(by Identity, p Preview, life time.Duration) (token string, expires time.Time, err error) {
	expires = a.now().Add(life).Truncate(time.Second).UTC()
	c := previewClaims{Preview: p, Expires: expires.Unix(), Token: by.Caller.token, Admin: by.Caller.admin, Epoch: by.Caller.epoch}
	if by.User != nil {
		c.User, c.Epoch = by.User.ID, by.epoch
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", expires, err
	}
	token = base64.RawURLEncoding.EncodeToString(a.previewSeal().Seal(nil, nil, text, []byte(previewForm)))
	if len(token) > longestPreviewToken {
		err = ErrLongPreview
	}
	return token, expires, err
}

// previewSeal seals and opens tokens of preview links. Its key derives from that of the API
// tokens and from the secret that signs sessions: what ends all sessions also ends all
// links.
func (a *Auth) previewSeal() cipher.AEAD {
	key := digestOf(*a.keys.token.Load(), "key for preview links, "+string(*a.keys.secret.Load()))
	block, err := aes.NewCipher(key[:32])
	if err != nil {
		panic(err) // the length of the key is right
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // blocks of AES have the right length
	}
	return aead
}

// OpenPreview returns the identity for the token of a preview link: a caller who may read
// what the maker of the link may read now. If the token is unknown or has expired, or if
// its maker may not make such links any more, the error is an *UnauthorizedError.
func (a *Auth) OpenPreview(token string, accounts Accounts) (Identity, error) {
	c, ok := a.readPreview(token)
	switch {
	case !ok:
		return Identity{}, &UnauthorizedError{"The token of the preview link is not valid"}
	case a.now().Unix() >= c.Expires:
		return Identity{}, &UnauthorizedError{"The preview link has expired"}
	}
	maker := a.makerOf(c, accounts)
	if maker.Caller == nil || !maker.Caller.HasPermission(Permission{c.Type, schema.PreviewLink}) {
		return Identity{}, &UnauthorizedError{"Whoever made the preview link may not make it any more"}
	}
	return Identity{Caller: maker.narrowed(c.Preview)}, nil
}

// readPreview opens a token, and reports whether this data file has sealed it.
func (a *Auth) readPreview(token string) (*previewClaims, bool) {
	if len(token) > longestPreviewToken || strings.ContainsAny(token, "\r\n") { // base64 would skip these
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return nil, false
	}
	text, err := a.previewSeal().Open(nil, nil, sealed, []byte(previewForm))
	if err != nil {
		return nil, false
	}
	c := new(previewClaims)
	err = json.Unmarshal(text, c)
	return c, err == nil && c.Type != "" && c.DocumentID != "" // without these it would open all
}

// makerOf returns the maker of a link with the current rights; without a caller if the
// maker no longer exists.
func (a *Auth) makerOf(c *previewClaims, accounts Accounts) Identity {
	switch {
	case c.Token != nil:
		var d Digest
		copy(d[:], c.Token)
		if h := a.tokens.byDigest(d); h != nil && !h.token.expired(a.now()) {
			return Identity{Caller: h.caller}
		}
		return Identity{}
	case c.Admin != "":
		if now := a.byAdmin(c.Admin); now != nil && now.epoch == c.Epoch {
			return Identity{Caller: now}
		}
		return Identity{}
	case c.User != 0:
		u := accounts.SignedIn(c.User, c.Epoch, "")
		if u == nil {
			return Identity{}
		}
		return Identity{Caller: a.ofUser(u.Role), User: u}
	}
	return Identity{Caller: a.Public()}
}

// narrowed returns a caller who may read p, and what i may read through it. Logs name i.
func (i Identity) narrowed(p Preview) *Caller {
	n := &Caller{name: "preview link of " + i.String(), actor: store.ByPublic, maker: i.Caller, preview: &p}
	n.rights.once.Do(func() {
		n.rights.sum = sha256.Sum256(fmt.Appendf(nil, "preview %q %q %x", p.Type, p.DocumentID, i.Caller.Rights()[:]))
	})
	return n
}

// Preview returns the one document that the caller may read; nil for callers without a
// preview link. The caller's permissions then apply to what the document leads to.
func (c *Caller) Preview() *Preview { return c.preview }

// Maker returns who made the preview link, with the current rights; nil for callers without
// one. Its permissions to write are for the unsaved form of the link alone.
func (c *Caller) Maker() *Caller { return c.maker }
