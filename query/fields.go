package query

import (
	"strings"

	"quire/query/params"
	"quire/schema"
)

// fieldSet is the scalar attributes that a response shows; nil means all. id and documentId
// are always shown.
type fieldSet map[*schema.Attribute]bool

func (f fieldSet) shows(a *schema.Attribute) bool { return f == nil || f[a] }

// compileFields resolves a fields parameter on records of a scope. param is the top-level
// parameter: Strapi's refusals inside populate have other texts.
func (c *Compiler) compileFields(b *compilation, in scope, n *params.Node, param string) (fieldSet, error) {
	if n == nil || n.IsNull() {
		return nil, nil
	}
	names, err := fieldNames(n, param)
	if err != nil {
		return nil, err
	}
	shown := fieldSet{}
	all := false
	for _, name := range names {
		if name == "*" {
			all = true
			continue
		}
		a, err := resolveAttribute(b.access, in, "", name, param)
		if err != nil {
			return nil, err
		}
		if !a.IsScalar() {
			return nil, forbiddenKey(name, "", param)
		}
		shown[a] = true
	}
	if all || len(names) == 0 {
		return nil, nil
	}
	return shown, nil
}

func fieldNames(n *params.Node, param string) ([]string, error) {
	if n.IsObject() {
		return nil, refuseParam(param, "fields", "Invalid fields parameter. Expected a string or an array of strings")
	}
	if n.IsText() {
		if n.Text == "" && param == "fields" {
			return nil, refuseParam(param, "fields", "The fields parameter is empty")
		}
		return splitNames(n.Text), nil
	}
	var names []string
	for _, item := range n.Items {
		if !item.IsText() {
			return nil, refuseParam(param, "fields", "Invalid fields parameter. Expected a string or an array of strings")
		}
		names = append(names, item.Text)
	}
	return names, nil
}

func splitNames(text string) []string {
	names := strings.Split(text, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}
