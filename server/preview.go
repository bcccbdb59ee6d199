package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// A preview link gives read access to one document and its draft for a limited time.
// Creating one is an action on the document. Its token is a parameter of the reads of the
// document and of nothing else. This package decides which routes these are, package query
// what they show, and package auth on whose behalf.

// previewHeaders are in every response to a request with the token of a link: nobody else
// may store the response or see the URL.
var previewHeaders = map[string][]string{
	"Cache-Control":   {"private, no-store"},
	"Referrer-Policy": noReferrer,
}

// openPreview serves the request for the holder of the token of a preview link, if the URL
// has one. Later readers of the URL do not see the token.
func (x *request) openPreview() error {
	rest, token, found, err := params.Cut(x.http.URL.RawQuery, settings.TokenParameter)
	if !found {
		return nil
	}
	x.http.URL.RawQuery = rest
	maps.Copy(x.Header(), previewHeaders)
	if err != nil {
		return err
	}
	identity, err := x.site.auth.OpenPreview(token, x.site.accounts)
	if err == nil {
		x.setCaller(identity)
	}
	return err
}

// previewed reports whether the request is served for a preview link.
func (x *request) previewed() bool { return x.caller != nil && x.caller.Preview() != nil }

// Headers with which the holder of a preview link asks for marks behind the texts: Quire's own,
// and that of Strapi.
const (
	sourceHeader       = "X-Quire-Source"
	strapiSourceHeader = "Strapi-Encode-Source-Maps"
)

// marks returns which marks the response has; nil for none.
func (x *request) marks() *documents.Marks {
	strapi := x.http.Header.Get(strapiSourceHeader) == "true"
	if !x.previewed() || !strapi && x.http.Header.Get(sourceHeader) != "1" {
		return nil
	}
	m := &documents.Marks{Files: strapi}
	if at := x.site.schema.Settings.URL; at != "" && x.site.schema.Settings.Admin.Enabled {
		m.Admin = at + "/admin"
	}
	return m
}

// opensPreview refuses all routes except the reads of its document to the holder of a
// preview link, without revealing anything about other documents.
func (r *Route) opensPreview(x *request) error {
	p := x.caller.Preview()
	ofOther := r.Permission.Action == schema.FindOne && x.params.ByName("documentId") != p.DocumentID
	if !r.Previewed || r.Permission.UID != p.Type || ofOther {
		return previewForbids()
	}
	if !x.caller.HasPermission(r.Permission) {
		return forbidden()
	}
	return nil
}

func previewForbids() *problem {
	return &problem{403, "ForbiddenError", "A preview link reads one document and what it leads to, and nothing else", none{}}
}

// refusePreview refuses a preview link in the URL of a part of a batch.
func (x *request) refusePreview() error {
	if _, _, found, _ := params.Cut(x.http.URL.RawQuery, settings.TokenParameter); found {
		return previewForbids()
	}
	return nil
}

// previewRoutes are the routes that create preview links. path leads to a document.
func previewRoutes(t *schema.Type, path string) []Route {
	if !t.DraftAndPublish {
		return nil
	}
	h := &contentType{t}
	return []Route{{
		Method: http.MethodPost, Path: path + "/actions/preview-link",
		Permission: auth.Permission{UID: t.UID, Action: schema.PreviewLink}, handler: h.previewLink,
		takes: []string{"status", "locale", "expiresIn"},
	}}
}

// previewLink responds with a new preview link. Its url is null if site.json has no address
// for the type.
func (c *contentType) previewLink(x *request) error {
	life, err := readLife(x)
	if err != nil {
		return err
	}
	address, shown := x.site.schema.Settings.Previews[c.t.UID]
	tree, err := x.query()
	if err != nil {
		return err
	}
	values, err := x.call.PreviewValues(x.http.Context(), c.t, c.documentOf(x), tree, address.Placeholders())
	if err != nil {
		return err
	}
	p := auth.Preview{Type: c.t.UID, DocumentID: values[settings.PlaceDocumentID]}
	token, expires, err := x.site.auth.PreviewLink(x.identity, p, life)
	if err != nil {
		return err
	}
	url := []byte("null")
	if shown {
		text, err := address.Fill(values, token)
		if err != nil {
			return err
		}
		url = index.AppendString(nil, text)
	}
	dst := append(append(x.scratch(), `{"data":{"url":`...), url...)
	dst = index.AppendString(append(dst, `,"token":`...), token)
	dst = index.AppendTime(append(dst, `,"expiresAt":`...), expires.UnixMilli())
	x.buffer = append(dst, `},"meta":{}}`...)
	x.Header()["Cache-Control"] = never
	x.json(http.StatusOK, x.buffer)
	return nil
}

// readLife reads how long a link is valid.
func readLife(x *request) (time.Duration, error) {
	kind, text, err := openBody(x, credentialBytes)
	switch {
	case err != nil:
		return 0, err
	case kind == noBody && x.http.ContentLength != 0 && kindOf(x.http.Header.Get("Content-Type")) == noBody:
		return 0, invalid("The body must be JSON, and say so in Content-Type") // it may have a lifetime
	case kind == noBody:
		return auth.DefaultPreview, nil
	}
	var given map[string]json.RawMessage
	if kind != jsonBody || json.Unmarshal(text, &given) != nil || given == nil {
		return 0, invalid(`The body must be empty or a JSON object, such as {"expiresIn": "1h"}`)
	}
	for key := range given {
		if key != "expiresIn" {
			return 0, unknownKey("A preview link", key)
		}
	}
	if given["expiresIn"] == nil {
		return auth.DefaultPreview, nil
	}
	var wanted string
	err = json.Unmarshal(given["expiresIn"], &wanted)
	life, fault := settings.ParseDuration(wanted)
	if err != nil || fault != nil || life < auth.ShortestPreview || life > auth.LongestPreview {
		return 0, KeyProblem("expiresIn", `"expiresIn" must be a length of time from 1m to 7d, as in "30m", "12h" or "2d"`)
	}
	return life, nil
}
