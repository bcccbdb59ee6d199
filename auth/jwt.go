package auth

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// claims is the payload of a JWT: Strapi's claims, and epoch and sid.
type claims struct {
	ID      uint64 `json:"id"`            // of the user
	Epoch   string `json:"epoch"`         // of the user's sessions when it was made
	Session string `json:"sid,omitempty"` // if refresh tokens are used
	jwt.RegisteredClaims
}

// longestJWT limits what is parsed of a bearer credential.
const longestJWT = 2048

// SignJWT makes a JWT for a user with that numeric id and epoch, as part of a session if
// refresh tokens are used.
func (a *Auth) SignJWT(id uint64, epoch, session string, lifetime time.Duration) (string, error) {
	now := a.now()
	c := claims{ID: id, Epoch: epoch, Session: session}
	c.IssuedAt, c.ExpiresAt = jwt.NewNumericDate(now), jwt.NewNumericDate(now.Add(lifetime))
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(*a.keys.secret.Load())
}

// verify parses a JWT, and reports whether this server has signed it and it is still
// valid. HS256 is the only method accepted, whatever the JWT's header says.
func (a *Auth) verify(bearer string) (*claims, bool) {
	if len(bearer) > longestJWT {
		return nil, false
	}
	c := new(claims)
	_, err := jwt.ParseWithClaims(bearer, c,
		func(*jwt.Token) (any, error) { return *a.keys.secret.Load(), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(a.now))
	return c, err == nil && c.Epoch != ""
}
