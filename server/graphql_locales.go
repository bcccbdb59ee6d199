package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/query"
	"quire/query/params"
	"quire/server/graphql"
)

// findLocales returns the locales of the site, which are settings and no content.
func (h *graphqlHost) findLocales(t *graphql.PluginField) (any, error) {
	filters, _ := t.Plain("filters").(map[string]any)
	var all []any
	var err error
	for _, l := range h.site.locales {
		one := map[string]any{"documentId": l.DocumentID, "name": l.Name, "code": l.Code, "createdAt": l.CreatedAt, "updatedAt": l.UpdatedAt, "publishedAt": l.PublishedAt}
		shown, fault := localeMatches(filters, one)
		if err = errors.Join(err, fault); shown {
			all = append(all, one)
		}
	}
	if err != nil {
		return nil, invalid("Locales can be filtered by code, name and documentId, as texts")
	}
	if t.Name == "i18NLocale" {
		i := slices.IndexFunc(all, func(one any) bool { return memberText(one, "documentId") == t.Text("documentId") })
		if i < 0 {
			return nil, nil
		}
		return all[i], nil
	}
	if err := sortLocales(all, t.Plain("sort")); err != nil {
		return nil, err
	}
	given, _ := t.Plain("pagination").(map[string]any)
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
	if t.Name == "i18NLocales" {
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
