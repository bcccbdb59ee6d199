package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// archivedSchema is a content type or a component in an archive: the schema file with the
// additions of Strapi.
type archivedSchema struct {
	UID     string `json:"uid"`
	Options struct {
		DraftAndPublish bool `json:"draftAndPublish"`
	} `json:"options"`
	PluginOptions struct {
		I18n struct {
			Localized bool `json:"localized"`
		} `json:"i18n"`
	} `json:"pluginOptions"`
	ModelType string `json:"modelType"`

	members []jsonMember
	err     error
}

// jsonMember is one key of a JSON object with its value.
type jsonMember struct {
	key   string
	value json.RawMessage
}

func parseSchema(line []byte, number int) archivedSchema {
	var s archivedSchema
	if s.err = json.Unmarshal(line, &s); s.err == nil {
		s.members, s.err = jsonMembers(line)
	}
	if s.err != nil {
		s.err = fmt.Errorf("line %d: %w", number, s.err)
	}
	return s
}

// jsonMembers splits an object, in its own order.
func jsonMembers(object []byte) ([]jsonMember, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("there should be an object where %.20q is", object)
	}
	var list []jsonMember
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := jsonMember{key: key.(string)} // More is true before a key of an object
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func memberOf(list []jsonMember, key string) json.RawMessage {
	i := slices.IndexFunc(list, func(m jsonMember) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	return list[i].value
}

func (s *survey) takeSchema(a archivedSchema) error {
	if a.err != nil {
		return &FormatError{s.path, "has a schema that cannot be read", a.err}
	}
	s.schemas[a.UID] = a
	return nil
}

// compareSchemas reports types whose entries would have another meaning here. Attributes
// are compared only if they have values.
func (s *survey) compareSchemas() error {
	for _, t := range s.site.Types {
		a, described := s.schemas[t.UID]
		if !described || len(s.rows.byType[s.site.TypeOrdinal(t)]) == 0 {
			continue
		}
		for _, option := range []struct {
			name         string
			there, found bool
		}{
			{"options.draftAndPublish", a.Options.DraftAndPublish, t.DraftAndPublish},
			{"pluginOptions.i18n.localized", a.PluginOptions.I18n.Localized, t.Localized},
		} {
			if option.there == option.found {
				continue
			}
			err := fmt.Errorf("%s has %s %v in the archive and %v in the site", t.UID, option.name, option.there, option.found)
			if err := s.problems.add(err); err != nil {
				return err
			}
		}
	}
	return nil
}
