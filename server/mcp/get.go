package mcp

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"quire/content/body"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

var getTool = newTool("get", "One document with all that belongs to it, what links to it, its history, or the differences between two revisions.", reads, get)

type getArguments struct {
	Type       string          `json:"type" need:""`
	DocumentID string          `json:"documentId" about:"none for a single type"`
	Locale     string          `json:"locale"`
	Status     string          `json:"status" values:"draft published"`
	Show       string          `json:"show" values:"document links history revision differences" about:"default: document"`
	Fields     json.RawMessage `json:"fields" as:"texts"`
	Populate   json.RawMessage `json:"populate" about:"as in find"`
	Attribute  string          `json:"attribute" about:"one text alone, to read on after a cut: 'body' or 'sections.0.text'"`
	From       int             `json:"from" about:"its first character"`
	Revision   uint64          `json:"revision" about:"of the history"`
	With       uint64          `json:"with" about:"the other revision, for differences"`
	Page       int             `json:"page"`
}

func get(r *Request, a *getArguments) (*toolResult, error) {
	t, err := r.typeOf(a.Type)
	if err != nil {
		return nil, err
	}
	if t.Kind != schema.Single && a.DocumentID == "" {
		return nil, refuse("get needs the documentId of a document of %s", t.UID)
	}
	r.used++
	switch a.Show {
	case "", "document":
		return r.document(t, a)
	case "links":
		return r.links(t, a)
	case "history":
		return r.history(t, a)
	case "revision", "differences":
		return r.revision(t, a)
	}
	return nil, refuse("show must be document, links, history, revision or differences, not %.50q", a.Show)
}

// document shows the document as it is.
func (r *Request) document(t *schema.Type, a *getArguments) (*toolResult, error) {
	entry, err := r.entry(t, a)
	if err != nil {
		return nil, err
	}
	documentID := r.Document(t, a.DocumentID)
	if a.Attribute != "" {
		return r.part(t, entry, a.Attribute, a.From)
	}
	head := t.UID + " " + documentID
	if locale := textAt(entry, "locale"); t.Localized && locale != "" {
		head += " locale " + locale
	}
	if memberOf(entry, t.StateKey()) != nil {
		head += " status " + strings.Trim(string(statusOf(t, entry)), `"`)
	}
	s := showing("%s version %d", head, r.Version(t, documentID))
	requested := string(a.Fields) + string(a.Populate)
	shown := &entryForm{site: r.server.site, requested: requested, text: textInOne, ids: true}
	s.text = append(s.text, shown.show(t, withoutIDs(entry))...)
	return s, nil
}

// entry reads the version of a document that the arguments name.
func (r *Request) entry(t *schema.Type, a *getArguments) (body.JSON, error) {
	q := readParams{"fields": a.Fields, "populate": a.Populate}
	q.text("locale", a.Locale)
	q.withLocale(t)
	if r.seesStates(t) {
		q.text("include", "state")
	}
	tree, err := q.tree(r, t, a.Status)
	if err != nil {
		return nil, err
	}
	switch {
	case tree.Get("populate") == nil && tree.Get("fields") == nil:
		tree = tree.With("populate", (*params.Node)(nil).WithText("*", "whole"))
	case tree.Get("populate") == nil:
		tree = tree.With("populate", &params.Node{})
	}
	text, err := r.read(r.FindOne(t, a.DocumentID, documents.Arguments{Tree: tree}))
	return memberOf(text, "data"), err
}

// withoutIDs is an entry without what the line above it shows.
func withoutIDs(entry body.JSON) body.JSON {
	return withMembers(entry, func(m body.Member) body.JSON {
		if m.Key == "id" || m.Key == "documentId" {
			return nil
		}
		return m.Value
	})
}

