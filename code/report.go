package code

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"quire/code/engine"
	"quire/schema"
)

// A Verdict is whether a file runs.
type Verdict string

// The values of Verdict.
const (
	Runs       Verdict = "runs"
	RunsInPart Verdict = "runs in part"
	DoesNotRun Verdict = "does not run"
)

// A Report says of a file of a project whether it runs, and what is missing.
type Report struct {
	File    string
	Verdict Verdict
	Why     string // with the line if it is known; empty for a file that runs
}

// An Error is what is wrong with the code of a project: it cannot be loaded.
type Error struct {
	Problems []engine.Problem
	Reports  []Report // of all files
}

func (e *Error) Error() string {
	var lines []string
	for _, p := range e.Problems {
		if p.Line == 0 && p.File != "" {
			lines = append(lines, p.File+": "+p.Message)
			continue
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// Reports says of each file of the project whether it runs.
func (p *Program) Reports() []Report { return p.reports }

// A problem is one that the runtime found.
type problem struct{ File, Message, Stack string }

// problemsOf makes problems of the runtime an error.
func (p *Program) problemsOf(found []problem) *Error {
	e := &Error{}
	for _, f := range found {
		e.Problems = append(e.Problems, engine.Problem{File: f.File, Line: lineIn(f.File, p.script.Trace(f.Stack)), Message: f.Message})
	}
	return e
}

// refusedBy makes an error of the project, in any of its forms, an *Error with reports.
func (p *Program) refusedBy(err error) error {
	var wrong *Error
	var unbuilt *engine.BuildError
	var thrown *engine.Error
	switch {
	case errors.As(err, &wrong):
	case errors.As(err, &unbuilt):
		wrong = &Error{Problems: unbuilt.Problems}
	case errors.As(err, &thrown):
		file, line := placeOf(thrown.Stack)
		wrong = &Error{Problems: []engine.Problem{{File: file, Line: line, Message: thrown.Error()}}}
	default:
		return err
	}
	for n := range wrong.Problems {
		found := &wrong.Problems[n]
		if strings.HasSuffix(found.Message, "out of memory") {
			found.Message += ": to load the code takes more than code.memory in site.json"
		}
		i := slices.IndexFunc(p.reports, func(r Report) bool { return r.File == found.File })
		if i >= 0 {
			p.reports[i].Verdict, p.reports[i].Why = DoesNotRun, withLine(found.Message, found.Line)
		}
	}
	wrong.Reports = p.reports
	return wrong
}

var stackPlace = regexp.MustCompile(`((?:src|config)/[^\s():]+):(\d+)`)

// placeOf is the first place in a stack that is in the project's own files.
func placeOf(stack string) (file string, line int) {
	part := stackPlace.FindStringSubmatch(stack)
	if part == nil {
		return "", 0
	}
	line, _ = strconv.Atoi(part[2])
	return part[1], line
}

// lineIn is the first line of a file in a stack, or 0.
func lineIn(file, stack string) int {
	for _, part := range stackPlace.FindAllStringSubmatch(stack, -1) {
		if part[1] == file {
			line, _ := strconv.Atoi(part[2])
			return line
		}
	}
	return 0
}

// lacking adds to the report on a file that something in it does not run.
func (p *Program) lacking(file, why string) {
	i := slices.IndexFunc(p.reports, func(r Report) bool { return r.File == file })
	if i < 0 || strings.Contains(p.reports[i].Why, why) {
		return
	}
	r := &p.reports[i]
	if r.Verdict == Runs {
		r.Verdict = RunsInPart
	} else {
		why = r.Why + "; " + why
	}
	r.Why = why
}

func withLine(message string, line int) string {
	if line == 0 {
		return message
	}
	return fmt.Sprintf("line %d: %s", line, message)
}

// A lack is a member of strapi that is not there.
type lack struct {
	Name, Why string
	use       *regexp.Regexp
}

// lacks are those in runtime/missing.json.
var lacks = func() []lack {
	text, err := runtimeFiles.ReadFile("runtime/missing.json")
	if err != nil {
		panic(err)
	}
	var list []lack
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err)
	}
	for i, l := range list {
		list[i].use = regexp.MustCompile(`(?:^|[^\w./@-]|\bthis\.)` + strings.ReplaceAll(regexp.QuoteMeta(l.Name), `\.`, `\??\.`) + `\b`)
	}
	return list
}()

// maxSource is the maximum length of a file that is searched for what is missing.
const maxSource = 1 << 20

// reportSources reports on files by their places and by the names that they use.
func reportSources(folder string, files []source, site *schema.Site) []Report {
	var reports []Report
	known := slices.Clone(plugins)
	for _, f := range files {
		if f.role == isPlugin {
			known = append(known, f.name)
		}
	}
	for _, f := range files {
		r := Report{File: f.path, Verdict: Runs}
		if why := lacksIn(filepath.Join(folder, filepath.FromSlash(f.path)), site, known); why != "" {
			r.Verdict, r.Why = RunsInPart, why
		}
		reports = append(reports, r)
	}
	slices.SortStableFunc(reports, func(a, b Report) int { return cmp.Compare(a.File, b.File) })
	return reports
}

// lacksIn names what a file uses that is not there, with lines. known are the plugins that are.
func lacksIn(file string, site *schema.Site, known []string) string {
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxSource {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "" // the bundler reports it
	}
	var found []string
	line := 0
	for row := range strings.Lines(string(text)) {
		line++
		for _, why := range lacksOf(row, site, known) {
			found = append(found, fmt.Sprintf("line %d: %s", line, why))
		}
	}
	return strings.Join(found, "; ")
}

var (
	pluginUse = regexp.MustCompile(`strapi\??\.plugins?(?:\(|\??\.?\[)\s*['"` + "`" + `]([\w-]+)['"` + "`" + `]\s*[)\]]`)
	typeUse   = regexp.MustCompile(`\.(?:documents|query)\(\s*['"` + "`" + `]([\w-]+::[\w.-]+)['"` + "`" + `]\s*\)`)

	// plugins are those of Strapi that the program has, see runtime/plugins.js.
	plugins = []string{"email", "graphql", "i18n", "upload", "users-permissions"}

	// tables are types without a schema that have rows, see runtime/tables.js.
	tables = []string{"plugin::users-permissions.permission", "admin::user", "admin::role", "plugin::i18n.locale", "strapi::core-store"}
)

// lacksOf names what a line uses that is not there.
func lacksOf(row string, site *schema.Site, known []string) (found []string) {
	for _, l := range lacks {
		if l.use.MatchString(row) {
			found = append(found, fmt.Sprintf("%s is not there: %s", l.Name, l.Why))
		}
	}
	for _, part := range pluginUse.FindAllStringSubmatch(row, -1) {
		switch {
		case part[1] == "graphql":
			found = append(found, "the schema of GraphQL stays that of the content types")
		case !slices.Contains(known, part[1]):
			found = append(found, fmt.Sprintf("there is no plugin %s", part[1]))
		}
	}
	for _, part := range typeUse.FindAllStringSubmatch(row, -1) {
		hasRows := strings.HasPrefix(part[0], ".query(") && slices.Contains(tables, part[1])
		if site.Type(part[1]) == nil && !hasRows {
			found = append(found, fmt.Sprintf("there is no content type %s", part[1]))
		}
	}
	return found
}
