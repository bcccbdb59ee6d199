package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"quire/auth"
	"quire/documents"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// ask makes a request for a route below /api as the caller, and returns its response as
// plain values. An error is one of the REST API.
func (h *graphqlHost) ask(method, path string, query url.Values, body any) (any, error) {
	var text []byte
	var kind string
	if body != nil {
		var err error
		if text, kind, err = encode(body); err != nil {
			return nil, err
		}
	}
	w := h.requestWithin(method, &url.URL{Path: path, RawQuery: query.Encode()}, kind, text,
		"If-Match", "If-None-Match", "Strapi-Response-Format", "Accept-Encoding", "Content-Encoding", "X-Quire-Plan")
	h.call.Latest()
	return w.value()
}

// fileInfo is the form that describes a file.
type fileInfo struct{ info any }

// encode returns a body and its type: JSON, or a form for a file.
func encode(body any) (text []byte, kind string, err error) {
	file, ok := body.(fileInfo)
	if !ok {
		text, err = json.Marshal(body)
		return text, "application/json", err
	}
	info, err := json.Marshal(file.info)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	err = errors.Join(form.WriteField("fileInfo", string(info)), form.Close())
	return b.Bytes(), form.FormDataContentType(), err
}

// value returns the response as plain values, or its error.
func (w *within) value() (v any, err error) {
	if w.status == http.StatusNoContent || w.body.Len() == 0 {
		return nil, nil
	}
	d := json.NewDecoder(&w.body)
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if w.status < http.StatusBadRequest {
		return v, nil
	}
	e, _ := v.(map[string]any)["error"].(map[string]any)
	p := &documents.Problem{Details: e["details"]}
	p.Name, _ = e["name"].(string)
	p.Message, _ = e["message"].(string)
	return nil, p
}

var withRole = url.Values{"populate": {"role"}}

// Special serves the fields that are known by their names.
func (h *graphqlHost) Special(field string, arguments map[string]any) (any, error) {
	post := func(path string, body any) (any, error) { return h.ask(http.MethodPost, path, nil, body) }
	switch field {
	case "me":
		v, err := h.ask(http.MethodGet, "/api/users/me", nil, nil)
		if p, ok := err.(*documents.Problem); ok && p.Name == "UnauthorizedError" {
			return nil, forbidden()
		}
		return h.withRole(v, h.identity), err
	case "login":
		input := arguments["input"].(map[string]any)
		if input["provider"] != "local" {
			return nil, invalid("Only the provider local signs in with a password")
		}
		return h.session("/api/auth/local", input)
	case "register":
		return h.session("/api/auth/local/register", arguments["input"])
	case "forgotPassword":
		return post("/api/auth/forgot-password", arguments)
	case "resetPassword":
		return h.session("/api/auth/reset-password", arguments)
	case "changePassword":
		return h.session("/api/auth/change-password", arguments)
	case "emailConfirmation":
		_, err := h.ask(http.MethodGet, "/api/auth/email-confirmation", url.Values{"confirmation": {fmt.Sprint(arguments["confirmation"])}}, nil)
		return nil, err // the session of REST begins with a sign-in
	case "i18NLocale", "i18NLocales", "i18NLocales_connection":
		return h.locales(field, arguments)
	}
	return h.manage(field, arguments)
}

// manage serves the mutations of users, roles and files.
func (h *graphqlHost) manage(field string, arguments map[string]any) (any, error) {
	id := url.PathEscape(fmt.Sprint(arguments["id"]))
	switch field {
	case "createUsersPermissionsUser":
		return dataOfUser(h.ask(http.MethodPost, "/api/users", withRole, arguments["data"]))
	case "updateUsersPermissionsUser":
		return dataOfUser(h.ask(http.MethodPut, "/api/users/"+id, withRole, arguments["data"]))
	case "deleteUsersPermissionsUser":
		return dataOfUser(h.ask(http.MethodDelete, "/api/users/"+id, withRole, nil))
	case "createUsersPermissionsRole":
		return h.ask(http.MethodPost, "/api/users-permissions/roles", nil, arguments["data"])
	case "updateUsersPermissionsRole":
		return h.ask(http.MethodPut, "/api/users-permissions/roles/"+id, nil, arguments["data"])
	case "deleteUsersPermissionsRole":
		return h.ask(http.MethodDelete, "/api/users-permissions/roles/"+id, nil, nil)
	case "deleteUploadFile":
		v, err := h.ask(http.MethodDelete, "/api/upload/files/"+id, nil, nil)
		if p, ok := err.(*documents.Problem); ok && p.Name == "NotFoundError" {
			err = nil
		}
		return v, err
	case "updateUploadFile":
		return h.ask(http.MethodPost, "/api/upload", url.Values{"id": {fmt.Sprint(arguments["id"])}}, fileInfo{arguments["info"]})
	}
	return nil, fmt.Errorf("GraphQL: nothing serves the field %s", field)
}

// session makes a request that opens a session.
func (h *graphqlHost) session(path string, body any) (any, error) {
	v, err := h.ask(http.MethodPost, path, nil, body)
	if payload, ok := v.(map[string]any); ok {
		if identity, err := h.site.identify(memberText(payload, "jwt")); err == nil {
			payload["user"] = h.withRole(payload["user"], identity)
		}
	}
	return v, err
}

