package users

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/store"
)

// A person who has signed in at a provider gets a voucher, which the front end exchanges
// for a session. A voucher works once and for two minutes. It contains the person,
// encrypted, so a voucher that is never exchanged takes no space; its use is a record.

// Person is a person who has signed in at a provider.
type Person struct {
	Provider string `json:"provider"` // its name in site.json
	Subject  string `json:"subject"`  // identifies the person at the provider, the same each time
	Email    string `json:"email"`    // empty if the provider does not have it
	Verified bool   `json:"verified"` // the address belongs to the person
	Username string `json:"username"` // at the provider; may be empty
}

// voucher lets a person in.
type voucher struct {
	Person Person    `json:"person"`
	ID     string    `json:"id"`
	Ends   time.Time `json:"ends"`
}

const (
	voucherPurpose = "voucher of somebody who signed in at a provider"
	voucherLasts   = 2 * time.Minute

	// usedBucket has the vouchers, ID tokens and codes that were used, until they expire. A
	// key begins with the second of expiry, so that expired ones come first.
	usedBucket = "connect.used"
	mostSwept  = 100 // expired ones that are removed with each use
)

// ErrVoucher refuses a voucher that is not valid.
var ErrVoucher = &content.ApplicationError{Message: "The access_token is not valid: it works once, within two minutes, and with the provider that it is of. Sign in there again"}

// Vouch returns a voucher for a person.
func (a *Accounts) Vouch(p Person) (string, error) {
	text, err := json.Marshal(voucher{p, rand.Text(), a.service.now().Add(voucherLasts).UTC()})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(a.auth.Seal(voucherPurpose, text)), nil
}

// Redeem exchanges a voucher of the provider for a session. Errors are ErrVoucher and those
// of Connect.
func (a *Accounts) Redeem(ctx context.Context, provider, text string) (*Session, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		sealed, err = a.auth.Unseal(voucherPurpose, sealed)
	}
	v := new(voucher)
	if err != nil || json.Unmarshal(sealed, v) != nil || v.Person.Provider != provider {
		return nil, ErrVoucher
	}
	return a.Connect(ctx, v.Person, v.ID, v.Ends)
}

// Connect starts a session of the user of a person at a provider, and creates the user the
// first time. once is the proof of identity: it can be used once, until ends. Errors are
// ErrVoucher if it has been used, *content.ApplicationError and *body.ValidationError.
func (a *Accounts) Connect(ctx context.Context, p Person, once string, ends time.Time) (*Session, error) {
	if err := a.use(ctx, once, ends); err != nil {
		return nil, err
	}
	u, err := a.ofPerson(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case u.Blocked:
		return nil, &content.ApplicationError{Message: "Your account has been blocked by an administrator"}
	case a.unconfirmed(u):
		return nil, &content.ApplicationError{Message: "Your account email is not confirmed"}
	}
	return a.session(ctx, u)
}

// use records that a proof was used.
func (a *Accounts) use(ctx context.Context, once string, ends time.Time) error {
	if !a.service.now().Before(ends) {
		return ErrVoucher
	}
	return a.writer.Record(ctx, a.usingUp(once, ends))
}

// usingUp records, within a transaction, that a proof was used, and removes some that have
// expired. The error is ErrVoucher if it was used before, on any node.
func (a *Accounts) usingUp(once string, ends time.Time) func(*store.Tx) error {
	now, sum := a.service.now(), sha256.Sum256([]byte(once))
	key := func(t time.Time) string { return fmt.Sprintf("%016x", t.Unix()) }
	return func(tx *store.Tx) error {
		var over []string
		err := tx.RecordsFrom(usedBucket, "", "", func(old string, _ []byte) bool {
			if old < key(now) && len(over) < mostSwept {
				over = append(over, old)
				return true
			}
			return false
		})
		for _, old := range over {
			err = errors.Join(err, tx.DeleteRecord(usedBucket, old))
		}
		name := key(ends) + " " + hex.EncodeToString(sum[:])
		if used, readErr := tx.Record(usedBucket, name); err != nil || readErr != nil {
			return errors.Join(err, readErr)
		} else if used != nil {
			return ErrVoucher
		}
		return tx.PutRecord(usedBucket, name, []byte("used"))
	}
}

// key returns the providerKey of the person's user.
func (p *Person) key() string {
	sum := sha256.Sum256([]byte(p.Subject))
	return p.Provider + ":" + hex.EncodeToString(sum[:])
}

