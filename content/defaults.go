package content

import (
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// defaults holds the default values of a site's attributes, including those of components.
type defaults map[*schema.Attribute]store.Value

// defaultsOf decodes every default of the schemas once.
func defaultsOf(site *schema.Site) defaults {
	d := defaults{}
	for _, types := range [][]*schema.Type{site.Types, site.Components} {
		for _, t := range types {
			for _, a := range t.Attributes {
				if v := body.Default(a); !v.IsEmpty() {
					d[a] = v
				}
			}
		}
	}
	return d
}

// fill adds the default values of the attributes that the input of a new entry or instance does
// not have.
func (d defaults) fill(t *schema.Type, own store.Fields, in []body.Given) store.Fields {
	for _, a := range t.Attributes {
		v, ok := d[a]
		if !ok || !own.Value(a.Name).IsEmpty() {
			continue
		}
		if !body.Mentions(in, a) {
			own = own.Set(a.Name, v)
		}
	}
	return own
}
