package users_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"quire/auth/users"
)

const outside = "a secret that is known to the test"

// openKnown opens a site that signs with a secret that the test knows.
func openKnown(t *testing.T) (*fixture, *users.Session) {
	t.Helper()
	h := reopenFixture(t, t.TempDir()+"/quire.db", loadSite(t, `{}`), start(), options{JWTSecret: outside})
	return h, h.join("ana")
}

// claimsOf reads what a JWT says.
func claimsOf(t *testing.T, token string) jwt.MapClaims {
	t.Helper()
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	check(t, err)
	var c jwt.MapClaims
	check(t, json.Unmarshal(payload, &c))
	return c
}

func TestWhatAJWTSays(t *testing.T) {
	h, s := openKnown(t)
	c := claimsOf(t, s.JWT)
	now := float64(h.clock.Now().Unix())
	if len(c) != 4 || c["id"] != 1.0 || c["iat"] != now || c["exp"] != now+(720*time.Hour).Seconds() || c["epoch"] == "" {
		t.Errorf("got %v", c)
	}
}

// GHSA-6hwx-8w6v-r7rx, CVE-2023-22893: HS256 with our secret is all that is
// believed, whatever a JWT says of itself.
func TestJWTsThatAreNotBelieved(t *testing.T) {
	h, s := openKnown(t)
	c := claimsOf(t, s.JWT)
	sign := func(method jwt.SigningMethod, key any, change map[string]any) string {
		changed := jwt.MapClaims{}
		for name, value := range c {
			changed[name] = value
		}
		for name, value := range change {
			changed[name] = value
			if value == nil {
				delete(changed, name)
			}
		}
		token, err := jwt.NewWithClaims(method, changed).SignedString(key)
		h.check(err)
		return token
	}
	if h.who(sign(jwt.SigningMethodHS256, []byte(outside), nil)) != "ana" {
		t.Fatal("the JWTs that this test makes are not like ours")
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	h.check(err)
	ours := []byte(outside)
	parts := strings.Split(s.JWT, ".")
	for what, token := range map[string]string{
		"no signature":          sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"no signature, cut":     parts[0] + "." + parts[1] + ".",
		"HS384":                 sign(jwt.SigningMethodHS384, ours, nil),
		"HS512":                 sign(jwt.SigningMethodHS512, ours, nil),
		"RS256":                 sign(jwt.SigningMethodRS256, key, nil),
		"another secret":        sign(jwt.SigningMethodHS256, []byte("guessed"), nil),
		"no secret":             sign(jwt.SigningMethodHS256, []byte{}, nil),
		"no expiry":             sign(jwt.SigningMethodHS256, ours, map[string]any{"exp": nil}),
		"expired":               sign(jwt.SigningMethodHS256, ours, map[string]any{"exp": h.clock.Now().Unix()}),
		"not yet valid":         sign(jwt.SigningMethodHS256, ours, map[string]any{"nbf": h.clock.Now().Unix() + 60}),
		"no epoch":              sign(jwt.SigningMethodHS256, ours, map[string]any{"epoch": nil}),
		"another epoch":         sign(jwt.SigningMethodHS256, ours, map[string]any{"epoch": "x"}),
		"another user":          sign(jwt.SigningMethodHS256, ours, map[string]any{"id": 2}),
		"a user by text":        sign(jwt.SigningMethodHS256, ours, map[string]any{"id": "1"}),
		"a session that is not": sign(jwt.SigningMethodHS256, ours, map[string]any{"sid": "x"}),
		"too long":              sign(jwt.SigningMethodHS256, ours, map[string]any{"x": strings.Repeat("x", 4000)}),
		"changed":               parts[0] + "." + parts[1] + "x." + parts[2],
		"two parts":             parts[0] + "." + parts[1],
		"four parts":            s.JWT + ".x",
		"with space":            s.JWT + " ",
	} {
		if got := h.who(token); got != "" {
			t.Errorf("%s: taken for %s", what, got)
		}
	}
}
