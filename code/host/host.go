package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"quire/auth"
	"quire/auth/users"
	"quire/content"
	"quire/documents"
	"quire/index"
	"quire/media"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Host answers the calls of a project's code. It is safe for concurrent use.
type Host struct {
	Config
	service *documents.Service
	owner   *auth.Caller

	mu           sync.Mutex
	last         int
	transactions map[string]*transaction
	requests     map[string]*request
}

// Config is what a Host works with, beside documents. All of it belongs to one version of a
// site.
type Config struct {
	Accounts *users.Accounts
	Library  *media.Library
	Admins   func() []any // rows of admin::user; nil for none
}

// New returns the Host for one version of a site.
func New(s *documents.Service, c Config) (*Host, error) {
	owner, err := auth.NewAdminCaller(s.Site, "", "the project's code", &auth.AdminRole{Full: true})
	return &Host{service: s, owner: owner, Config: c, transactions: map[string]*transaction{}, requests: map[string]*request{}}, err
}

// Error is an error for the code, in the form of Strapi's.
type Error struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
	Details any    `json:"details,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// explain returns an error as the code sees it.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if errors.As(err, new(*content.OvertakenError)) {
		return &Error{Name: "OvertakenError", Message: err.Error(), Status: 409}
	}
	if p := documents.Explain(err); p != nil {
		return &Error{Name: p.Name, Message: p.Message, Status: cmp.Or(p.Status, statuses[p.Kind]), Details: p.Details}
	}
	return err
}

// statuses are those of HTTP, which errors of Strapi have too.
var statuses = map[documents.Kind]int{
	documents.Internal: 500, documents.Invalid: 400, documents.Unauthorized: 401, documents.Forbidden: 403, documents.NotFound: 404, documents.Conflict: 409,
	documents.Gone: 410, documents.Changed: 412, documents.TooLarge: 413, documents.Throttled: 429, documents.Busy: 503, documents.Full: 507, documents.Refused: 400,
}

// call is what the code asks for.
type call struct {
	*Host
	ctx       context.Context
	tx        *content.Transaction // nil outside of one
	own       *transaction         // the same, with what the host knows of it
	arguments map[string]json.RawMessage
	parsed    *params.Node // see tree
}

// Call answers a call in a transaction, whose id is empty for none. An error that the code may
// see is an *Error; all others are defects.
func (h *Host) Call(ctx context.Context, name string, arguments []byte, transaction string) (result []byte, err error) {
	defer content.CatchPanic(&err)
	answer := operations[name]
	if answer == nil {
		return nil, &Error{Name: "NotImplementedError", Message: fmt.Sprintf("Quire has no %s for a project's code", name), Status: 501}
	}
	c := &call{Host: h, ctx: content.Owned(ctx)}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &c.arguments); err != nil {
			return nil, &Error{Name: "ValidationError", Message: name + " takes an object", Status: 400}
		}
	}
	if err := c.enter(transaction); err != nil {
		return nil, explain(err)
	}
	result, err = answer(c)
	return result, explain(err)
}

// enter finds the transaction in which the call runs; an empty id is none.
func (c *call) enter(transaction string) error {
	if transaction == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.transactions[transaction]
	if t == nil {
		return &Error{Name: "ApplicationError", Message: "The write to which this belongs has ended; await everything that it does", Status: 400}
	}
	c.tx, c.own, c.ctx = t.Transaction, t, content.By(c.ctx, t.actor)
	return nil
}

// operations are the calls, by name.
var operations = map[string]func(*call) ([]byte, error){
	"documents.findMany":     (*call).findMany,
	"documents.findPage":     (*call).findPage,
	"documents.findFirst":    (*call).findFirst,
	"documents.findOne":      (*call).findOne,
	"documents.count":        (*call).count,
	"documents.create":       (*call).create,
	"documents.update":       (*call).update,
	"documents.delete":       (*call).delete,
	"documents.publish":      (*call).publish,
	"documents.unpublish":    (*call).unpublish,
	"documents.discardDraft": (*call).discardDraft,
	"documents.clone":        (*call).clone,
	"rows.findMany":          (*call).findRows,
	"rows.count":             (*call).countRows,
	"rows.create":            (*call).createRow,
	"rows.update":            (*call).updateRow,
	"rows.delete":            (*call).deleteRow,
	"documents.validate":     (*call).validate,
	"core.find":              (*call).coreFind,
	"core.findOne":           (*call).coreFindOne,
	"query.validate":         (*call).validateQuery,
	"query.sanitize":         (*call).sanitizeQuery,
	"input.validate":         (*call).validateInput,
	"input.sanitize":         (*call).sanitizeInput,
	"output.sanitize":        (*call).sanitizeOutput,
	"caller.allows":          (*call).allows,
	"door.handle":            (*call).handle,
	"users.add":              (*call).addUser,
	"users.edit":             (*call).editUser,
	"users.remove":           (*call).removeUser,
	"users.hasPassword":      (*call).hasPassword,
	"users.sendConfirmation": (*call).sendConfirmation,
	"jwt.issue":              (*call).issueJWT,
	"jwt.verify":             (*call).verifyJWT,
	"email.send":             (*call).sendMail,
	"upload.upload":          (*call).upload,
	"upload.update":          (*call).updateFile,
	"upload.remove":          (*call).removeFile,
	"admin.users":            (*call).adminUsers,
	"store.list":             (*call).listStored,
	"store.get":              (*call).getStored,
	"store.set":              (*call).setStored,
	"store.delete":           (*call).deleteStored,
	"transaction.begin":      (*call).begin,
	"transaction.commit":     func(c *call) ([]byte, error) { return c.end(nil) },
	"transaction.watch":      (*call).watch,
	"transaction.rollback":   func(c *call) ([]byte, error) { return c.end(errRolledBack) },
}

// text returns an argument that is a text; empty if it is missing.
func (c *call) text(key string) (text string) {
	_ = json.Unmarshal(c.arguments[key], &text) // another value counts as missing
	return text
}

// t returns the content type that the call is about.
func (c *call) t() (*schema.Type, error) {
	uid := c.text("uid")
	t := c.service.Site.Type(uid)
	if t == nil || t.IsComponent() {
		return nil, &Error{Name: "Error", Message: fmt.Sprintf("Model %s not found", uid), Status: 500}
	}
	return t, nil
}

// snapshot returns the content that the call sees.
func (c *call) snapshot() *index.Snapshot {
	if c.tx != nil {
		return c.tx.Snapshot()
	}
	return c.service.Index.Snapshot()
}

// notes are the arguments that are not parameters of a query.
var notes = []string{"uid", "documentId", "data", "caller", "id"}

// tree returns the arguments as the parameters of a query. As in Strapi, those that are null
// count as missing.
func (c *call) tree() (_ *params.Node, err error) {
	if c.parsed != nil {
		return c.parsed, nil
	}
	query := map[string]json.RawMessage{}
	for key, value := range c.arguments {
		if !slices.Contains(notes, key) && string(value) != "null" {
			query[key] = value
		}
	}
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	c.parsed, err = params.FromJSON(text, c.service.Limits())
	return c.parsed, err
}

// compile compiles a query of the owner. A status that is not given is that of drafts, as in
// Strapi's Document Service, also for what is populated.
func (c *call) compile(t *schema.Type, tree *params.Node, o query.Options) (*query.Query, error) {
	if tree.Get("status") == nil {
		tree = tree.WithText("status", "draft")
	}
	q, err := c.service.Compiler().Compile(t, tree, c.owner, o)
	if err == nil {
		c.note(q)
	}
	return q, err
}

// note notes for the commit of the transaction what a query reads.
func (c *call) note(q *query.Query) {
	if c.tx == nil {
		return
	}
	changed := q.LastChange(c.tx.Snapshot())
	c.tx.Read(func(now *index.Snapshot) bool { return q.LastChange(now) == changed })
}

func (c *call) query(o query.Options) (t *schema.Type, q *query.Query, err error) {
	if t, err = c.t(); err != nil {
		return nil, nil, err
	}
	tree, err := c.tree()
	if err == nil {
		q, err = c.compile(t, tree, o)
	}
	return t, q, err
}

func (c *call) findMany() ([]byte, error) {
	_, q, err := c.query(query.Options{Bare: true})
	if err != nil {
		return nil, err
	}
	return q.AppendBare(c.ctx, c.snapshot(), nil)
}

// findPage answers {"data": [...], "meta": {"pagination": {...}}}.
func (c *call) findPage() ([]byte, error) {
	_, q, err := c.query(query.Options{})
	if err != nil {
		return nil, err
	}
	return q.AppendList(c.ctx, c.snapshot(), nil)
}

func (c *call) findFirst() ([]byte, error) {
	c.arguments["start"], c.arguments["limit"] = json.RawMessage("0"), json.RawMessage("1")
	list, err := c.findMany()
	if err != nil || string(list) == "[]" {
		return []byte("null"), err
	}
	return list[1 : len(list)-1], nil
}

func (c *call) findOne() ([]byte, error) {
	t, q, err := c.query(query.Options{Bare: true})
	if err != nil {
		return nil, err
	}
	entry, found, err := q.AppendBareOne(c.ctx, c.snapshot(), c.document(t), nil)
	if err == nil && !found {
		entry = []byte("null")
	}
	return entry, err
}

// document returns the id of the document that the call is about.
func (c *call) document(t *schema.Type) string {
	id := c.text("documentId")
	if id == "" && t.Kind == schema.Single {
		id, _ = c.snapshot().SingleDocument(t)
	}
	return id
}

func (c *call) count() ([]byte, error) {
	_, q, err := c.query(query.Options{Bare: true})
	if err != nil {
		return nil, err
	}
	n, err := q.Count(c.ctx, c.snapshot())
	return json.RawMessage(fmt.Sprint(n)), err
}

// locale returns the locale that a call asks for; empty for the default one.
func (c *call) locale() string { return c.text("locale") }

// locales returns the locales of an action: one, several, or * for all.
func (c *call) locales() (codes []string) {
	if json.Unmarshal(c.arguments["locale"], &codes) != nil || codes == nil {
		if one := c.locale(); one != "" {
			codes = []string{one}
		}
	}
	return codes
}

// entries answers {"documentId": ..., "entries": [...]}.
func entries(documentID string, list [][]byte) []byte {
	dst := append([]byte(nil), `{"documentId":`...)
	dst = index.AppendString(dst, documentID)
	dst = append(dst, `,"entries":[`...)
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e...)
	}
	return append(dst, "]}"...)
}

// show returns an entry as the arguments of the call ask for it: with fields and populate.
func (c *call) show(t *schema.Type, s *index.Snapshot, k store.Key) ([]byte, error) {
	tree, err := c.tree()
	if err != nil {
		return nil, err
	}
	shown := tree.Without("filters", "sort", "status", "locale", "start", "limit", "pagination", "where", "select", "orderBy")
	if t.DraftAndPublish {
		shown = shown.WithText("status", map[store.Status]string{store.Draft: "draft", store.Published: "published"}[k.Status])
	}
	if k.Locale != "" {
		shown = shown.WithText("locale", k.Locale)
	}
	q, err := c.service.Compiler().Compile(t, shown, c.owner, query.Options{Bare: true, Write: true})
	if err != nil {
		return nil, err
	}
	entry, found, err := q.AppendBareEntry(c.ctx, s, k, nil)
	if err == nil && !found {
		entry = []byte("null")
	}
	return entry, err
}
