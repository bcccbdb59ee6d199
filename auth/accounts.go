package auth

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strings"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Accounts is the users of one version of the site: they are content like any
// other, read from the index and changed by the writer of that version.
type Accounts struct {
	auth     *Auth
	site     *schema.Site
	index    *index.Index
	writer   *content.Writer
	settings *schema.Accounts
	user     *schema.Type
	role     *schema.Type
}

// Accounts returns the users of a version of the site.
func (a *Auth) Accounts(site *schema.Site, x *index.Index, w *content.Writer) *Accounts {
	return &Accounts{
		auth: a, site: site, index: x, writer: w, settings: &site.Settings.Accounts,
		user: site.Type(schema.UserUID), role: site.Type(schema.RoleUID),
	}
}

// User is one account.
type User struct {
	ID              uint64
	DocumentID      string
	Username, Email string
	Provider        string
	Role            string // documentId; empty for none
	Confirmed       bool
	Blocked         bool

	password     string // its hash
	epoch        string // sessions of another epoch are over
	reset        string // stored form of the code, see code.go
	confirmation string
}

// byID returns the user of that numeric id, or nil.
func (a *Accounts) byID(s *index.Snapshot, id uint64) *User {
	r, ok := s.Table(a.user, store.Published).FindID(id)
	if !ok {
		return nil
	}
	return a.read(s, r)
}

// byDocument returns the user of that documentId, or nil.
func (a *Accounts) byDocument(s *index.Snapshot, documentID string) *User {
	_, r, ok := s.Find(a.user, store.Key{DocumentID: documentID, Status: store.Published})
	if !ok {
		return nil
	}
	return a.read(s, r)
}

// byText returns the user that has the text in an attribute, or nil.
func (a *Accounts) byText(s *index.Snapshot, attribute, text string) *User {
	if text == "" {
		return nil
	}
	var found *User
	tb := s.Table(a.user, store.Published)
	s.Values(tb, index.NewPath(a.user.Attribute(attribute))).Rows(index.TextKey(text)).Each(func(r index.Row) bool {
		found = a.read(s, r)
		return false
	})
	return found
}

// byIdentifier returns the user who signs in under a name: the mail address if
// there is one, so that nobody takes an account over by choosing its address
// for a username.
func (a *Accounts) byIdentifier(s *index.Snapshot, name string) *User {
	if u := a.byText(s, "email", strings.ToLower(name)); u != nil {
		return u
	}
	return a.byText(s, "username", name)
}

func (a *Accounts) read(s *index.Snapshot, r index.Row) *User {
	e := s.Table(a.user, store.Published).Entry(r)
	slot := func(name string) []byte {
		t := a.user.Attribute(name)
		return e.Body.Slot(t.Slot)
	}
	text := func(name string) string { return string(index.SlotText(slot(name))) }
	u := &User{
		ID: e.ID, DocumentID: s.Collection(a.user).DocumentID(e.Doc),
		Username: text("username"), Email: text("email"), Provider: text("provider"),
		Confirmed: text("confirmed") == "true", Blocked: text("blocked") == "true",
		password: text("password"), epoch: text("sessionEpoch"),
		reset: text("resetPasswordToken"), confirmation: text("confirmationToken"),
	}
	edges := s.Edges(a.user.Attribute("role"), slot("role"))
	if edge, ok := edges.Next(); ok {
		u.Role = s.Collection(a.role).DocumentID(edge.Target)
	}
	return u
}

// values are what is written of a user or role, by attribute.
type values map[string]any

// save writes values of a user, who is made when documentID is empty.
func (a *Accounts) save(ctx context.Context, t *schema.Type, documentID string, v values) (content.Result, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return content.Result{}, err
	}
	return a.write(ctx, t, documentID, data, nil)
}

func (a *Accounts) write(ctx context.Context, t *schema.Type, documentID string, data json.RawMessage, access schema.Access) (content.Result, error) {
	input, err := content.Decode(a.site, t, data, access)
	if err != nil {
		return content.Result{}, err
	}
	request := content.Request{Type: t, DocumentID: documentID, Status: store.Published, Input: input}
	if documentID == "" {
		return a.writer.Create(ctx, request)
	}
	return a.writer.Update(ctx, request)
}

// update writes values of a user that there is.
func (a *Accounts) update(ctx context.Context, u *User, v values) error {
	_, err := a.save(ctx, a.user, u.DocumentID, v)
	return err
}

// alone runs fn while nobody else changes how the user comes in, with the user as
// it is by then, nil when it is gone: what fn looks at is still so when it writes.
func (a *Accounts) alone(documentID string, fn func(u *User) error) error {
	h := fnv.New32a()
	h.Write([]byte(documentID))
	lock := &a.auth.turns[h.Sum32()%uint32(len(a.auth.turns))]
	lock.Lock()
	defer lock.Unlock()
	return fn(a.byDocument(a.index.Snapshot(), documentID))
}

// newEpoch ends every session of a user when it is written.
func newEpoch() string { return random(12) }

// taken returns which attribute of a refused user somebody else has already.
func taken(err error) (attribute string, ok bool) {
	var refused *content.ValidationError
	if !errors.As(err, &refused) {
		return "", false
	}
	for _, issue := range refused.Issues {
		if issue.Message == content.NotUnique && len(issue.Path) == 1 {
			return issue.Path[0], true
		}
	}
	return "", false
}
