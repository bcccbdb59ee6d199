package body

import (
	"strconv"
	"strings"
)

// Path is the path from the data object to a value inside it. The zero Path is the data
// object itself. Paths share their beginnings.
type Path struct {
	parent *Path
	name   string // of an attribute
	index  int    // in a list; only meaningful if name is empty
}

// root is the data object, where every path begins.
var root Path

// At returns the path of an attribute of the data object.
func At(attribute string) Path { return root.Attribute(attribute) }

// Attribute returns the path of an attribute of the object at p.
func (p *Path) Attribute(name string) Path { return Path{parent: p, name: name} }

// Item returns the path of the i-th item of the list at p, from 0.
func (p *Path) Item(i int) Path { return Path{parent: p, index: i} }

// steps returns the path in the form of errors: ["sections" "0" "label"].
func (p Path) steps() []string {
	if p.parent == nil {
		return []string{}
	}
	if p.name == "" {
		return append(p.parent.steps(), strconv.Itoa(p.index))
	}
	return append(p.parent.steps(), p.name)
}

// String returns the path in the form of messages: sections[0].label.
func (p Path) String() string {
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

// dotted returns the path without list positions: sections.label.
func (p Path) dotted() string {
	var names []string
	for at := &p; at.parent != nil; at = at.parent {
		if at.name != "" {
			names = append([]string{at.name}, names...)
		}
	}
	return strings.Join(names, ".")
}