// withRole adds their role to users who see themselves, as in Strapi whether or not they may
// read roles.
func (h *graphqlHost) withRole(user any, identity auth.Identity) any {
	members, ok := user.(map[string]any)
	if !ok || identity.User == nil {
		return user
	}
	r := h.site.auth.RoleByID(identity.User.Role)
	if r == nil {
		return user
	}
	role := map[string]any{"name": r.Name, "description": r.Description, "type": r.Type}
	if e, ok := h.call.Snapshot().Lookup(h.site.schema.Type(schema.RoleUID), store.Published).ByDocument(r.DocumentID, ""); ok {
		role["id"] = e.ID()
	}
	members["role"] = role
	return members
}

// dataOfUser is a user in the object that mutations of users return.
func dataOfUser(user any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if user == nil {
		return nil, notFound()
	}
	return map[string]any{"data": user}, nil
}

// locales serves the locales of the site, which are settings and no content.
func (h *graphqlHost) locales(field string, arguments map[string]any) (any, error) {
	v, err := h.ask(http.MethodGet, "/api/i18n/locales", nil, nil)
	if err != nil {
		return nil, err
	}
	all := v.([]any)
	filters, _ := arguments["filters"].(map[string]any)
	all = slices.DeleteFunc(all, func(one any) bool {
		shown, fault := localeMatches(filters, one)
		err = errors.Join(err, fault)
		return !shown
	})
	if err != nil {
		return nil, invalid("Locales can be filtered by code, name and documentId, as texts")
	}
	if field == "i18NLocale" {
		i := slices.IndexFunc(all, func(one any) bool { return memberText(one, "documentId") == arguments["documentId"] })
		if i < 0 {
			return nil, nil
		}
		return all[i], nil
	}
	if err := sortLocales(all, arguments["sort"]); err != nil {
		return nil, err
	}
	given, _ := arguments["pagination"].(map[string]any)
	pages := &params.Node{Kind: params.Object}
	for key, value := range given {
		pages = pages.WithText(key, fmt.Sprint(value))
	}
	limits := h.site.schema.Settings.GraphQL
	page, err := (&query.Shape{DefaultLimit: limits.DefaultLimit, MaxLimit: limits.Most()}).Page(pages)
	if err != nil {
		return nil, err
	}
	start, end := page.Range(len(all))
	nodes := all[start:end]
	if field == "i18NLocales" {
		return nodes, nil
	}
	return map[string]any{"nodes": nodes, "pageInfo": map[string]any{"total": len(all), "page": page.Number(), "pageSize": page.Size(len(all)), "pageCount": page.Count(len(all))}}, nil
}

var errLocaleFilter = errors.New("locales have no such filter")

// localeMatches reports whether a locale meets all conditions.
func localeMatches(filters map[string]any, locale any) (all bool, err error) {
	all = true
	for key, operand := range filters {
		one, fault := true, error(nil)
		list, _ := operand.([]any)
		object, isObject := operand.(map[string]any)
		switch key {
		case "and", "or":
			one = key == "and" || len(list) == 0
			for _, part := range list {
				object, _ := part.(map[string]any)
				met, partly := localeMatches(object, locale)
				if fault = errors.Join(fault, partly); met != (key == "and") {
					one = met
				}
			}
		case "not":
			one, fault = localeMatches(object, locale)
			one = !one
		case "code", "name", "documentId":
			for operator, operand := range object {
				met, partly := textMatches(operator, memberText(locale, key), operand)
				one, fault = one && met, errors.Join(fault, partly)
			}
		default:
			fault = errLocaleFilter
		}
		if !isObject && list == nil && operand != nil {
			fault = errLocaleFilter
		}
		all, err = all && one, errors.Join(err, fault)
	}
	return all, err
}

// textMatches compares a text as a filter does. An operator that ends with i ignores case.
func textMatches(operator, text string, operand any) (bool, error) {
	value, _ := operand.(string)
	if plain, ignores := strings.CutSuffix(operator, "i"); ignores {
		operator, text, value = plain, strings.ToLower(text), strings.ToLower(value)
	}
	list, _ := operand.([]any)
	switch operator {
	case "eq":
		return text == value, nil
	case "ne":
		return text != value, nil
	case "contains":
		return strings.Contains(text, value), nil
	case "notContains":
		return !strings.Contains(text, value), nil
	case "startsWith":
		return strings.HasPrefix(text, value), nil
	case "endsWith":
		return strings.HasSuffix(text, value), nil
	case "in":
		return slices.Contains(list, any(text)), nil
	case "notIn":
		return !slices.Contains(list, any(text)), nil
	case "null":
		return operand == false, nil
	case "notNull":
		return operand == true, nil
	}
	return false, errLocaleFilter
}

func memberText(object any, key string) string {
	text, _ := object.(map[string]any)[key].(string)
	return text
}

// sortLocales sorts locales by keys such as "name:desc".
func sortLocales(all []any, by any) error {
	keys, _ := by.([]any)
	for _, key := range slices.Backward(keys) {
		name, order, _ := strings.Cut(fmt.Sprint(key), ":")
		if !slices.Contains([]string{"code", "name", "documentId"}, name) || !slices.Contains([]string{"", "asc", "desc"}, order) {
			return invalid("Locales can be sorted by code, name and documentId")
		}
		slices.SortStableFunc(all, func(a, b any) int {
			if order == "desc" {
				a, b = b, a
			}
			return cmp.Compare(memberText(a, name), memberText(b, name))
		})
	}
	return nil
}
