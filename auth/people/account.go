package people

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/auth"
	"quire/auth/password"
	"quire/store"
)

const accountsBucket = "admin.accounts"

// Count returns the number of accounts in a data file. Errors are the store's.
func Count(tx *store.Tx) (int, error) { return tx.CountRecords(accountsBucket, "") }

// Contact is what an account is recognized by outside of its data file.
type Contact struct{ Name, Email string }

// Contacts returns the contacts of all accounts in a data file, by id. Errors are the store's.
func Contacts(tx *store.Tx) (map[string]Contact, error) {
	all := map[string]Contact{}
	err := tx.Records(accountsBucket, func(id string, value []byte) error {
		if r, err := readRecord(value); err == nil {
			all[id] = Contact{r.Name, r.Email}
		}
		return nil
	})
	return all, err
}

// Account is one account, without its password. It is immutable.
type Account struct {
	ID      string // 16 hex digits
	Name    string
	Email   string // in lower case
	Roles   Roles
	Created time.Time

	Values   auth.AccountValues // for conditions of roles
	Language string             // of the pages; empty for the language of the browser
	Active   bool               // a password has been chosen

	SecondFactor bool // required at sign-in
	Blocked      bool // it cannot sign in until it is unblocked
	OpenID       bool // it is linked to a person at the provider

	record *record
	caller *auth.Caller
}

// Sees returns a caller with the rights of the account, for what others may ask about it: whether
// it sees something.
func (a *Account) Sees() *auth.Caller { return a.caller }

// Limits of the values of an account. The length of passwords is in bytes, as for users;
// the others are in characters.
const (
	longestName      = 100
	longestEmail     = 254
	shortestPassword = 8
	longestPassword  = password.MaxBytes
)

// ErrTaken refuses an address that another account has.
var ErrTaken = &FieldError{"email", "Another account has this email"}

// FieldError reports an invalid value in a form.
type FieldError struct{ Key, Message string }

func (e *FieldError) Error() string { return e.Message }

// record is the stored form of an account. Its key is the id.
type record struct {
	Name    string    `json:"name"`
	Email   string    `json:"email"`
	Role    string    `json:"role"` // id; that of owners comes first
	Others  []string  `json:"otherRoles,omitempty"`
	Hash    string    `json:"hash,omitempty"`
	Created time.Time `json:"created"`

	Values   auth.AccountValues `json:"values,omitempty"`
	Language string             `json:"language,omitempty"`
	Blocked  bool               `json:"blocked,omitempty"`
	Link     *providerLink      `json:"openid,omitempty"` // the linked person at the provider

	PasskeysAdded int `json:"passkeysAdded,omitempty"` // in total: a ticket for the next one can be used once
}

// readRecord parses the stored form of an account.
func readRecord(value []byte) (*record, error) {
	r := new(record)
	if err := json.Unmarshal(value, r); err != nil {
		return nil, err
	}
	if r.Email == "" {
		return nil, errors.New("it has no email")
	}
	return r, nil
}

// epoch returns a value that changes with the password.
func (r *record) epoch() string {
	sum := sha256.Sum256([]byte(r.Hash))
	return hex.EncodeToString(sum[:idBytes])
}

func (r *record) put(tx *store.Tx, id string) error {
	return tx.PutJSON(accountsBucket, id, r)
}

// checkName returns the name of an account or a role without surrounding space. The error
// is a *FieldError.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", &FieldError{"name", "Say a name"}
	case n > longestName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", &FieldError{"name", fmt.Sprintf("A name is one line of at most %d characters", longestName)}
	}
	return name, nil
}

// checkEmail returns an address in the form in which it is stored. The error is a
// *FieldError.
func checkEmail(email string) (string, error) {
	email = Normal(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > longestEmail {
		return "", &FieldError{"email", "Enter an email address, for example ana@example.org"}
	}
	return email, nil
}

// Normal returns an address in the form for comparisons: without surrounding space, in
// lower case.
func Normal(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkPassword refuses passwords that are too short or too long. The error is a
// *FieldError with the key.
func checkPassword(key, password string) error {
	if utf8.RuneCountInString(password) < shortestPassword || len(password) > longestPassword {
		return &FieldError{key, fmt.Sprintf("A password has at least %d characters, and at most %d bytes", shortestPassword, longestPassword)}
	}
	return nil
}

// free refuses an address that an account other than id has.
func free(tx *store.Tx, email, id string) error {
	return tx.Records(accountsBucket, func(other string, value []byte) error {
		if r, err := readRecord(value); err == nil && r.Email == email && other != id {
			return ErrTaken
		}
		return nil
	})
}
