package documents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"quire/auth"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
	"slices"
	"strings"
)

// A preview link gives read access to one document and its draft for a limited time.

// PreviewValues reads the values of the placeholders in the address of a preview, as the
// caller may read them, and requires that the caller can read the document and its draft.
func (c *Call) PreviewValues(ctx context.Context, t *schema.Type, documentID string, tree *params.Node, names []string) (map[string]string, error) {
	q, locale, err := c.compilePreviewed(t, tree, names)
	if err != nil {
		return nil, err
	}
	documentID = c.Document(t, documentID)
	read := Read{call: c, query: q, documentID: documentID, one: true, cost: costOfOne, append: asOne, missing: notFound()}
	text, err := read.Append(ctx, nil)
	if err != nil {
		return nil, err
	}
	values, err := readValues(text)
	if err == nil {
		values[settings.PlaceDocumentID], values[settings.PlaceLocale], values[settings.PlaceStatus] = documentID, locale, q.Status().String()
	}
	return values, err
}

// readValues reads the plain values of an entry that are not null from the response that
// shows it, encoded for an address.
func readValues(answer []byte) (map[string]string, error) {
	var entry struct{ Data map[string]any }
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(&entry); err != nil {
		return nil, err
	}
	values := map[string]string{}
	for name, value := range entry.Data {
		if value != nil {
			values[name] = fmt.Sprint(value)
		}
	}
	return values, nil
}

// compilePreviewed resolves the query for the values of an address: of the draft, in the
// default locale, unless the request says otherwise. It returns the locale too.
func (c *Call) compilePreviewed(t *schema.Type, tree *params.Node, names []string) (q *query.Query, locale string, err error) {
	read := auth.Permission{UID: t.UID, Action: t.ReadOne()}
	if !c.Caller.HasPermission(read) || !c.seesDrafts(t) {
		return nil, "", &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: fmt.Sprintf("A preview link shows what its maker may read, which needs %s and %s as well", read, auth.Permission{UID: t.UID, Action: schema.ReadDraft})}
	}
	if tree.Get("expiresIn") != nil {
		return nil, "", invalid(`"expiresIn" belongs into the body`)
	}
	if locale, err = c.locale(t, tree.Get("locale")); err == nil {
		err = c.checkLocale(locale)
	}
	if err != nil {
		return nil, "", err
	}
	locale = cmp.Or(locale, c.Site.Settings.DefaultLocale)
	wanted := (&params.Node{Kind: params.Object}).WithText("locale", locale).WithText("status", "draft")
	if n := tree.Get("status"); n != nil {
		wanted.Items[0] = n
	}
	fields := slices.DeleteFunc(slices.Clone(names), settings.IsPlace)
	if len(fields) > 0 {
		wanted = wanted.WithText("fields", strings.Join(fields, ","))
	}
	q, err = c.Compile(t, wanted, query.Options{})
	return q, locale, err
}
