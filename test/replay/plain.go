package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Values that differ between servers, by their form, which is the same on every server.
var (
	timestamp  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	documentID = regexp.MustCompile(`^[a-z0-9]{24}$`)
	digits     = regexp.MustCompile(`^\d+$`)
	fileHash   = regexp.MustCompile(`_[0-9a-f]{10}`)

	timestampKeys = []string{"createdAt", "updatedAt", "publishedAt", "firstPublishedAt"}
	mediaKeys     = []string{"hash", "url", "previewUrl", "size", "sizeInBytes", "path", "provider_metadata", "folderPath"}
	secretKeys    = []string{"jwt", "refreshToken"}
)

// savedLength is the minimum length of a saved text that is searched in responses: the
// length of tokens and document ids, not of names.
const savedLength = 20

// valuePath is the place of a value in a response.
type valuePath struct {
	key   string // of the object that contains it, or its list
	keyed bool
	media bool // somewhere inside a stored file
}

// plain returns the value with everything that may differ between servers replaced by its
// kind, and saved values by their names.
func (s *Session) plain(value any, at valuePath) any {
	switch value := value.(type) {
	case map[string]any:
		at.media = at.media || isMedia(value)
		object := make(map[string]any, len(value))
		for key, item := range value {
			if errors, ok := item.([]any); ok && key == "errors" && !at.keyed {
				item = plainErrors(errors)
			}
			object[key] = s.plain(item, valuePath{key, true, at.media})
		}
		return object
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = s.plain(item, at)
		}
		return list
	case json.Number:
		if at.key == "id" && (!strings.ContainsAny(value.String(), ".eE")) {
			return "<id>"
		}
	}
	if at.media && value != nil && slices.Contains(mediaKeys, at.key) {
		return "<" + at.key + ">"
	}
	if text, ok := value.(string); ok {
		return s.plainText(text, at)
	}
	return value
}

// plainErrors returns what a client can rely on in the errors of a response of GraphQL, in
// an order of their own.
func plainErrors(errors []any) []any {
	plain := make([]any, len(errors))
	for i, one := range errors {
		e, _ := one.(map[string]any)
		extensions, ok := e["extensions"].(map[string]any)
		if !ok {
			plain[i] = one // it is recorded like that
			continue
		}
		kept := map[string]any{"code": extensions["code"]}
		if strapi, ok := extensions["error"].(map[string]any); ok {
			kept["name"] = strapi["name"]
		}
		if path, ok := e["path"]; ok {
			kept["path"] = path
		}
		plain[i] = kept
	}
	slices.SortFunc(plain, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return plain
}

// isMedia distinguishes stored files and their formats from other objects.
func isMedia(object map[string]any) bool {
	_, hash := object["hash"]
	_, mime := object["mime"]
	_, url := object["url"]
	return hash && (mime || url)
}

func (s *Session) plainText(text string, at valuePath) string {
	switch {
	case at.key == "id" && digits.MatchString(text):
		return "<id in text>" // of a component, in GraphQL
	case at.key == "url" && strings.HasPrefix(text, "/uploads/"):
		return "<url>"
	case slices.Contains(timestampKeys, at.key) && timestamp.MatchString(text):
		return "<timestamp>"
	case slices.Contains(secretKeys, at.key):
		return "<" + at.key + ">"
	}
	for _, name := range s.names {
		if saved, ok := s.saved[name].(string); ok && len(saved) >= savedLength {
			text = strings.ReplaceAll(text, saved, "{{"+name+"}}")
		}
	}
	switch {
	case documentID.MatchString(text) && (at.key == "documentId" || !at.keyed):
		return "<documentId>"
	case at.media && at.key == "name":
		return fileHash.ReplaceAllString(text, "_<hash>")
	}
	return text
}