// part shows one text of a document from a character on.
func (r *Request) part(t *schema.Type, entry body.JSON, path string, from int) (*toolResult, error) {
	v := entry
	for _, step := range strings.Split(path, ".") {
		object := v
		if v = stepInto(v, step); v == nil {
			return nil, refuse("the document has no text at %.200q", path)
		}
		if !object.IsObject() || t == nil {
			continue
		}
		t = typeIn(r.server.site, t, object)
		v = shownBlocks(t, step, v)
		if a := t.Attribute(step); a == nil || a.Kind != schema.DynamicZone {
			t = inside(t, step)
		}
	}
	text := plain(v)
	runes := utf8.RuneCountInString(text)
	if from < 0 || from > runes {
		return nil, refuse("from must be from 0 to %d", runes)
	}
	for ; from > 0; from-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	shown := cutBytes(text, mostPart)
	s := showing("characters %d to %d of %d", runes-utf8.RuneCountInString(text), runes-utf8.RuneCountInString(text[len(shown):]), runes)
	s.text = append(s.text, quoted(shown)...)
	return s, nil
}

// mostPart is how many bytes of a text are shown when it is read on.
const mostPart = 8000

// stepInto returns a member or an element; nil if there is none.
func stepInto(v body.JSON, step string) body.JSON {
	if v.IsList() {
		for i, element := range v.Elements() {
			if strconv.Itoa(i) == step {
				return element
			}
		}
		return nil
	}
	return memberOf(v, step)
}

// links shows what links to the document.
func (r *Request) links(t *schema.Type, a *getArguments) (*toolResult, error) {
	q := readParams{}
	q.page(a.Page, 0)
	tree, err := q.parse(r)
	if err != nil {
		return nil, err
	}
	text, err := r.read(r.Links(t, a.DocumentID, documents.Arguments{Tree: tree}, documents.Missing()))
	if err != nil {
		return nil, err
	}
	s := showing("%s links", memberOf(text, "meta", "pagination", "total"))
	var rows []row
	for _, link := range memberOf(text, "data").Elements() {
		rows = append(rows, rowOf(link))
	}
	r.used += len(rows)
	s.table([]string{"type", "documentId", "locale", "status", "title", "path"}, rows)
	return s, nil
}

// rowOf makes a row of an object.
func rowOf(object body.JSON) row {
	one := row{}
	for _, m := range object.Members() {
		one[m.Key] = m.Value
	}
	return one
}

// versions are the parameters of the history.
func (a *getArguments) versions(r *Request) (*params.Node, error) {
	q := readParams{}
	q.text("locale", a.Locale)
	q.text("status", a.Status)
	q.page(a.Page, 0)
	return q.parse(r)
}

// history lists the revisions of the document.
func (r *Request) history(t *schema.Type, a *getArguments) (*toolResult, error) {
	tree, err := a.versions(r)
	if err != nil {
		return nil, err
	}
	h, err := r.History(r.ctx, t, a.DocumentID, documents.Arguments{Tree: tree})
	if err != nil {
		return nil, err
	}
	text := body.JSON(h.Append(nil))
	s := showing("%s revisions, newest first", memberOf(text, "meta", "pagination", "total"))
	var rows []row
	for _, version := range memberOf(text, "data").Elements() {
		one := rowOf(version)
		if one["by"] = memberOf(version, "actor", "name"); one["by"] == nil {
			one["by"] = memberOf(version, "actor", "kind")
		}
		rows = append(rows, one)
	}
	r.used += len(rows)
	s.table([]string{"revision", "at", "action", "by", "locale", "status", "current"}, rows)
	return s, nil
}

// revision shows a former version, or how it differs from another.
func (r *Request) revision(t *schema.Type, a *getArguments) (*toolResult, error) {
	if a.Revision == 0 || (a.Show == "differences") != (a.With != 0) {
		return nil, refuse("%s needs a revision of the history, and differences need another one in with", a.Show)
	}
	tree, err := a.versions(r)
	if err != nil {
		return nil, err
	}
	if a.With != 0 {
		tree = tree.WithText("diff", strconv.FormatUint(a.With, 10))
	}
	text, err := r.AppendVersion(r.ctx, t, a.DocumentID, strconv.FormatUint(a.Revision, 10), documents.Arguments{Tree: tree}, nil)
	if err != nil {
		return nil, err
	}
	s, entry := showing(""), memberOf(text, "data")
	if a.With == 0 {
		entry = withoutIDs(entry)
	} else {
		t = nil // differences have other members than the entries
	}
	shown := &entryForm{site: r.server.site, text: textInOne, ids: true}
	s.text = shown.show(t, entry)
	return s, nil
}
