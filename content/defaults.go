package content

import (
	"bytes"

	"quire/schema"
	"quire/store"
)

// defaults holds the default values of a site's attributes, those of
// components included.
type defaults map[*schema.Attribute]store.Value

// defaultsOf decodes every default of the schemas once. Passwords have none:
// a default would be known to everybody who can read the schema.
func defaultsOf(site *schema.Site) defaults {
	d := defaults{}
	for _, types := range [][]*schema.Type{site.Types, site.Components} {
		for _, t := range types {
			for _, a := range t.Attributes {
				if a.Default == nil || !a.IsScalar() || a.Kind == schema.Password {
					continue
				}
				var found issues
				raw := bytes.TrimSpace(a.Default)
				if v := scalars[a.Kind].decode(raw, path{}, &found); len(found) == 0 && !isEmpty(v) {
					d[a] = v
				}
			}
		}
	}
	return d
}

// fill adds the defaults of the attributes that a new entry or record was not
// given.
func (d defaults) fill(t *schema.Type, own []store.Field, in []given) []store.Field {
	for _, a := range t.Attributes {
		v, ok := d[a]
		if !ok || !isEmpty(valueOf(own, a.Name)) {
			continue
		}
		if _, said := find(in, a); !said {
			own = set(own, a.Name, v)
		}
	}
	return own
}
