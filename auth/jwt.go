package auth

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// claims is what a JWT says, in the reference's words and two of our own.
type claims struct {
	ID      uint64 `json:"id"`            // of the user
	Epoch   string `json:"epoch"`         // that the user's sessions had when it was made
	Session string `json:"sid,omitempty"` // where sessions are prolonged by refresh tokens
	jwt.RegisteredClaims
}

// longestJWT bounds what is parsed of a bearer credential.
const longestJWT = 2048

// sign makes a JWT for a user.
func (a *Auth) sign(u *User, session string, lifetime time.Duration) (string, error) {
	now := a.now()
	c := claims{ID: u.ID, Epoch: u.epoch, Session: session}
	c.IssuedAt, c.ExpiresAt = jwt.NewNumericDate(now), jwt.NewNumericDate(now.Add(lifetime))
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(*a.secret.Load())
}

// verify reads a JWT that this server has made. HS256 is the only method that is
// believed, whatever the JWT says of itself.
func (a *Auth) verify(bearer string) (*claims, bool) {
	if len(bearer) > longestJWT {
		return nil, false
	}
	c := new(claims)
	_, err := jwt.ParseWithClaims(bearer, c,
		func(*jwt.Token) (any, error) { return *a.secret.Load(), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(a.now))
	return c, err == nil && c.Epoch != ""
}
