package graphql

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"quire/content/event"
	"quire/documents"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/server/live"
	"quire/store"
)

// Subscribe returns what a subscription asks for: the changes of the entries of a type in one
// status and locale. Each shows the entry as the filters find it now, with the rights of the
// caller; null if they do not find it. heavy is the cost from which a query is heavy.
func (o *Operation) Subscribe(call *documents.Call, heavy int) (*live.Subscription, error) {
	root := o.Roots()[0]
	s := &subscription{key: root.Key, heavy: heavy, entries: map[string]*query.Query{}}
	t := root.Means.Type
	text := sha256.Sum256([]byte(o.key))
	q := &live.Subscription{
		Text: "graphql\n" + string(text[:]), Name: "next", Types: map[string]bool{t.UID: true}, Status: store.Published,
		Form: &live.Form{Data: s.data, Reset: resetEvent},
	}
	id, err := o.Argument(root.Field, "documentId")
	if err != nil {
		return nil, err
	}
	if raw(id) != "" {
		q.Documents = map[string]bool{raw(id): true}
	}
	tree, err := s.compile(call, o, nil)
	if err != nil {
		return nil, err
	}
	if tree.Get("status").IsText() && tree.Get("status").Text == "draft" && t.DraftAndPublish {
		q.Status = store.Draft
	}
	if q.Locales, err = localesOf(call, t, tree.Get("locale")); err != nil {
		return nil, err
	}
	for _, one := range o.Inside(root, root.Field.Definition.Type.Name()) {
		s.members = append(s.members, eventMember{one.Key, one.Field.Definition.Name, one.Field.ObjectDefinition.Name})
		if one.Field.Name == "entry" {
			if _, err := s.compile(call, o, one); err != nil {
				return nil, err
			}
		}
	}
	return q, nil
}

// Refuse returns the response to a subscription that cannot begin.
func (o *Operation) Refuse(err error, host Host) *Refusal {
	return &Refusal{Started: true, Errors: []*Error{errorOf(err, o.Roots()[0], host)}}
}

// localesOf returns the locale of a subscription; nil for a type without locales.
func localesOf(call *documents.Call, t *schema.Type, n *params.Node) (map[string]bool, error) {
	code := call.Site.Settings.DefaultLocale
	if n != nil {
		code = n.Text
	}
	switch {
	case !t.Localized:
		return nil, nil
	case !call.Site.Settings.HasLocale(code):
		return nil, &Error{Code: BadUserInput, Name: "ValidationError", Message: fmt.Sprintf("A subscription has one locale of the site, which has no locale %q", shorten(code))}
	}
	return map[string]bool{code: true}, nil
}

// mostStreamBytes limits the text of a subscription with its variables: the stream keeps what is
// made of them.
const mostStreamBytes = 16 << 10

// checkLength refuses a subscription that is too long.
func (o *Operation) checkLength(variables json.RawMessage) *Refusal {
	if o.IsSubscription() && len(o.def.Position.Src.Input)+len(variables) > mostStreamBytes {
		return refuse(BadUserInput, fmt.Sprintf("A subscription and its variables have at most %d bytes", mostStreamBytes))
	}
	return nil
}

// subscription appends the events of a subscription. It outlives the request, and so has
// nothing of the parsed operation.
type subscription struct {
	key     string // of the field at the top
	members []eventMember
	heavy   int
	entries map[string]*query.Query // by the keys of the members that show the entry
}

// eventMember is what an event shows under a key: a field of a type.
type eventMember struct{ key, field, of string }

// compile compiles the query for a member that shows the entry; nil for none, of which it
// checks the arguments and the rights.
func (s *subscription) compile(call *documents.Call, o *Operation, member *Selected) (tree *params.Node, err error) {
	root, b := o.Roots()[0], o.builder()
	tree = object()
	if err := b.arguments(root.Field, tree); err != nil {
		return nil, err
	}
	t := root.Means.Type
	ensureFields(tree, t)
	if member != nil {
		tree = tree.Without("fields")
		err = b.records(tree, t, member)
	}
	q, err := call.CompileShaped(t, schema.Find, documents.Shaped{Tree: func() (*params.Node, *query.Shape, error) { return tree, b.shape, err }})
	switch {
	case err != nil:
		return nil, err
	case member == nil:
		return tree, nil
	case q.Large():
		return nil, &Error{Code: BadUserInput, Name: "ValidationError", Message: "The entry asks for too much for a stream; select less"}
	}
	q.Observe(nil) // the stream outlives the request
	s.entries[member.Key] = q
	return tree, nil
}

// data appends one event.
func (s *subscription) data(dst []byte, at time.Time, e *event.Event, current func([]byte, live.Ask) ([]byte, bool, bool)) []byte {
	errs := &faultList{}
	dst = append(index.AppendString(append(dst, `{"data":{`...), s.key), ":{"...)
	for i, one := range s.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, one.key), ':')
		switch one.field {
		case typenameField:
			dst = index.AppendString(dst, one.of)
		case "action":
			dst = index.AppendString(dst, e.Action.String())
		case "at":
			dst = index.AppendTime(dst, at.UnixMilli())
		case "documentId":
			dst = index.AppendString(dst, e.DocumentID)
		case "entry":
			dst = s.entry(dst, one.key, e, current, errs)
		}
	}
	dst = append(dst, "}}"...)
	if len(errs.errors) > 0 {
		dst = appendErrors(append(dst, ','), errs.errors)
	}
	return append(dst, '}')
}

// entry appends the entry of an event, if there is one.
func (s *subscription) entry(dst []byte, key string, e *event.Event, current func([]byte, live.Ask) ([]byte, bool, bool), errs *faultList) []byte {
	if e.Action == store.ActionDelete || e.Action == store.ActionUnpublish {
		return append(dst, "null"...)
	}
	faults := &query.Faults{}
	dst, found, omitted := current(dst, func(host query.Host, at *index.Snapshot, e *event.Event, dst []byte) ([]byte, bool, error) {
		q := *s.entries[key]
		q.Guard(host, s.heavy)
		return q.AppendShapedOne(context.Background(), at, e.DocumentID, faults, dst)
	})
	switch {
	case omitted:
		errs.errors = append(errs.errors, &Error{Code: "TOO_LARGE", Message: "The entry takes too much for a stream; read it with a query", Path: []any{s.key, key}})
	case found:
		errs.addFaults(faults, s.key, key)
		return dst
	}
	return append(dst, "null"...)
}

// Stream appends the result of a query or a mutation, or the errors of a request, as a
// stream of events that ends after it.
func Stream(result, dst []byte) []byte {
	return append(append(append(dst, "event: next\ndata: "...), result...), completed...)
}

const completed = "\n\nevent: complete\ndata: \n\n"

// resetEvent ends a stream whose log has started again.
const resetEvent = `event: next
data: {"errors":[{"message":"The log of changes has started again: read what you show, and subscribe again","extensions":{"code":"RESET"}}]}

event: complete
data: `
