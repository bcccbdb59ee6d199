package graphql

import (
	"context"
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
	s := &subscription{Operation: o, root: root, heavy: heavy, entries: map[string]*query.Query{}}
	t := root.Means.Type
	q := &live.Subscription{
		Text: "graphql\n" + o.key, Name: "next", Types: map[string]bool{t.UID: true}, Status: store.Published,
		Form: &live.Form{Data: s.data, Reset: resetEvent},
	}
	id, err := o.Argument(root.Field, "documentId")
	if err != nil {
		return nil, err
	}
	if raw(id) != "" {
		q.Documents = map[string]bool{raw(id): true}
	}
	tree, err := s.compile(call, root, nil)
	if err != nil {
		return nil, err
	}
	if tree.Get("status").IsText() && tree.Get("status").Text == "draft" && t.DraftAndPublish {
		q.Status = store.Draft
	}
	if q.Locales, err = localesOf(call, t, tree.Get("locale")); err != nil {
		return nil, err
	}
	for _, one := range s.members() {
		if one.Field.Name == "entry" {
			if _, err := s.compile(call, root, one); err != nil {
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

// subscription appends the events of a subscription.
type subscription struct {
	*Operation
	root    *Selected
	heavy   int
	entries map[string]*query.Query // by the keys of the members that show the entry
}

// members returns what an event shows.
func (s *subscription) members() []*Selected {
	return s.Inside(s.root, s.root.Field.Definition.Type.Name())
}

// compile compiles the query for a member that shows the entry; nil for none, of which it
// checks the arguments and the rights.
func (s *subscription) compile(call *documents.Call, root, member *Selected) (tree *params.Node, err error) {
	b := s.builder()
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
	dst = append(index.AppendString(append(dst, `{"data":{`...), s.root.Key), ":{"...)
	for i, one := range s.members() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, one.Key), ':')
		switch one.Field.Name {
		case typenameField:
			dst = index.AppendString(dst, one.Field.ObjectDefinition.Name)
		case "action":
			dst = index.AppendString(dst, e.Action.String())
		case "at":
			dst = index.AppendTime(dst, at.UnixMilli())
		case "documentId":
			dst = index.AppendString(dst, e.DocumentID)
		case "entry":
			dst = s.entry(dst, one.Key, e, current, errs)
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
		errs.errors = append(errs.errors, &Error{Code: "TOO_LARGE", Message: "The entry takes too much for a stream; read it with a query", Path: []any{s.root.Key, key}})
	case found:
		errs.addFaults(faults, s.root.Key, key)
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
