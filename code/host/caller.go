package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"quire/store"
	"slices"
	"strconv"
	"strings"
	"sync"

	"quire/content"
	"quire/content/body"
	"quire/documents"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// A handler of the project asks on behalf of the caller of its request: what the caller may
// see of a list, whether a query may name a key.

// request is a request that the code handles.
type request struct {
	mu     sync.Mutex // a Call is for one goroutine
	call   *documents.Call
	handle Handle
	files  []string
}

// Handle answers a request as if there were no code. A nil body is none.
type Handle func(ctx context.Context, method, target string, body []byte) (status int, headers [][2]string, answer []byte)

// Begin gives the code a name for the caller of a request, until end is called. Until then it
// may read the files of the request.
func (h *Host) Begin(c *documents.Call, handle Handle, files []string) (name string, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	name = fmt.Sprintf("caller %d", h.last)
	h.requests[name] = &request{call: c, handle: handle, files: files}
	return name, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.requests, name)
	}
}

// Lent reports whether a path is that of a file of a request.
func (h *Host) Lent(path string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.requests {
		if slices.Contains(r.files, path) {
			return true
		}
	}
	return false
}

// ofRequest returns the request whose caller the arguments name.
func (c *call) ofRequest() (*request, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.requests[c.text("caller")]
	if r == nil {
		return nil, &Error{Name: "ApplicationError", Message: "The request to which this belongs has ended; await everything that it does", Status: 400}
	}
	return r, nil
}

// behalf calls fn with the Call of the caller that the arguments name, as it is now.
func (c *call) behalf(fn func(*documents.Call) ([]byte, error)) ([]byte, error) {
	r, err := c.ofRequest()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.tx == nil {
		r.call.Latest()
		return fn(r.call)
	}
	return fn(r.call.At(c.tx.Snapshot()))
}

// handle lets the server answer the request, perhaps with a query that middlewares have
// changed. It answers the status, the headers and the body.
func (c *call) handle() ([]byte, error) {
	r, err := c.ofRequest()
	if err != nil {
		return nil, err
	}
	target, query, _ := strings.Cut(c.text("url"), "?")
	if changed, err := params.FromJSON(c.arguments["query"], params.Limits{}); err == nil && c.arguments["query"] != nil {
		query = changed.Encode()
	}
	status, headers, body := r.handle(c.ctx, c.text("method"), target+"?"+query, c.arguments["body"])
	answer := map[string]any{"status": status, "headers": headers}
	switch {
	case json.Valid(body):
		answer["body"] = json.RawMessage(body)
	case len(body) > 0:
		answer["body"] = string(body)
	}
	return json.Marshal(answer)
}

// typeAndQuery returns the content type and the query among the arguments.
func (c *call) typeAndQuery() (t *schema.Type, tree *params.Node, err error) {
	if t, err = c.t(); err != nil {
		return nil, nil, err
	}
	given := c.arguments["query"]
	if given == nil || string(given) == "null" {
		return t, &params.Node{Kind: params.Object}, nil
	}
	tree, err = params.FromJSON(given, c.service.Limits())
	return t, tree, err
}

func (c *call) coreFind() ([]byte, error) {
	return c.read(func(in *documents.Call, t *schema.Type, a documents.Arguments) (*documents.Read, error) {
		if t.Kind == schema.Single {
			return in.FindOne(t, "", a)
		}
		return in.Find(t, a)
	})
}

func (c *call) coreFindOne() ([]byte, error) {
	return c.read(func(in *documents.Call, t *schema.Type, a documents.Arguments) (*documents.Read, error) {
		return in.FindOne(t, c.document(t), a)
	})
}

// read answers as the content API answers the caller.
func (c *call) read(prepare func(*documents.Call, *schema.Type, documents.Arguments) (*documents.Read, error)) ([]byte, error) {
	t, tree, err := c.typeAndQuery()
	if err != nil {
		return nil, err
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		r, err := prepare(in, t, documents.Arguments{Tree: tree})
		if err != nil {
			return nil, err
		}
		return r.Append(c.ctx, nil)
	})
}

// validateQuery refuses a query with a key that the caller may not use, and answers the
// query.
func (c *call) validateQuery() ([]byte, error) {
	t, tree, err := c.typeAndQuery()
	if err != nil {
		return nil, err
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		if err := in.CheckQuery(t, tree); err != nil {
			return nil, err
		}
		if query := c.arguments["query"]; query != nil {
			return query, nil
		}
		return []byte("{}"), nil
	})
}

// mostDropped is how many keys are taken out of one query or one body: after each, the rest is read
// again, so that a key of a long body counts once more for each bytesDropped. What has more keys is
// refused.
const (
	mostDropped  = 100
	bytesDropped = 128 << 10
)

// sanitizeQuery answers a query without the keys that the caller may not use.
func (c *call) sanitizeQuery() ([]byte, error) {
	t, _, err := c.typeAndQuery()
	if err != nil {
		return nil, err
	}
	left := map[string]any{}
	if given := c.arguments["query"]; given != nil && string(given) != "null" {
		if err := json.Unmarshal(given, &left); err != nil {
			return nil, err
		}
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		for dropped := 0; ; {
			text, err := json.Marshal(left)
			if err := errors.Join(err, c.ctx.Err()); err != nil {
				return nil, err
			}
			tree, err := params.FromJSON(text, c.service.Limits())
			if err != nil {
				return nil, err
			}
			err = in.CheckQuery(t, tree)
			refused, ok := errors.AsType[*query.KeyError](err)
			if !ok {
				return text, err
			}
			if dropped += 1 + len(text)/bytesDropped; dropped > mostDropped || !dropKey(left, refused) {
				return nil, err
			}
		}
	})
}

