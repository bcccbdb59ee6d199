package schema

import "fmt"

// readCustomFields reads "customFields": {"plugin::color-picker.color": "string"}:
// what the values of a plugin's field are, where schema files only name the field.
func (l *loader) readCustomFields(o object) {
	for _, m := range o.members {
		name, ok := m.text()
		if !ok {
			continue
		}
		kind, ok := kindNamed(name)
		if !ok || !(&Attribute{Kind: kind}).IsScalar() {
			m.refuse(fmt.Sprintf("%q is not a type that a custom field can have", name), "use a plain type, such as string, json or integer")
			continue
		}
		l.custom[m.key] = kind
	}
}
