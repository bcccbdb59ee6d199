package people

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"quire/store"
)

const (
	verifier = "a verifier that a program has made up, forty-three characters"
	redirect = "http://127.0.0.1:33418/callback"
	program  = "qrc_program"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// connect lets a person give an assistant to a program, and returns the code.
func (n *node) connect(owner, name string) string {
	n.t.Helper()
	code, err := n.Connect(n.t.Context(), n.session(owner), AssistantForm{Name: name, Days: 90}, Connection{program, "Program", redirect, challengeOf(verifier)})
	check(n.t, err)
	return code
}

func (n *node) redeem(code string) Tokens {
	n.t.Helper()
	t, err := n.Redeem(n.t.Context(), code, program, redirect, verifier)
	check(n.t, err)
	return t
}

func TestConnectedProgramGetsTokensThatEnd(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	code := n.connect("ana", "Claude")
	if len(n.Assistants(ana.ID)) != 0 {
		t.Error("an assistant is listed before its program has a token")
	}
	tokens := n.redeem(code)
	a, err := n.Assistant(tokens.Access)
	check(t, err)
	if a.Client != "Program" || tokens.Expires != AccessLife || !a.Identity().Expires.Equal(n.clock.Now().Add(AccessLife)) {
		t.Errorf("%+v, %+v", a, tokens)
	}
	n.clock.pass(AccessLife)
	if n.acts(tokens.Access) {
		t.Error("a token is valid after its hour")
	}
	next, err := n.Refresh(t.Context(), tokens.Refresh, program)
	check(t, err)
	if !n.acts(next.Access) || n.acts(tokens.Refresh) || n.acts(next.Refresh) || len(n.Assistants(ana.ID)) != 1 {
		t.Error("the next tokens are not what they should be")
	}
	n.clock.pass(RefreshIn)
	if _, err := n.Refresh(t.Context(), next.Refresh, program); !errors.Is(err, ErrGrant) {
		t.Errorf("after a month without a request: %v", err)
	}
	if len(n.Assistants(ana.ID)) != 0 {
		t.Error("an assistant is listed that cannot get another token")
	}
}

func TestCodeIsRefused(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	code := n.connect("ana", "Claude")
	for name, try := range map[string][4]string{
		"unknown":          {code[:len(code)-1] + "x", program, redirect, verifier},
		"empty":            {"", program, redirect, verifier},
		"other client":     {code, "qrc_other", redirect, verifier},
		"other address":    {code, program, redirect + "/", verifier},
		"other verifier":   {code, program, redirect, verifier + "!"},
		"without verifier": {code, program, redirect, ""},
		"the challenge":    {code, program, redirect, challengeOf(verifier)},
	} {
		if _, err := n.Redeem(t.Context(), try[0], try[1], try[2], try[3]); !errors.Is(err, ErrGrant) {
			t.Errorf("%s: %v", name, err)
		}
	}
	n.redeem(code)
	late := n.connect("ana", "Late")
	n.clock.pass(CodeLife)
	if _, err := n.Redeem(t.Context(), late, program, redirect, verifier); !errors.Is(err, ErrGrant) {
		t.Errorf("after its minute: %v", err)
	}
}

func TestCodeOrTokenUsedTwiceEndsTheAssistant(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	code := n.connect("ana", "Code")
	tokens := n.redeem(code)
	if _, err := n.Redeem(t.Context(), code, program, redirect, verifier); !errors.Is(err, ErrGrant) || n.acts(tokens.Access) {
		t.Errorf("the code, used again: %v; its token acts: %t", err, n.acts(tokens.Access))
	}
	first := n.redeem(n.connect("ana", "Refresh"))
	second, err := n.Refresh(t.Context(), first.Refresh, program)
	check(t, err)
	third, err := n.Refresh(t.Context(), second.Refresh, program)
	check(t, err)
	if _, err := n.Refresh(t.Context(), first.Refresh, "qrc_other"); !errors.Is(err, ErrGrant) || !n.acts(third.Access) {
		t.Errorf("an old token of another client: %v", err)
	}
	if _, err := n.Refresh(t.Context(), first.Refresh, program); !errors.Is(err, ErrGrant) || n.acts(third.Access) {
		t.Errorf("an old token: %v; the newest acts: %t", err, n.acts(third.Access))
	}
	if _, err := n.Refresh(t.Context(), third.Refresh, program); !errors.Is(err, ErrGrant) {
		t.Errorf("the newest, after that: %v", err)
	}
}

func TestProgramIsRevokedAndBlocked(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "editor")
	n.addAccount("root", "owner")
	for _, which := range []func(Tokens) string{func(t Tokens) string { return t.Access }, func(t Tokens) string { return t.Refresh }} {
		tokens := n.redeem(n.connect("ana", "Claude"))
		check(t, n.Revoke(t.Context(), "qra_unknown", program))
		check(t, n.Revoke(t.Context(), which(tokens), "qrc_other"))
		if !n.acts(tokens.Access) {
			t.Fatal("another client has revoked the token")
		}
		check(t, n.Revoke(t.Context(), which(tokens), program))
		if n.acts(tokens.Access) {
			t.Error("a revoked token is valid")
		}
	}
	tokens, block := n.redeem(n.connect("ana", "Claude")), true
	_, err := n.Change(t.Context(), By{}, ana.ID, AccountChange{Blocked: &block})
	check(t, err)
	if _, err := n.Refresh(t.Context(), tokens.Refresh, program); !errors.Is(err, ErrGrant) {
		t.Errorf("of a blocked account: %v", err)
	}
}

// The same program takes the place of what it had; another one needs another name.
func TestProgramIsConnectedAgain(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	former := n.redeem(n.connect("ana", "Claude"))
	n.connect("ana", "Claude")
	next := n.redeem(n.connect("ana", "Claude"))
	if n.acts(former.Access) || !n.acts(next.Access) || len(n.Assistants(ana.ID)) != 1 {
		t.Error("the program has two assistants of one name, or none")
	}
	var wrong *FieldError
	if _, err := n.Connect(t.Context(), n.session("ana"), AssistantForm{Name: "Claude", Days: 1}, Connection{Client: "qrc_other"}); !errors.As(err, &wrong) {
		t.Errorf("another program of that name: %v", err)
	}
}

// Nothing that a program could use is stored as it is.
func TestGrantsAreHashed(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	code := n.connect("ana", "Claude")
	tokens := n.redeem(code)
	check(t, n.db.View(func(tx *store.Tx) error {
		return tx.Records(assistantsBucket, func(_ string, value []byte) error {
			for _, plain := range []string{code[strings.LastIndexByte(code, '.')+1:], tokens.Access[4:], tokens.Refresh[4:], program} {
				if strings.Contains(string(value), plain) {
					t.Errorf("%.8q… is stored", plain)
				}
			}
			return nil
		})
	}))
}