var (
	errNoEmail     = &content.ApplicationError{Message: "Email was not available."}
	errUnverified  = &content.ApplicationError{Message: "Email was not verified by the provider."}
	errNoRegister  = &content.ApplicationError{Message: "Register action is actually not available."}
	errEmailIsHeld = &content.ApplicationError{Message: "Email is already taken."}
)

// ofPerson returns the user of a person: the one with this providerKey; otherwise one of
// this provider with the address and without a providerKey, as after an import; otherwise a
// new one. The address counts only if the provider has verified it, and nobody gets a user
// who signs in with a password or at another provider.
func (a *Accounts) ofPerson(ctx context.Context, p Person) (*user, error) {
	s := a.index.Snapshot()
	if u := a.byText(s, "providerKey", p.key()); u != nil && u.Provider == p.Provider {
		return u, nil
	}
	email := strings.ToLower(p.Email)
	switch {
	case email == "":
		return nil, errNoEmail
	case !p.Verified:
		return nil, errUnverified
	}
	u := a.byText(s, "email", email)
	switch {
	case u != nil && u.Provider == p.Provider && u.providerKey == "":
		return a.bind(ctx, u, p)
	case !a.settings.Register.Enabled:
		return nil, errNoRegister
	case u != nil:
		return nil, errEmailIsHeld
	}
	return a.createConnected(ctx, s, p, email)
}

// bind stores the providerKey of the person with the user.
func (a *Accounts) bind(ctx context.Context, found *user, p Person) (bound *user, err error) {
	err = a.withUserLock(found.DocumentID, func(u *user) error {
		if u == nil || u.Provider != p.Provider || u.providerKey != "" || u.Email != found.Email {
			return errEmailIsHeld
		}
		v := values{"providerKey": body.Text(p.key())}
		if u.epoch == "" {
			u.epoch = a.firstEpoch(u.DocumentID)
			v["sessionEpoch"] = body.Text(u.epoch)
		}
		bound = u
		err := a.update(ctx, u.DocumentID, v)
		if _, held := takenAttribute(err); held {
			return errEmailIsHeld // the user has another providerKey by now
		}
		return err
	})
	return bound, err
}

// createConnected creates the user of a person who signs in for the first time.
func (a *Accounts) createConnected(ctx context.Context, s *index.Snapshot, p Person, email string) (*user, error) {
	role := a.auth.Role(a.settings.Register.Role)
	if role == nil {
		a.service.log.Error("nobody can register: no role has the type that auth.register.role in site.json names", "type", a.settings.Register.Role)
		return nil, errNoRole
	}
	v := values{
		"email": body.Text(email), "provider": body.Text(p.Provider), "providerKey": body.Text(p.key()), "role": body.Text(role.DocumentID),
		"confirmed": body.Bool(true), "blocked": body.Bool(false), "sessionEpoch": body.Text(newEpoch()),
	}
	var result content.Result
	var err error
	for range usernameTries { // somebody else may have taken the name meanwhile
		v["username"] = body.Text(a.freeUsername(s, p.Username, email))
		if result, err = a.save(ctx, a.user, "", v); !isTaken(err, "username") {
			break
		}
		s = a.index.Snapshot()
	}
	if _, held := takenAttribute(err); held {
		if u := a.byText(a.index.Snapshot(), "providerKey", p.key()); u != nil && u.Provider == p.Provider { // who signed in twice at once
			return u, nil
		}
		err = errEmailIsHeld
	}
	if err != nil {
		return nil, err
	}
	made := a.byDocument(result.Snapshot, result.DocumentID)
	if made == nil {
		return nil, fmt.Errorf("user %s was made and cannot be read back", result.DocumentID)
	}
	return made, nil
}

// isTaken reports whether a write was refused because another user has the value.
func isTaken(err error, attribute string) bool {
	taken, ok := takenAttribute(err)
	return ok && taken == attribute
}

const (
	longestUsername = 50 // characters of a username at the provider
	usernameTries   = 10
)

// freeUsername returns a username that nobody has, made from the username at the provider
// or from the address. It has no @, so that it cannot be somebody's address.
func (a *Accounts) freeUsername(s *index.Snapshot, wish, email string) string {
	wish = plainName(wish)
	if wish == "" {
		wish = plainName(email)
	}
	name := wish
	for range usernameTries {
		if len([]rune(name)) >= shortestUsername && a.byText(s, "username", name) == nil {
			return name
		}
		name = wish + auth.RandomText(2)
	}
	return wish + auth.RandomText(16)
}

const shortestUsername = 3

// plainName returns the text before an @, in one line and not too long.
func plainName(text string) string {
	text, _, _ = strings.Cut(text, "@")
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	return string([]rune(text)[:min(longestUsername, len([]rune(text)))])
}
