package strapi

import (
	"path"
	"regexp"
	"strings"
)

// Forms of files that Strapi generates, over the tokens of a file. They are anchored: a
// file with anything else in it is not generated.
const (
	head = `^(?:"use strict" )?(?:` +
		`import (?:type )?\{ [\w ,]+ \} from "@strapi/strapi" |` +
		`(?:const|let|var) (?:\{ [\w ,]+ \}|factories) = require \( "@strapi/strapi" \)(?: \. factories)? |` +
		`const \{ [\w ,]+ \} = factories )*`
	exported = `(?:module \. exports =|exports \. default =|export default) `
	nothing  = `(?:\{ \}|\( [^()]*\)(?: : [\w .]+)? => \( \{ \} \))`
)

var (
	coreFactory = regexp.MustCompile(head + exported + `(?:(?:require \( "@strapi/strapi" \) \. )?factories \. )?` +
		`createCore(Controller|Router|Service) \( "api::([\w-]+)\.([\w-]+)"(?: as any)?(?: , ` + nothing + `)?(?: ,)? \)$`)
	emptyStart = regexp.MustCompile(head + exported +
		`\{ (?:(?:async )?(?:register|bootstrap|destroy) (?:: )?(?:async )?\( [^()]*\)(?: =>)? \{ \} (?:, )?)*\}$`)
	emptySettings = regexp.MustCompile(head + `(?:` + exported + nothing + `|const config = ` + nothing + ` export default config)$`)
	coreFile      = regexp.MustCompile(`^src/api/([^/]+)/(controller|route|service)s/([^/]+)\.`)
)

// changesNothing recognises files that Strapi generates and that have no effect beyond
// Strapi's defaults: core factories, an empty start, empty settings, comments. It does not
// run them.
func changesNothing(name, text string) bool {
	if name == "public/robots.txt" {
		return strings.TrimSpace(comments.ReplaceAllString(text, "")) == ""
	}
	if codeFile.FindString(name) == "" || strings.HasPrefix(name, "public/") {
		return false
	}
	code := tokens(text)
	switch {
	case code == "" || code == `"use strict"`:
		return true
	case strings.HasPrefix(name, "config/"):
		return emptySettings.MatchString(code)
	case path.Dir(name) == "src":
		return emptyStart.MatchString(code)
	}
	file, call := coreFile.FindStringSubmatch(name), coreFactory.FindStringSubmatch(code)
	if file == nil || call == nil {
		return false
	}
	made := map[string]string{"Controller": "controller", "Router": "route", "Service": "service"}[call[1]]
	return made == file[2] && call[2] == file[1] && call[3] == file[3]
}

var (
	comments = regexp.MustCompile(`(?m)^\s*#.*$`)
	token    = regexp.MustCompile(`^(?:[\w$]+|=>|.)`)
	plain    = regexp.MustCompile(`^[\w@/:. -]*$`)
)

// tokens returns the tokens of JavaScript or TypeScript with a space between them, without
// comments and semicolons; texts are in double quotes. What no generated file has, for
// example an escape in a text, becomes a token that no form has.
func tokens(text string) string {
	var list []string
	for text = strings.TrimPrefix(text, "\ufeff"); text != ""; {
		var one string
		switch {
		case strings.HasPrefix(text, "//"):
			text = after(text, strings.IndexAny(text, "\n\r\u2028\u2029"), 0)
			continue
		case strings.HasPrefix(text, "/*"):
			text = after(text[2:], strings.Index(text[2:], "*/"), 2)
			continue
		case strings.ContainsRune(" \t\r\n;", rune(text[0])):
			text = text[1:]
			continue
		case text[0] == '"' || text[0] == '\'':
			inside, rest, _ := strings.Cut(text[1:], text[:1])
			one, text = "?", rest
			if plain.MatchString(inside) {
				one = `"` + inside + `"`
			}
		default:
			one = token.FindString(text)
			if one == "" {
				one = "?"
			}
			text = text[len(one):]
		}
		list = append(list, one)
	}
	return strings.Join(list, " ")
}

// after returns the text from n bytes after a place on; nothing if there is no such place.
func after(text string, place, n int) string {
	if place < 0 {
		return ""
	}
	return text[place+n:]
}
