package users

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Accounts has the users of one version of the site: they are content like any other, read
// from the index and changed by the writer of that version.
type Accounts struct {
	service  *Service
	auth     *auth.Auth
	site     *schema.Site
	index    *index.Index
	writer   *content.Writer
	settings *settings.Accounts
	user     *schema.Type
	role     *schema.Type
}

// Accounts returns the users of a version of the site. From then on mail is sent for that
// version.
func (s *Service) Accounts(site *schema.Site, x *index.Index, w *content.Writer) *Accounts {
	accounts := &Accounts{
		service: s, auth: s.auth, site: site, index: x, writer: w, settings: &site.Settings.Accounts,
		user: site.Type(schema.UserUID), role: site.Type(schema.RoleUID),
	}
	s.serving.Store(accounts)
	return accounts
}

// user is one account.
type user struct {
	auth.User
	Username, Email string
	Provider        string
	Confirmed       bool
	Blocked         bool

	password     string // its hash
	epoch        string // sessions of other epochs have ended
	providerKey  string // the subject at the provider: see connect.go
	reset        string // stored form of the code: see code.go
	confirmation string
}

// documentID returns the documentId of the user, empty if u is nil.
func (u *user) documentID() string {
	if u == nil {
		return ""
	}
	return u.DocumentID
}

func (a *Accounts) lookup(s *index.Snapshot) index.Lookup { return s.Lookup(a.user, store.Published) }

// byID returns the user with that numeric id, or nil.
func (a *Accounts) byID(s *index.Snapshot, id uint64) *user {
	return readUser(a.lookup(s).ByID(id))
}

// byDocument returns the user with that documentId, or nil.
func (a *Accounts) byDocument(s *index.Snapshot, documentID string) *user {
	return readUser(a.lookup(s).ByDocument(documentID, ""))
}

// byText returns the user with that text in an attribute, or nil.
func (a *Accounts) byText(s *index.Snapshot, attribute, text string) *user {
	if text == "" {
		return nil
	}
	return readUser(a.lookup(s).ByValue(attribute, store.TextValue(text)))
}

// byIdentifier returns the user who signs in with a name. A mail address takes precedence,
// so that nobody can take over an account by choosing its address as a username.
func (a *Accounts) byIdentifier(s *index.Snapshot, name string) *user {
	if u := a.byText(s, "email", strings.ToLower(name)); u != nil {
		return u
	}
	return a.byText(s, "username", name)
}

// readUser returns the user that was found, or nil.
func readUser(e index.Found, ok bool) *user {
	if !ok {
		return nil
	}
	return &user{
		User:     auth.User{ID: e.ID(), DocumentID: e.DocumentID(), Role: e.Link("role")},
		Username: e.Text("username"), Email: e.Text("email"), Provider: e.Text("provider"),
		Confirmed: e.Bool("confirmed"), Blocked: e.Bool("blocked"),
		password: e.Text("password"), epoch: e.Text("sessionEpoch"), providerKey: e.Text("providerKey"),
		reset: e.Text("resetPasswordToken"), confirmation: e.Text("confirmationToken"),
	}
}

// values has attributes of a user or role to write.
type values map[string]body.Value

// object returns the values as a body.
func (v values) object() body.Value {
	members := make([]body.Field, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		members = append(members, body.Field{Key: name, Value: v[name]})
	}
	return body.Object(members...)
}

// save writes values of a user or role. It creates one if documentID is empty.
func (a *Accounts) save(ctx context.Context, t *schema.Type, documentID string, v values) (content.Result, error) {
	return a.saveBeside(ctx, t, documentID, v, nil)
}

// saveBeside is save with records of the store in the same transaction.
func (a *Accounts) saveBeside(ctx context.Context, t *schema.Type, documentID string, v values, beside func(*store.Tx) error) (content.Result, error) {
	return a.write(ctx, content.Request{Type: t, DocumentID: documentID, Beside: beside}, v, nil)
}

// write decodes the values and submits the request.
func (a *Accounts) write(ctx context.Context, r content.Request, v values, access schema.Access) (_ content.Result, err error) {
	if r.Input, err = body.DecodeValue(a.site, r.Type, v.object(), access); err != nil {
		return content.Result{}, err
	}
	r.Status = store.Published
	if r.DocumentID == "" {
		return a.writer.Create(ctx, r)
	}
	return a.writer.Update(ctx, r)
}

// update writes values of an existing user.
func (a *Accounts) update(ctx context.Context, documentID string, v values) error {
	return a.updateBeside(ctx, documentID, v, nil)
}

// updateBeside is update with records of the store in the same transaction.
func (a *Accounts) updateBeside(ctx context.Context, documentID string, v values, beside func(*store.Tx) error) error {
	_, err := a.saveBeside(ctx, a.user, documentID, v, beside)
	return err
}

// SignedIn implements auth.Accounts.
func (a *Accounts) SignedIn(id uint64, epoch, session string) *auth.User {
	u := a.byID(a.index.Snapshot(), id)
	if u == nil || u.Blocked || a.unconfirmed(u) || cmp.Or(u.epoch, a.firstEpoch(u.DocumentID)) != epoch || session != "" && !a.service.sessions.alive(session, u) {
		return nil
	}
	return &u.User
}

// withUserLock runs fn while nobody else in this process changes the user's credentials. fn
// gets the current user, nil if it has been deleted: what it checks still holds when it
// writes.
func (a *Accounts) withUserLock(documentID string, fn func(u *user) error) error {
	h := fnv.New32a()
	h.Write([]byte(documentID))
	lock := &a.service.turns[h.Sum32()%uint32(len(a.service.turns))]
	lock.Lock()
	defer lock.Unlock()
	return fn(a.byDocument(a.index.Snapshot(), documentID))
}

// firstEpoch returns the epoch of a user who has none yet, such as an imported one.
func (a *Accounts) firstEpoch(documentID string) string {
	d := a.auth.Digest("first epoch " + documentID)
	return hex.EncodeToString(d[:12])
}

// newEpoch returns a new epoch, which ends every session of a user when it is written.
func newEpoch() string { return auth.RandomText(12) }

// takenAttribute returns the attribute with a value that another user or role has, if that
// is why a write was refused.
func takenAttribute(err error) (attribute string, ok bool) {
	var refused *body.ValidationError
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
