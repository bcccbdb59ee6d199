package replay

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var saved = regexp.MustCompile(`\{\{([\w.]+)\}\}`)

// Fill replaces {{name}} by saved values throughout a JSON value. A text that is exactly
// {{name}} becomes the saved value, number or text.
func (s *Session) Fill(value any) (any, error) {
	var errs []error
	switch value := value.(type) {
	case string:
		if m := saved.FindStringSubmatch(value); m != nil && m[0] == value {
			return s.recall(m[1])
		}
		return s.fillText(value)
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			filled, err := s.Fill(item)
			list[i], errs = filled, append(errs, err)
		}
		return list, errors.Join(errs...)
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, item := range value {
			filled, err := s.Fill(item)
			object[key], errs = filled, append(errs, err)
		}
		return object, errors.Join(errs...)
	}
	return value, nil
}

func (s *Session) fillText(text string) (string, error) {
	var errs []error
	text = saved.ReplaceAllStringFunc(text, func(name string) string {
		value, err := s.recall(strings.Trim(name, "{}"))
		errs = append(errs, err)
		return fmt.Sprint(value)
	})
	return text, errors.Join(errs...)
}

func (s *Session) recall(name string) (any, error) {
	value, ok := s.saved[name]
	if !ok {
		return nil, fmt.Errorf("nothing was saved as %s", name)
	}
	return value, nil
}

// Keep saves the values of the response that the step names.
func (s *Session) Keep(save, body any) {
	switch save := save.(type) {
	case string:
		if At(body, "data.documentId") != nil {
			s.put(save, At(body, "data.documentId"))
			s.put(save+".id", At(body, "data.id"))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(save)) {
			value := At(body, save[name].(string))
			s.put(name, value)
			if who, ok := strings.CutPrefix(name, "token:"); ok {
				s.Tokens[who] = fmt.Sprint(value)
			}
		}
	}
}

func (s *Session) put(name string, value any) {
	s.saved[name] = value
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}
