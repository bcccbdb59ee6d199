package documents

import (
	"bytes"
	"encoding/json"

	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// A project's own code reads everything. What it answers a caller passes through here.

// At returns the Call at another moment, such as that of a transaction.
func (c *Call) At(s *index.Snapshot) *Call {
	at := *c
	at.snapshot = s
	return &at
}

// CheckQuery refuses parameters of a read that the caller may not use.
func (c *Call) CheckQuery(t *schema.Type, tree *params.Node) error {
	_, err := c.compile(t, tree, query.Options{V4: c.V4})
	return err
}

// Sanitize returns entries of a type, one or a list in JSON, without the attributes that the
// caller does not see, and without what is behind relations to types that it may not find.
// Keys that are no attributes stay.
func (c *Call) Sanitize(t *schema.Type, data json.RawMessage) (json.RawMessage, error) {
	return c.sanitize(t, c.Caller.Sight(t), data)
}

func (c *Call) sanitize(t *schema.Type, s *schema.Sight, data json.RawMessage) (json.RawMessage, error) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) > 0 && data[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, err
		}
		for i, one := range list {
			var err error
			if list[i], err = c.sanitize(t, s, one); err != nil {
				return nil, err
			}
		}
		return json.Marshal(list)
	case len(data) > 0 && data[0] == '{':
		return c.sanitizeEntry(t, s, data)
	}
	return data, nil
}

// sanitizeEntry keeps the order of the members.
func (c *Call) sanitizeEntry(t *schema.Type, s *schema.Sight, data json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil { // {
		return nil, err
	}
	seen := json.RawMessage("{")
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		value, shown, err := c.sanitizeValue(t, s, name, value)
		if err != nil {
			return nil, err
		}
		if !shown {
			continue
		}
		if len(seen) > 1 {
			seen = append(seen, ',')
		}
		seen = append(append(index.AppendString(seen, name), ':'), value...)
	}
	return append(seen, '}'), nil
}

func (c *Call) sanitizeValue(t *schema.Type, s *schema.Sight, name string, value json.RawMessage) (_ json.RawMessage, shown bool, err error) {
	if name == "localizations" && t.Localized {
		value, err = c.sanitize(t, s, value)
		return value, true, err
	}
	a := t.Attribute(name)
	switch {
	case a == nil:
		return value, true, nil
	case !s.Sees(a):
		return nil, false, nil
	case a.ComponentType != nil:
		value, err = c.sanitize(a.ComponentType, s.Within(a), value)
	case a.Zone != nil:
		value, err = c.sanitizeZone(a, s.Within(a), value)
	case a.Relation != nil && a.Relation.Morph():
		value, shown, err = c.sanitizeMorph(value)
		return value, shown, err
	case a.Kind == schema.RelationKind && !c.Caller.Allows(a.Relation.Target, schema.Find):
		return nil, false, nil
	case a.Relation != nil: // files follow the entries that show them
		value, err = c.Sanitize(a.Relation.Target, value)
	}
	return value, true, err
}

// sanitizeZone sanitizes each component as the one that it says it is. Others are left out.
func (c *Call) sanitizeZone(zone *schema.Attribute, s *schema.Sight, value json.RawMessage) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil || list == nil {
		return json.RawMessage("null"), nil
	}
	seen := []json.RawMessage{}
	for _, one := range list {
		var is struct {
			Component string `json:"__component"`
		}
		if json.Unmarshal(one, &is) != nil {
			continue
		}
		for _, component := range zone.Zone {
			if component.UID != is.Component {
				continue
			}
			shown, err := c.sanitize(component, s, one)
			if err != nil {
				return nil, err
			}
			seen = append(seen, shown)
		}
	}
	return json.Marshal(seen)
}

// sanitizeMorph sanitizes each target as the type that it says it is; if it says none, it is
// left out.
func (c *Call) sanitizeMorph(value json.RawMessage) (json.RawMessage, bool, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] != '[' {
		seen, err := c.sanitizeTarget(value)
		return seen, seen != nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, false, err
	}
	all := []json.RawMessage{}
	for _, one := range list {
		seen, err := c.sanitizeTarget(one)
		if err != nil {
			return nil, false, err
		}
		if seen != nil {
			all = append(all, seen)
		}
	}
	text, err := json.Marshal(all)
	return text, true, err
}

func (c *Call) sanitizeTarget(value json.RawMessage) (json.RawMessage, error) {
	var is struct {
		Type string `json:"__type"`
	}
	if json.Unmarshal(value, &is) != nil {
		return nil, nil
	}
	t := c.Site.Type(is.Type)
	if t == nil || t.IsComponent() || !c.Caller.Allows(t, schema.Find) {
		return nil, nil
	}
	return c.Sanitize(t, value)
}
