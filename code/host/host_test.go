package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"quire/content"
	"quire/content/contenttest"
	"quire/documents"
	"quire/store"
)

// code is a project's code, with its site.
type code struct {
	testing.TB
	*Host
	writer *content.Writer
}

func open(t testing.TB) *code {
	t.Helper()
	f := contenttest.New(t, contenttest.Guide(t))
	s, err := documents.New(documents.Config{Site: f.Site, DB: f.DB, Index: f.Index, Writer: f.Writer, Log: slog.New(slog.DiscardHandler), CursorKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(s, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &code{t, h, f.Writer}
}

// try makes a call in a transaction; empty for none.
func (c *code) try(transaction, name, arguments string) (any, error) {
	c.Helper()
	result, err := c.Call(c.Context(), name, []byte(arguments), transaction)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(result, &value); err != nil {
		c.Fatalf("%s %s answers %s: %v", name, arguments, result, err)
	}
	return value, nil
}

func (c *code) call(name, arguments string) any { c.Helper(); return c.callIn("", name, arguments) }

func (c *code) callIn(transaction, name, arguments string) any {
	c.Helper()
	value, err := c.try(transaction, name, arguments)
	if err != nil {
		c.Fatalf("%s %s: %v", name, arguments, err)
	}
	return value
}

// member returns what is at a path in a value: "entries.0.name".
func member(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i := 0
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

func TestDocumentsHaveDraftsUntilTheyArePublished(t *testing.T) {
	t.Parallel()
	c := open(t)
	made := c.call("documents.create", `{"uid": "api::restaurant.restaurant", "data": {"name": "Blue Door", "nonsense": 1}}`)
	id := member(made, "documentId").(string)
	about := func(more string) string {
		return fmt.Sprintf(`{"uid": "api::restaurant.restaurant", "documentId": %q%s}`, id, more)
	}
	if at := member(made, "publishedAt"); at != nil {
		t.Errorf("a new document was published at %v", at)
	}
	if got := c.call("documents.findOne", about(`, "status": "published"`)); got != nil {
		t.Errorf("the published version is %v", got)
	}
	if got := member(c.call("documents.publish", about("")), "entries.0.publishedAt"); got == nil {
		t.Error("publish shows no published entry")
	}
	c.call("documents.update", about(`, "data": {"name": "Green Door"}`))
	for status, want := range map[string]string{"draft": "Green Door", "published": "Blue Door"} {
		if got := member(c.call("documents.findOne", about(`, "fields": ["name"], "status": "`+status+`"`)), "name"); got != want {
			t.Errorf("the %s is called %v, want %s", status, got, want)
		}
	}
	if got := member(c.call("documents.discardDraft", about("")), "entries.0.name"); got != "Blue Door" {
		t.Errorf("the discarded draft is called %v", got)
	}
	if got := member(c.call("documents.unpublish", about("")), "entries").([]any); len(got) != 1 {
		t.Errorf("unpublish shows %v", got)
	}
	if got := c.call("documents.count", `{"uid": "api::restaurant.restaurant", "filters": {"name": "Blue Door"}}`); got != 1.0 {
		t.Errorf("count is %v", got)
	}
	if got := member(c.call("documents.delete", about("")), "entries").([]any); len(got) != 1 {
		t.Errorf("delete shows %v", got)
	}
	for _, name := range []string{"documents.findOne", "documents.update"} {
		if got := c.call(name, about("")); got != nil {
			t.Errorf("%s of a deleted document answers %v", name, got)
		}
	}
	if got := c.call("documents.findFirst", `{"uid": "api::restaurant.restaurant"}`); got != nil {
		t.Errorf("the first of none is %v", got)
	}
}

func TestRowsAreDraftsAndPublishedVersions(t *testing.T) {
	t.Parallel()
	c := open(t)
	for _, name := range []string{"Bee", "Ant"} {
		made := c.call("documents.create", fmt.Sprintf(`{"uid": "api::restaurant.restaurant", "status": "published", "data": {"name": %q}}`, name))
		if member(made, "publishedAt") == nil {
			t.Fatal("not published")
		}
	}
	names := func(query string) (all []string) {
		t.Helper()
		for _, row := range c.call("rows.findMany", `{"uid": "api::restaurant.restaurant", "select": ["name"], `+query+`}`).([]any) {
			all = append(all, fmt.Sprint(member(row, "name")))
		}
		return all
	}
	for query, want := range map[string]string{
		`"orderBy": {"name": "asc"}`:                                                                 "Ant Ant Bee Bee",
		`"orderBy": [{"name": "desc"}], "limit": 1, "offset": 1`:                                     "Bee",
		`"where": {"publishedAt": null}`:                                                             "Bee Ant",
		`"where": {"publishedAt": {"$notNull": true}, "name": {"$startsWith": "A"}}`:                 "Ant",
		`"where": {"$and": [{"publishedAt": {"$notNull": true}}, {"name": "Bee"}]}, "orderBy": "id"`: "Bee",
	} {
		if got := strings.Join(names(query), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if n := c.call("rows.count", `{"uid": "api::restaurant.restaurant"}`); n != 4.0 {
		t.Errorf("there are %v rows", n)
	}
	row := member(c.call("rows.findMany", `{"uid": "api::restaurant.restaurant", "where": {"name": "Ant", "publishedAt": {"$notNull": true}}}`), "0")
	c.call("rows.update", fmt.Sprintf(`{"uid": "api::restaurant.restaurant", "id": %v, "data": {"name": "Zoo"}}`, member(row, "id")))
	if got := strings.Join(names(`"orderBy": "name"`), " "); got != "Ant Bee Bee Zoo" {
		t.Errorf("after an update of one row: %s", got)
	}
	c.call("rows.delete", fmt.Sprintf(`{"uid": "api::restaurant.restaurant", "id": %v}`, member(row, "id")))
	if got := strings.Join(names(`"orderBy": "name"`), " "); got != "Ant Bee Bee" {
		t.Errorf("after deleting one row: %s", got)
	}
}

func TestATransactionOfTheCodeIsSeenInsideAlone(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"commit", "rollback"} {
		c := open(t)
		id := member(c.call("transaction.begin", "{}"), "id").(string)
		c.callIn(id, "documents.create", `{"uid": "api::dish.dish", "data": {"name": "Soup"}}`)
		count := func(transaction string) any {
			return c.callIn(transaction, "documents.count", `{"uid": "api::dish.dish"}`)
		}
		if inside, outside := count(id), count(""); inside != 1.0 || outside != 0.0 {
			t.Errorf("before the end there are %v inside and %v outside", inside, outside)
		}
		c.call("transaction."+end, fmt.Sprintf(`{"id": %q}`, id))
		want := map[string]any{"commit": 1.0, "rollback": 0.0}[end]
		if got := count(""); got != want {
			t.Errorf("after the %s there are %v, want %v", end, got, want)
		}
		if _, err := c.try(id, "documents.count", `{"uid": "api::dish.dish"}`); err == nil {
			t.Error("a transaction that has ended takes calls")
		}
	}
}

func TestCallsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	c := open(t)
	for call, want := range map[string]string{
		`documents.fly {}`:                                                        "NotImplementedError",
		`documents.findMany []`:                                                   "ValidationError",
		`documents.findMany {}`:                                                   "Error",
		`documents.findMany {"uid": "api::nope.nope"}`:                            "Error",
		`documents.findMany {"uid": "place.address"}`:                             "Error",
		`documents.create {"uid": "api::category.category"}`:                      "ValidationError",
		`documents.publish {"uid": "api::category.category"}`:                     "Error",
		`rows.update {"uid": "api::dish.dish"}`:                                   "ValidationError",
		`rows.update {"uid":"api::dish.dish","id":777}`:                           "NotFoundError",
		`rows.findMany {"uid":"api::dish.dish","limit":"x"}`:                      "ValidationError",
		`documents.findMany {"uid": "api::dish.dish", "filters": {"nope": 1}}`:    "ValidationError",
		`documents.create {"uid": "api::dish.dish", "data": [1]}`:                 "ValidationError",
		`documents.create {"uid": "api::dish.dish", "data": {"name": {"a": 1}}}`:  "ValidationError",
		`documents.update {"uid": "api::dish.dish", "documentId": 5, "data": {}}`: "",
	} {
		name, arguments, _ := strings.Cut(call, " ")
		_, err := c.try("", name, arguments)
		var own *Error
		if errors.As(err, &own); want == "" && err == nil {
			continue
		}
		if own == nil || own.Name != want {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
	if _, err := c.try("77", "documents.count", `{"uid": "api::dish.dish"}`); err == nil {
		t.Error("a transaction that does not exist takes calls")
	}
}

// program is a project's code that is written in Go.
type program struct {
	*Host
	handles string
	write   func(ctx context.Context, transaction, action string, params map[string]json.RawMessage) ([]byte, error)
}

func (p *program) Handles(uid string) bool { return uid == p.handles }

func (p *program) Ended(string, bool) {}

func (p *program) Wraps() bool { return false }

func (p *program) Write(ctx context.Context, transaction, uid, action string, params json.RawMessage, _ bool) (json.RawMessage, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(params, &given); err != nil {
		return nil, err
	}
	given["uid"] = json.RawMessage(fmt.Sprintf("%q", uid))
	return p.write(ctx, transaction, action, given)
}

// run makes the call that the action comes to without further code.
func (p *program) run(ctx context.Context, transaction, action string, params map[string]json.RawMessage) ([]byte, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return p.Call(ctx, "documents."+action, text, transaction)
}

// audited makes the code write a review with each restaurant, and refuse some of them after
// that.
func (c *code) audited() {
	p := &program{Host: c.Host, handles: "api::dish.dish"}
	p.write = func(ctx context.Context, transaction, action string, params map[string]json.RawMessage) ([]byte, error) {
		result, err := p.run(ctx, transaction, action, params)
		if err != nil {
			return nil, err
		}
		if _, err := p.Call(ctx, "documents.create", fmt.Appendf(nil, `{"uid": "api::category.category", "data": {"name": %q}}`, action+" "+fmt.Sprint(len(params["data"]))), transaction); err != nil {
			return nil, err
		}
		if strings.Contains(string(params["data"]), "bad") {
			return nil, &content.RefusedError{Status: 400, Name: "ApplicationError", Message: "bad"}
		}
		return result, nil
	}
	c.writer.SetCode(&Coded{c.Host, p})
}

func (c *code) request(data string) content.Request {
	c.Helper()
	t := c.service.Site.Type("api::dish.dish")
	in, err := c.writer.Owned(t, json.RawMessage(data))
	if err != nil {
		c.Fatal(err)
	}
	return content.Request{Type: t, Status: store.Published, Input: in}
}

func TestAWriteAndWhatTheCodeAddsAreOneTransaction(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.audited()
	before := c.service.Index.Snapshot().Revision()
	result, err := c.writer.Create(t.Context(), c.request(`{"name": "Soup"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !result.Created || result.Snapshot.Revision() != before+1 || result.Version == 0 {
		t.Errorf("%+v at revision %d, want a new document at %d", result, result.Snapshot.Revision(), before+1)
	}
	if n := c.call("documents.count", `{"uid": "api::category.category"}`); n != 1.0 {
		t.Errorf("the code has written %v categories", n)
	}
	_, err = c.writer.Create(t.Context(), c.request(`{"name": "bad soup"}`))
	if refused := (*content.RefusedError)(nil); !errors.As(err, &refused) {
		t.Errorf("a refused write gets %v", err)
	}
	for uid, want := range map[string]any{"api::dish.dish": 1.0, "api::category.category": 1.0} {
		if n := c.call("documents.count", fmt.Sprintf(`{"uid": %q}`, uid)); n != want {
			t.Errorf("after a refused write, there are %v of %s", n, uid)
		}
	}
}

func TestWritesOfManyClientsPassThroughTheCode(t *testing.T) {
	t.Parallel()
	c := open(t)
	p := &program{Host: c.Host, handles: "api::dish.dish"}
	p.write = func(ctx context.Context, transaction, action string, params map[string]json.RawMessage) ([]byte, error) {
		n, err := p.Call(ctx, "documents.count", []byte(`{"uid": "api::category.category"}`), transaction)
		if err != nil {
			return nil, err
		}
		if _, err := p.Call(ctx, "documents.create", fmt.Appendf(nil, `{"uid": "api::category.category", "data": {"name": "number %s", "code": %s}}`, n, n), transaction); err != nil {
			return nil, err
		}
		return p.run(ctx, transaction, action, params)
	}
	c.writer.SetCode(&Coded{c.Host, p})
	var all sync.WaitGroup
	for i := range 48 {
		all.Go(func() {
			if _, err := c.writer.Create(t.Context(), c.request(fmt.Sprintf(`{"name": "Soup %d"}`, i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := c.call("documents.count", `{"uid": "api::category.category", "filters": {"code": {"$lt": 48}}}`); n != 48.0 {
		t.Errorf("the code has numbered %v of 48 without a gap", n)
	}
}

func TestWhatTheCodeStoresBelongsToItsTransaction(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.call("store.set", `{"key": "plugin_x_y", "value": {"n": 1}}`)
	id := member(c.call("transaction.begin", "{}"), "id").(string)
	c.callIn(id, "store.set", `{"key": "plugin_x_y", "value": 2}`)
	if inside, outside := c.callIn(id, "store.get", `{"key": "plugin_x_y"}`), member(c.call("store.get", `{"key": "plugin_x_y"}`), "n"); inside != 2.0 || outside != 1.0 {
		t.Errorf("inside it is %v, outside %v", inside, outside)
	}
	c.call("transaction.rollback", fmt.Sprintf(`{"id": %q}`, id))
	if n := member(c.call("store.get", `{"key": "plugin_x_y"}`), "n"); n != 1.0 {
		t.Errorf("after a rollback it is %v", n)
	}
	c.call("store.delete", `{"key": "plugin_x_y"}`)
	if v := c.call("store.get", `{"key": "plugin_x_y"}`); v != nil {
		t.Errorf("after delete it is %v", v)
	}
	for _, bad := range []string{`{"value": 1}`, fmt.Sprintf(`{"key": "k", "value": %q}`, strings.Repeat("x", mostStored))} {
		if _, err := c.try("", "store.set", bad); err == nil {
			t.Errorf("%.40s was stored", bad)
		}
	}
}

func TestRolesArePermissionsOneByOne(t *testing.T) {
	t.Parallel()
	c := open(t)
	role := c.call("documents.create", `{"uid": "plugin::users-permissions.role", "data": {"name": "Reader", "type": "reader"}}`)
	const find = "api::dish.dish.find"
	about := func(rest string) string {
		return fmt.Sprintf(`{"uid": "plugin::users-permissions.permission", %s}`, fmt.Sprintf(rest, member(role, "id")))
	}
	created := c.call("rows.create", about(`"data": {"action": "`+find+`", "role": %v}`))
	if member(created, "action") != find || member(created, "role.type") != "reader" {
		t.Errorf("created %v", created)
	}
	c.call("rows.create", about(`"data": {"action": "`+find+`", "role": {"id": %v}}`))
	found := c.call("rows.findMany", about(`"where": {"role": %v}`)).([]any)
	if len(found) != 1 || c.call("rows.count", about(`"where": {"action": {"$in": ["`+find+`"]}, "role": {"id": %v}}`)) != 1.0 {
		t.Fatalf("found %v", found)
	}
	c.call("rows.update", fmt.Sprintf(`{"uid": "plugin::users-permissions.permission", "id": %v, "data": {"enabled": true}}`, member(found[0], "id")))
	update := func(data string) string {
		return fmt.Sprintf(`{"uid": "plugin::users-permissions.permission", "id": %v, "data": %s}`, member(c.call("rows.findMany", about(`"where": {"role": %v}`)).([]any)[0], "id"), data)
	}
	if _, err := c.try("", "rows.update", update(`{"action": "nothing"}`)); err == nil || c.call("rows.count", about(`"where": {"action": "`+find+`", "role": %v}`)) != 1.0 {
		t.Errorf("a row was changed to no action: %v", err)
	}
	if changed := c.call("rows.update", update(`{"action": "api::dish.dish.findOne"}`)); member(changed, "action") != "api::dish.dish.findOne" || c.call("rows.count", about(`"where": {"role": %v}`)) != 1.0 {
		t.Errorf("changed to %v", changed)
	}
	c.call("rows.delete", update("null"))
	if left := c.call("rows.count", about(`"where": {"role": %v}`)); left != 0.0 {
		t.Errorf("%v are left", left)
	}
	for _, bad := range []string{`"data": {"action": "nothing", "role": %v}`, `"data": {"action": "api::a.a.find", "role": 0%v}`, `"data": {"action": "api::a.a.find"}, "x": %v`} {
		if _, err := c.try("", "rows.create", about(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// A transaction plans its writes twice, and a change that ends sessions is the same each time.
func TestPasswordsAndBlocksInATransaction(t *testing.T) {
	t.Parallel()
	c := open(t)
	made := c.call("documents.create", `{"uid": "plugin::users-permissions.user", "data": {"username": "eve", "email": "eve@example.org", "password": "Password 1", "blocked": true}}`)
	for _, data := range []string{`"password": "Password 2"`, `"blocked": false`, `"blocked": true`, `"confirmed": true`, `"confirmed": false`} {
		changed := c.call("users.edit", fmt.Sprintf(`{"id": %v, "data": {%s}}`, member(made, "id"), data))
		if member(changed, "username") != "eve" {
			t.Errorf("%s: %v", data, changed)
		}
	}
}

func TestRowsCountWhatTheyPopulateAndChooseByType(t *testing.T) {
	t.Parallel()
	c := open(t)
	category := member(c.call("documents.create", `{"uid": "api::category.category", "data": {"name": "Soup", "code": 1}}`), "documentId")
	c.call("documents.create", fmt.Sprintf(`{"uid": "api::restaurant.restaurant", "data": {"name": "Blue Door", "categories": [%q], "sections": [{"__component": "section.quote", "text": "Good", "by": "Eve"}]}}`, category))
	row := c.call("rows.findMany", `{"uid": "api::restaurant.restaurant", "populate": {"categories": {"count": true}, "sections": {"on": {"section.quote": {"select": ["text"]}}}}}`)
	if n, text, by := member(row, "0.categories.count"), member(row, "0.sections.0.text"), member(row, "0.sections.0.by"); n != 1.0 || text != "Good" || by != nil {
		t.Errorf("%v", row)
	}
}
