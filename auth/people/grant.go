package people

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

// A person connects a program by OAuth: the browser brings the program a code, which it
// exchanges for a token that works for an hour, and another with which it gets the next
// ones. All of them belong to one assistant, and end with it.

// How long the parts of a grant are valid. Refresh is the time without a new token after
// which the assistant ends.
const (
	CodeLife   = time.Minute
	AccessLife = time.Hour
	RefreshIn  = 30 * 24 * time.Hour
)

// ErrGrant refuses a code or a token for getting new ones that is unknown, has ended, was
// used before, or is another client's.
var ErrGrant = errors.New("it is unknown, has ended, was used before, or was given to another client")

// Connection says to which program a person gives an assistant.
type Connection struct {
	Client    string // its id
	Name      string
	Redirect  string // to which the code is sent
	Challenge string // of PKCE: the SHA-256 of the verifier, in base64url
}

// grant is the part of the record of an assistant about the program that has it.
type grant struct {
	Client     string `json:"client"` // keyed hash of its id, which may be long
	ClientName string `json:"clientName"`
	Redirect   string `json:"redirect"`
	Challenge  string `json:"challenge"`

	Code    string    `json:"code"`              // keyed hash
	Refresh string    `json:"refresh,omitempty"` // keyed hash of the valid token for new ones; empty until the code has been used
	Turn    int       `json:"turn,omitempty"`    // the number of that token
	Until   time.Time `json:"until"`             // when the code or that token ends
}

// Tokens are what a program gets.
type Tokens struct {
	Access  string
	Refresh string
	Expires time.Duration // of Access
}

// Connect gives an assistant of the account of a session to a program, and returns a code
// for it. Errors are those of CreateAssistant.
func (b *Directory) Connect(ctx context.Context, s *Session, f AssistantForm, c Connection) (code string, err error) {
	a, err := b.prepareAssistant(s.Account.ID, s.session.Way, s.session.Factor, f)
	if err != nil {
		return "", err
	}
	code = a.id + "." + auth.RandomText(tokenBytes)
	a.Grant = &grant{Client: b.digest(c.Client), ClientName: c.Name, Redirect: c.Redirect, Challenge: c.Challenge, Code: b.digest(code), Until: b.now().UTC().Add(CodeLife)}
	about := map[string]string{"client": c.Name}
	if u, err := url.Parse(c.Redirect); err == nil {
		about["host"] = u.Host
	}
	err = b.db.Update(func(tx *store.Tx) error { return b.addAssistant(ctx, tx, s, a, about) })
	return code, err
}

// Redeem exchanges a code for tokens. A code that was used before ends the assistant.
// Errors are ErrGrant, ErrFactorNeeded and the store's.
func (b *Directory) Redeem(ctx context.Context, code, client, redirect, verifier string) (Tokens, error) {
	id := code[:max(strings.LastIndexByte(code, '.'), 0)]
	return b.renew(ctx, id, client, func(a *assistant) (used, ok bool) {
		g := a.Grant
		if !same(g.Code, b.digest(code)) || g.Redirect != redirect || !verifies(verifier, g.Challenge) {
			return false, false
		}
		return g.Refresh != "", true
	})
}

// verifies reports whether a challenge of PKCE is that of a verifier.
func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return verifier != "" && same(base64.RawURLEncoding.EncodeToString(sum[:]), challenge)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

const (
	refreshPrefix = "qrr_"
	refreshAs     = "tokens of assistants for new ones"
)

// refreshToken is what a token for new ones contains, encrypted. So one that was used before
// is recognized, and nobody can make one up. Only the latest one of an assistant is valid,
// and of that a keyed hash is stored.
type refreshToken struct {
	ID     string `json:"i"` // of the assistant
	Turn   int    `json:"n"`
	Random string `json:"r"`
}

// openRefresh returns the content of a token for new ones.
func (b *Directory) openRefresh(token string) (t refreshToken, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(token, refreshPrefix))
	if err != nil || !strings.HasPrefix(token, refreshPrefix) {
		return t, false
	}
	text, err := b.auth.Unseal(refreshAs, sealed)
	return t, err == nil && json.Unmarshal(text, &t) == nil
}

// Refresh exchanges a token for new ones. A token that was used before ends the assistant,
// because two programs have it. Errors are those of Redeem.
func (b *Directory) Refresh(ctx context.Context, token, client string) (Tokens, error) {
	t, ok := b.openRefresh(token)
	if !ok {
		return Tokens{}, ErrGrant
	}
	return b.renew(ctx, t.ID, client, func(a *assistant) (used, ok bool) {
		return t.Turn < a.Grant.Turn, t.Turn < a.Grant.Turn || same(a.Grant.Refresh, b.digest(token))
	})
}

// renew gives the client of an assistant new tokens for what check accepts, and ends the
// assistant if that was used before.
func (b *Directory) renew(ctx context.Context, id, client string, check func(a *assistant) (used, ok bool)) (t Tokens, err error) {
	var refusal error
	err = b.db.Update(func(tx *store.Tx) error {
		refusal = nil
		a, err := assistantOf(tx, id)
		if err != nil || a == nil || a.Grant == nil || a.over(b.now()) || !same(a.Grant.Client, b.digest(client)) {
			return cmp.Or(err, ErrGrant)
		}
		used, ok := check(a)
		switch {
		case !ok:
			return ErrGrant
		case used:
			refusal = ErrGrant
			return a.end(tx, audit.Of(ctx), map[string]string{"reason": "its code or its token for new ones was used twice"})
		}
		if err := b.mayAct(a); err != nil {
			return err
		}
		t, err = b.turn(a)
		return errors.Join(err, a.put(tx))
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Tokens{}, err
	}
	return t, nil
}

// mayAct returns the error for an assistant that may not act now, see Assistant.
func (b *Directory) mayAct(a *assistant) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if _, err := b.mayActLocked(a); errors.Is(err, ErrFactorNeeded) {
		return err
	} else if err != nil {
		return ErrGrant
	}
	return nil
}

// turn makes new tokens, and puts their keyed hashes into the record of an assistant.
func (b *Directory) turn(a *assistant) (t Tokens, err error) {
	now := b.now().UTC()
	a.Grant.Turn++
	text, err := json.Marshal(refreshToken{a.id, a.Grant.Turn, auth.RandomText(tokenBytes)})
	if err != nil {
		return t, err
	}
	t.Refresh = refreshPrefix + base64.RawURLEncoding.EncodeToString(b.auth.Seal(refreshAs, text))
	t.Access = assistantPrefix + auth.RandomText(tokenBytes)
	t.Expires = min(AccessLife, a.Expires.Sub(now))
	a.Token, a.Until = b.digest(t.Access), now.Add(t.Expires)
	a.Grant.Refresh, a.Grant.Until = b.digest(t.Refresh), now.Add(RefreshIn)
	return t, nil
}

// Revoke ends the assistant of a client with one of its tokens. Unknown tokens are no error:
// the client wants them to be invalid. Errors are the store's.
func (b *Directory) Revoke(ctx context.Context, token, client string) error {
	t, _ := b.openRefresh(token)
	id := t.ID
	b.mu.RLock()
	if a := b.byToken[b.digest(token)]; a != nil {
		id = a.id
	}
	b.mu.RUnlock()
	return b.db.Update(func(tx *store.Tx) error {
		a, err := assistantOf(tx, id)
		if err != nil || a == nil || a.Grant == nil || !same(a.Grant.Client, b.digest(client)) {
			return err
		}
		return a.end(tx, audit.Of(ctx), map[string]string{"reason": "the program has ended it"})
	})
}
