package gitignore

import (
	"regexp"
	"strings"
)

// pattern is one line of a .gitignore.
type pattern struct {
	form    *regexp.Regexp // of the path below the folder of the file
	not     bool           // what fits is not ignored
	folders bool           // only folders fit
}

// parse reads patterns. What is none is left out.
func parse(text string) (list []pattern) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimRight(line, " \t"); !strings.HasSuffix(trimmed, `\`) {
			line = trimmed
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var p pattern
		line, p.not = strings.CutPrefix(line, "!")
		line, p.folders = strings.CutSuffix(line, "/")
		form, err := regexp.Compile(expression(line))
		if err != nil || line == "" {
			continue
		}
		p.form = form
		list = append(list, p)
	}
	return list
}

// expression turns a pattern into a regular expression. One with a slash in it is about
// paths from the folder on, others are about names at any depth.
func expression(glob string) string {
	var b strings.Builder
	b.WriteString("^")
	if !strings.Contains(glob, "/") {
		b.WriteString("(?:.*/)?")
	}
	glob = strings.TrimPrefix(glob, "/")
	for i := 0; i < len(glob); i++ {
		switch rest := glob[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		case rest[0] == '[':
			class := rest[:strings.IndexByte(rest, ']')+1]
			if len(class) < 3 {
				return "[" // no class ends here: nothing fits
			}
			b.WriteString("[" + strings.Replace(class[1:], "!", "^", 1))
			i += len(class) - 1
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i++
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	return b.String() + "$"
}
