package people

import (
	"errors"
	"time"
)

// Way is how a session began.
type Way string

// The ways in. A session that began before they were stored began with a password.
const (
	ByPassword Way = "password"
	ByPasskey  Way = "passkey"
	ByLink     Way = "link"    // created in the admin
	ByCommand  Way = "command" // a link that was created on the machine
	ByOpenID   Way = "openid"
)

// ErrClosed refuses a way of signing in that the site has closed: without passwords there
// are the provider, and links made on the machine.
var ErrClosed = errors.New("people sign in to this site at its provider")

// errNoPasswords refuses to set a password if passwords sign nobody in.
var errNoPasswords = &FieldError{"password", "People sign in at the provider here, and have no passwords"}

// closed reports whether nobody can sign in that way.
func (b *Directory) closed(w Way) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.closedLocked(w)
}

// closedLocked is closed. mu must be held.
func (b *Directory) closedLocked(w Way) bool {
	s := &b.site.Settings.Admin
	switch w {
	case ByCommand:
		return false
	case ByOpenID:
		return s.OpenID == nil
	}
	return !s.Passwords
}

// FreshFor is how long after signing in at the provider an account without a password may
// change its security settings: it has no password to prove again.
const FreshFor = 10 * time.Minute

// checkFresh is the check for an account without a password. key is that of the form.
func (s *Session) checkFresh(now time.Time, key string) error {
	if s.session.Way == ByOpenID && now.Sub(s.session.Created) < FreshFor {
		return nil
	}
	return &FieldError{key, "Sign out and in again, and do this within 10 minutes: your account has no password to check"}
}
