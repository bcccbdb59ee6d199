package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/content/body"
	"quire/documents"
	"quire/schema"
)

// Resources: documents as Markdown, and schemas as text.

const (
	documentScheme = "quire://document/" // UID/DOCUMENTID?locale=
	schemaScheme   = "quire://schema/"   // UID
	listedAtOnce   = 50
	longestURI     = 500 // bytes; the answer repeats it
)

func listTemplates(*Request, sdk.Params) (sdk.Result, error) {
	return &sdk.ListResourceTemplatesResult{Cacheable: forAgent(), ResourceTemplates: []*sdk.ResourceTemplate{
		{Name: "document", URITemplate: documentScheme + "{uid}/{documentId}{?locale}", MIMEType: "text/markdown", Description: "A document as Markdown"},
		{Name: "schema", URITemplate: schemaScheme + "{uid}", MIMEType: "text/plain", Description: "The attributes of a content type"},
	}}, nil
}

// listResources lists the schemas, and then the documents of one type after the other, a page
// at a time. A cursor is the uid of a type and a page.
func listResources(r *Request, p sdk.Params) (sdk.Result, error) {
	result := &sdk.ListResourcesResult{Cacheable: forAgent(), Resources: []*sdk.Resource{}}
	cursor := ""
	if given, ok := p.(*sdk.ListResourcesParams); ok && given != nil {
		cursor = given.Cursor
	}
	var types []*schema.Type
	for t := range r.server.site.Served() {
		if r.Caller.Allows(t, t.ReadOne()) && r.Caller.Allows(t, schema.Find) {
			types = append(types, t)
		}
	}
	uid, number, _ := strings.Cut(cursor, "/")
	at := slices.IndexFunc(types, func(t *schema.Type) bool { return t.UID == uid })
	page, err := strconv.Atoi(number)
	if cursor == "" {
		for _, t := range types {
			result.Resources = append(result.Resources, &sdk.Resource{URI: schemaScheme + t.UID, Name: t.UID + " (schema)", MIMEType: "text/plain"})
		}
		at, page, err = 0, 1, nil
	}
	if err != nil || at < 0 || page < 1 {
		return nil, refuse("the cursor is not one of this list")
	}
	if len(types) == 0 {
		return result, nil
	}
	more, err := r.listDocuments(result, types[at], page)
	switch {
	case more:
		result.NextCursor = fmt.Sprintf("%s/%d", types[at].UID, page+1)
	case at+1 < len(types):
		result.NextCursor = types[at+1].UID + "/1"
	}
	return result, err
}

// listDocuments lists a page of the documents of a type, and reports whether there are more.
func (r *Request) listDocuments(result *sdk.ListResourcesResult, t *schema.Type, page int) (more bool, err error) {
	add := func(documentID, title string) {
		result.Resources = append(result.Resources, &sdk.Resource{
			URI: documentScheme + t.UID + "/" + documentID, Name: t.UID + " " + documentID, Title: title, MIMEType: "text/markdown",
		})
	}
	if t.Kind == schema.Single {
		if id := r.Document(t, ""); id != "" {
			if found, err := r.Summary(r.ctx, t, id, ""); err == nil && found != nil {
				add(id, "")
			}
		}
		return false, nil
	}
	main := t.MainField(r.Caller.Sight(t).Sees)
	q := readParams{"fields": quoted(main.Name), "sort": quoted("id")}
	q.page(page, listedAtOnce)
	text, err := r.found(t, q, "")
	if err != nil {
		return false, err
	}
	for _, entry := range memberOf(text, "data").Elements() {
		add(textAt(entry, "documentId"), cutBytes(string(orNull(memberOf(entry, main.Name))), textInList)) // a JSON string: it is data
		r.used++
	}
	var pages int
	_ = json.Unmarshal(orNull(memberOf(text, "meta", "pagination", "pageCount")), &pages)
	return page < pages, nil
}

func readResource(r *Request, p sdk.Params) (sdk.Result, error) {
	uri := p.(*sdk.ReadResourceParams).URI
	result := &sdk.ReadResourceResult{Cacheable: sdk.Cacheable{CacheScope: "private"}}
	if len(uri) > longestURI {
		return nil, refuse("there is no such resource")
	}
	text, kind, err := r.resource(uri)
	text = cutBytes(text, r.server.site.Settings.MCP.Limits.Answer)
	result.Contents = []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}
	return result, err
}

// resource returns the text of a resource and its type.
func (r *Request) resource(uri string) (text, kind string, err error) {
	if uid, ok := strings.CutPrefix(uri, schemaScheme); ok {
		t, err := r.typeOf(uid)
		if err != nil {
			return "", "", err
		}
		return string(r.describeType(t)), "text/plain", nil
	}
	rest, ok := strings.CutPrefix(uri, documentScheme)
	path, parameters, _ := strings.Cut(rest, "?")
	uid, documentID, _ := strings.Cut(path, "/")
	values, wrong := url.ParseQuery(parameters)
	if !ok || wrong != nil || documentID == "" {
		return "", "", refuse("there is no such resource")
	}
	t, err := r.typeOf(uid)
	if err != nil {
		return "", "", err
	}
	if t.Kind == schema.Single && documentID != r.Document(t, "") {
		return "", "", documents.Missing()
	}
	r.used++
	entry, err := r.entry(t, &getArguments{DocumentID: documentID, Locale: values.Get("locale")})
	if err != nil {
		return "", "", err
	}
	return notice + string(r.markdown(t, entry)), "text/markdown", nil
}

// markdown writes a document as Markdown: its title, and below that each attribute under its
// name.
func (r *Request) markdown(t *schema.Type, entry body.JSON) []byte {
	main := t.MainField(r.Caller.Sight(t).Sees).Name
	dst := fmt.Appendf(nil, "# %s\n", plain(memberOf(entry, main)))
	shown := r.form(len(entry))
	for _, m := range entry.Members() {
		a := t.Attribute(m.Key)
		if a == nil || a.System != schema.NotSystem || m.Key == main || m.Value.IsNull() {
			continue
		}
		dst = fmt.Appendf(dst, "\n## %s\n\n", m.Key)
		switch {
		case a.IsText(), a.Kind == schema.Blocks:
			dst = append(append(dst, plain(shownBlocks(t, m.Key, m.Value))...), '\n')
		default:
			dst = fmt.Appendf(dst, "`%s`\n", shown.show(inside(t, m.Key), m.Value))
		}
	}
	return dst
}

// plain returns a text, or any other value as it is.
func plain(v body.JSON) string {
	var text string
	if v == nil || json.Unmarshal(v, &text) != nil {
		return string(v)
	}
	return text
}
