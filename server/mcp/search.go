package mcp

import (
	"fmt"
	"strings"

	"quire/content/body"
	"quire/schema"
)

var searchTool = newTool("search", "Documents of several types that have some words, best first.", reads, search)

type searchArguments struct {
	Text   string   `json:"text" need:""`
	Types  []string `json:"types"`
	Locale string   `json:"locale"`
	Status string   `json:"status" values:"draft published"`
	Most   int      `json:"most" about:"for each type, default 5"`
}

// Limits of one search.
const (
	mostTypesSearched = 50
	mostFoundOfType   = 25
	mostQuoted        = 160 // bytes of the text around a word
)

func search(r *Request, a *searchArguments) (*toolResult, error) {
	if strings.TrimSpace(a.Text) == "" || a.Most < 0 || a.Most > mostFoundOfType {
		return nil, refuse("search needs a text, and most from 1 to %d", mostFoundOfType)
	}
	types, err := r.searched(a.Types)
	if err != nil {
		return nil, err
	}
	if a.Most == 0 {
		a.Most = 5
	}
	var rows []row
	for _, t := range types {
		q := readParams{"sort": quoted("_rank")}
		q.text("_q", a.Text)
		q.text("locale", a.Locale)
		q.page(1, a.Most)
		text, err := r.found(t, q, a.Status)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.UID, err)
		}
		for _, entry := range memberOf(text, "data").Elements() {
			rows = append(rows, r.foundRow(t, entry, a.Text))
		}
	}
	r.used += len(rows)
	s := showing("")
	s.table([]string{"type", "documentId", "locale", "title", "text"}, rows)
	return s, nil
}

// searched returns the types to search in.
func (r *Request) searched(uids []string) (types []*schema.Type, err error) {
	if len(uids) > mostTypesSearched {
		return nil, refuse("search looks in %d types at most", mostTypesSearched)
	}
	for _, uid := range uids {
		t, err := r.typeOf(uid)
		if err != nil {
			return nil, err
		}
		if t.Kind == schema.Single {
			return nil, refuse("%s is a single type: use get", uid)
		}
		types = append(types, t)
	}
	for t := range r.server.site.Served() {
		if uids == nil && t.Kind != schema.Single && r.Caller.Allows(t, schema.Find) && len(types) < mostTypesSearched {
			types = append(types, t)
		}
	}
	return types, nil
}

// foundRow shows a document that was found: its title, and a text with the first of the
// words.
func (r *Request) foundRow(t *schema.Type, entry body.JSON, words string) row {
	main := t.MainField(r.Caller.Sight(t).Sees).Name
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(words)), " ")
	one := row{"type": quoted(t.UID), "documentId": memberOf(entry, "documentId"), "locale": memberOf(entry, "locale")}
	one["title"] = r.form(textInList).show(nil, memberOf(entry, main))
	for _, m := range entry.Members() {
		text, isText := m.Value.Text()
		if !isText || t.Attribute(m.Key) == nil || m.Key == main {
			continue
		}
		if at := strings.Index(strings.ToLower(text), first); at >= 0 && at < len(text) {
			one["text"] = quoted(m.Key + ": " + around(text, at))
			break
		}
	}
	return one
}

// around returns the text around a place in it.
func around(text string, at int) string {
	start := max(0, at-mostQuoted/2)
	return cutBytes(strings.ToValidUTF8(text[start:], ""), mostQuoted)
}
