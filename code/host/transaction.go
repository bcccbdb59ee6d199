package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// mostTransactions is the number of transactions that a project's code may have open.
const mostTransactions = 1024

// transaction is one in which calls run.
type transaction struct {
	*content.Transaction
	actor store.Actor
	end   func(error) error // ends a transaction that the code has begun; nil for others
	ended func(committed bool)

	stored map[string]json.RawMessage // what it has stored under keys; nil for a deleted one
}

// errRolledBack ends a transaction that the code takes back.
var errRolledBack = errors.New("rolled back")

// register gives a transaction an id.
func (h *Host) register(t *transaction) (id string, forget func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.transactions) >= mostTransactions {
		return "", nil, &Error{Name: "ServiceUnavailableError", Message: "Too many writes are in progress", Status: 503}
	}
	h.last++
	id = strconv.Itoa(h.last)
	h.transactions[id] = t
	return id, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.transactions, id)
	}, nil
}

// begin begins a transaction that the code commits or rolls back.
func (c *call) begin() ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(c.ctx), content.LongestTransaction, &content.SlowError{})
	requested, ended, begun := make(chan error), make(chan error, 1), make(chan string, 1)
	var once sync.Once
	go func() {
		defer cancel()
		_, _, err := c.service.Writer.TransactOnce(ctx, string(c.arguments["slow"]) == "true", func(ctx context.Context, t *content.Transaction) error {
			id, forget, err := c.register(&transaction{Transaction: t, actor: content.ActorOf(c.ctx), end: func(why error) error {
				once.Do(func() { requested <- why })
				return <-ended
			}})
			if err != nil {
				return err
			}
			defer forget()
			begun <- id
			select {
			case why := <-requested:
				return why
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		ended <- err
		close(ended)
	}()
	select {
	case id := <-begun:
		return json.Marshal(map[string]string{"id": id})
	case err := <-ended:
		return nil, err
	}
}

// end commits a transaction that the code has begun, or rolls it back.
func (c *call) end(why error) ([]byte, error) {
	id := c.text("id")
	c.mu.Lock()
	t := c.transactions[id]
	c.mu.Unlock()
	if t == nil || t.end == nil {
		if why != nil {
			return []byte("null"), nil // it has ended because it took too long
		}
		return nil, &content.SlowError{}
	}
	err := t.end(why)
	if errors.Is(err, errRolledBack) {
		err = nil
	}
	return []byte("null"), err
}

// watch has the code hear of the end of a transaction that it has not begun.
func (c *call) watch() ([]byte, error) {
	if c.own == nil || c.own.ended == nil {
		return nil, errors.New("code/host: the code has begun this transaction itself")
	}
	c.own.After(c.own.ended)
	return []byte("null"), nil
}

// Program is a project's code that has been loaded.
type Program interface {
	// Handles reports whether the code takes part in writes of a type.
	Handles(uid string) bool

	// Wraps reports whether writes pass through middlewares before lifecycles run.
	Wraps() bool

	// Write calls strapi.documents(uid)[action](params) in a transaction. It returns the
	// result. If checked is set, the data has been validated.
	Write(ctx context.Context, transaction, uid, action string, params json.RawMessage, checked bool) (json.RawMessage, error)

	// Ended has the code call what it wants to be called after a transaction in which Write was
	// called. It does not wait for that.
	Ended(transaction string, committed bool)
}

// Coded is a project's code as the Writer knows it. It implements [content.Code].
type Coded struct {
	Host    *Host
	Program Program
}

// Handles implements content.Code.
func (c *Coded) Handles(t *schema.Type) bool { return c.Program.Handles(t.UID) }

// actions are the names of actions in Strapi's Document Service.
var actions = map[store.Action]string{
	store.ActionCreate: "create", store.ActionUpdate: "update", store.ActionDelete: "delete", store.ActionPublish: "publish",
	store.ActionUnpublish: "unpublish", store.ActionDiscardDraft: "discardDraft", store.ActionDuplicate: "clone",
}

// Write implements content.Code.
func (c *Coded) Write(ctx context.Context, t *content.Transaction, task content.Task) (documentID string, err error) {
	name, ok := actions[task.Action]
	if !ok {
		return "", fmt.Errorf("code/host: the code knows no %s", task.Action)
	}
	within := &transaction{Transaction: t, actor: content.ActorOf(ctx)}
	id, forget, err := c.Host.register(within)
	if err != nil {
		return "", err
	}
	defer forget()
	within.ended = func(committed bool) { c.Program.Ended(id, committed) }
	params := map[string]any{}
	if task.DocumentID != "" && task.Action != store.ActionCreate {
		params["documentId"] = task.DocumentID
	}
	if task.Data != nil {
		params["data"] = task.Data
	}
	switch len(task.Locales) {
	case 0:
	case 1:
		params["locale"] = task.Locales[0]
	default:
		params["locale"] = task.Locales
	}
	if task.Type.DraftAndPublish && (task.Action == store.ActionCreate || task.Action == store.ActionUpdate) {
		params["status"] = statusName(task.Status)
	}
	if task.Discard {
		params["discardDraft"] = true
	}
	text, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	// Nothing can change these data before lifecycles see them, so they are validated here, which
	// saves the code a call.
	checked := task.Action == store.ActionCreate && task.Data != nil && !c.Program.Wraps()
	if checked {
		if err := c.Host.tryCreate(ctx, within, task); err != nil {
			return "", err
		}
	}
	result, err := c.Program.Write(ctx, id, task.Type.UID, name, text, checked)
	if err != nil {
		return "", err
	}
	var of struct {
		DocumentID string `json:"documentId"`
	}
	_ = json.Unmarshal(result, &of) // a middleware may return anything
	return of.DocumentID, nil
}

// tryCreate refuses a create that could not be done. The code has not changed its data yet.
func (h *Host) tryCreate(ctx context.Context, t *transaction, task content.Task) error {
	arguments := map[string]json.RawMessage{"uid": json.RawMessage(strconv.Quote(task.Type.UID)), "status": json.RawMessage(`"draft"`), "data": task.Data}
	if len(task.Locales) == 1 {
		arguments["locale"] = json.RawMessage(strconv.Quote(task.Locales[0]))
	}
	c := &call{Host: h, ctx: content.By(content.Owned(ctx), t.actor), tx: t.Transaction, own: t, arguments: arguments}
	_, err := c.validate()
	return err
}

func statusName(s store.Status) string {
	if s == store.Draft {
		return "draft"
	}
	return "published"
}