// validateInput refuses data with a key that the caller may not send, and answers the data.
func (c *call) validateInput() ([]byte, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	data := c.arguments["data"]
	if data == nil || string(data) == "null" {
		return []byte("null"), nil
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		input, err := body.Decode(c.service.Site, t, data, in.Caller)
		if err == nil {
			err = c.checkFiles(in, input)
		}
		return data, err
	})
}

// sanitizeInput answers data without the keys that the caller may not send.
func (c *call) sanitizeInput() ([]byte, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	var data any
	d := json.NewDecoder(bytes.NewReader(c.arguments["data"]))
	d.UseNumber()
	if d.Decode(&data) != nil || data == nil {
		return []byte("null"), nil
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		for dropped := 0; ; {
			text, err := json.Marshal(data)
			if err := errors.Join(err, c.ctx.Err()); err != nil {
				return nil, err
			}
			var refused *body.KeyError
			input, err := body.Decode(c.service.Site, t, text, in.Caller)
			if err == nil {
				return text, c.checkFiles(in, input)
			}
			if !errors.As(err, &refused) {
				return text, nil // what is wrong with values is found when they are written
			}
			path := strings.Split(refused.Path, ".")
			if refused.Path == "" || refused.Fault == body.ReservedKey {
				path = path[:len(path)-1]
			}
			if dropped += 1 + len(text)/bytesDropped; dropped > mostDropped || !remove(data, path, refused.Key) {
				return nil, err
			}
		}
	})
}

// checkFiles refuses data with private files that the caller may not link to. The document is that of
// the request; of another one, the caller sees no more.
func (c *call) checkFiles(in *documents.Call, input *body.Input) error {
	return c.service.Writer.CheckFiles(in.Context(c.ctx), input, c.text("documentId"))
}

// remove deletes a key of the objects at a path, which does not name positions in lists.
func remove(value any, path []string, key string) (removed bool) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			removed = remove(one, path, key) || removed
		}
	case map[string]any:
		if len(path) > 0 {
			return remove(value[path[0]], path[1:], key)
		}
		_, removed = value[key]
		delete(value, key)
	}
	return removed
}

// sanitizeOutput answers entries without what the caller may not see.
func (c *call) sanitizeOutput() ([]byte, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) { return in.Sanitize(t, c.arguments["data"]) })
}

// allows answers whether the caller has all of some permissions: "api::article.article.find".
func (c *call) allows() ([]byte, error) {
	var names []string
	if err := json.Unmarshal(c.arguments["permissions"], &names); err != nil {
		return nil, &Error{Name: "ValidationError", Message: "permissions must be a list of names", Status: 400}
	}
	return c.behalf(func(in *documents.Call) ([]byte, error) {
		return json.Marshal(in.Caller.HasPermissions(names))
	})
}

// validate refuses data that could not be written, before lifecycles see it; or, without
// data, a draft that could not be published.
func (c *call) validate() ([]byte, error) {
	r, err := c.request()
	if err != nil {
		return nil, err
	}
	var one content.Write
	switch {
	case c.arguments["data"] == nil:
		one = content.ToPublish(content.Step{Type: r.Type, DocumentID: r.DocumentID, Locales: c.locales()})
	case r.DocumentID == "" && r.Type.Kind != schema.Single:
		one = content.ToCreate(r)
	default:
		one = content.ToUpdate(r)
	}
	if c.tx != nil {
		return []byte("null"), c.tx.Try(c.ctx, one)
	}
	refused, err := c.service.Writer.Try(c.ctx, []content.Write{one})
	if err == nil {
		err = refused[0]
	}
	return []byte("null"), err
}

// State returns what ctx.state has of the caller: the user with its role, null for none, and
// how the caller has signed in.
func (h *Host) State(ctx context.Context, in *documents.Call, user uint64) (account, signedIn json.RawMessage, err error) {
	account, strategy := json.RawMessage("null"), "users-permissions"
	if user != 0 {
		c := &call{Host: h, ctx: ctx, arguments: map[string]json.RawMessage{"uid": json.RawMessage(strconv.Quote(schema.UserUID)), "populate": json.RawMessage(`["role"]`)}}
		t := h.service.Site.Type(schema.UserUID)
		if k, found := c.snapshot().ByID(t, user); found {
			if account, err = c.show(t, c.snapshot(), k); err != nil {
				return nil, nil, err
			}
		}
	} else if in.Caller != nil && in.Actor.Kind() == store.ByToken {
		strategy = "api-token"
	} else if in.Caller != nil && in.Actor.Kind() == store.ByAdmin {
		strategy = "admin"
		if account, err = json.Marshal(in.Author(in.Actor)); err != nil {
			return nil, nil, err
		}
	}
	return account, fmt.Appendf(nil, `{"strategy":{"name":%q},"credentials":%s}`, strategy, account), nil
}

// Show returns an entry as the code sees it, also one that no longer exists.
func (h *Host) Show(uid string, e *store.Entry) []byte {
	return h.service.Compiler().Viewer(h.owner, h.service.Index.Snapshot()).View(h.service.Site.Type(uid), e).Append(nil)
}
