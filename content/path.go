package content

import (
	"strconv"
	"strings"
)

// path is the way from the data object to a value inside it. The zero path is
// the data object itself. Paths share their beginnings.
type path struct {
	parent *path
	name   string // of an attribute
	index  int    // in a list; meaningful when name is empty
}

func (p *path) attribute(name string) path { return path{parent: p, name: name} }
func (p *path) item(i int) path            { return path{parent: p, index: i} }

// steps is the path as errors list it: ["sections" "0" "label"].
func (p path) steps() []string {
	if p.parent == nil {
		return []string{}
	}
	if p.name == "" {
		return append(p.parent.steps(), strconv.Itoa(p.index))
	}
	return append(p.parent.steps(), p.name)
}

// String is the path as messages name it: sections[0].label.
func (p path) String() string {
	switch {
	case p.parent == nil:
		return ""
	case p.name == "":
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.parent.parent == nil:
		return p.name
	}
	return p.parent.String() + "." + p.name
}

// dotted is the path without list positions: sections.label.
func (p path) dotted() string {
	var names []string
	for at := &p; at.parent != nil; at = at.parent {
		if at.name != "" {
			names = append([]string{at.name}, names...)
		}
	}
	return strings.Join(names, ".")
}
