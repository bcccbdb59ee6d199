package engine

import (
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// BuildOptions say what to bundle.
type BuildOptions struct {
	Root    string            // the folder of the project
	Entry   string            // the source text of the first module, which imports the others
	Modules map[string]string // source texts of modules by their name, such as "@strapi/utils"
}

// A Script is a project as one script.
type Script struct {
	Warnings []Problem // what may fail when it runs, such as a require of a computed name

	source    string
	positions *positions
}

// A Problem is a message about a place in a source.
type Problem struct {
	File    string // relative to the project
	Line    int    // from 1; 0 without a place
	Message string
}

func (p Problem) String() string {
	if p.File == "" {
		return p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// A BuildError says why a project cannot run.
type BuildError struct{ Problems []Problem }

func (e *BuildError) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

//go:embed js/*.js js/quire/*.js
var own embed.FS

// Build bundles a project. Its error is a *BuildError if the project is at fault.
func Build(o BuildOptions) (*Script, error) {
	root, err := filepath.Abs(o.Root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	b := &bundler{root: root, modules: o.Modules}
	result, err := b.run(o.Entry)
	if err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, &BuildError{Problems: b.problems(result.Errors)}
	}
	s := &Script{Warnings: append(b.problems(result.Warnings), b.warnings...)}
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			s.positions, err = readPositions(f.Contents)
		} else {
			s.source = withOwnAsync(string(f.Contents))
		}
	}
	if err == nil && s.positions == nil {
		err = errors.New("esbuild wrote no source map")
	}
	return s, err
}

// helper is what esbuild calls for each async function.
var helper = regexp.MustCompile(`(?m)^  var __async = (?s:.*?)\n  };$`)

// withOwnAsync replaces it by that of js/quire/core.js. Lines stay what they are.
func withOwnAsync(source string) string {
	at := helper.FindStringIndex(source)
	if at == nil {
		return source // no async function, see TestAsyncFunctionsRunByTheEnginesHelper
	}
	return source[:at[0]] + "  var __async = (a, b, c) => globalThis.__async(a, b, c);" + strings.Repeat("\n", strings.Count(source[at[0]:at[1]], "\n")) + source[at[1]:]
}

// run calls esbuild, whose panics are errors.
func (b *bundler) run(entry string) (result api.BuildResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("esbuild panicked: %v", p)
		}
	}()
	b.entry = entry
	return api.Build(api.BuildOptions{
		EntryPoints:   []string{"quire:start"},
		Bundle:        true,
		Define:        places,
		Outfile:       filepath.Join(b.root, "bundle.js"), // not written; paths in the source map are relative to it
		AbsWorkingDir: b.root,
		Format:        api.FormatIIFE,
		Platform:      api.PlatformNode,
		Target:        api.ES2023,
		// core.js drives what awaits. See doc.go.
		Supported:      map[string]bool{"async-await": false, "async-generator": false, "for-await": false},
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LogLevel:       api.LogLevelSilent,
		LogLimit:       maxProblems,
		LogOverride: map[string]api.LogLevel{
			"unsupported-require-call":   api.LogLevelWarning,
			"unsupported-dynamic-import": api.LogLevelWarning,
		},
		Alias:   refusedNames,
		Charset: api.CharsetUTF8,
		Loader:  map[string]api.Loader{".node": api.LoaderEmpty},
		Plugins: []api.Plugin{{Name: "quire", Setup: b.setUp}},
	}), nil
}

func (b *bundler) problems(messages []api.Message) []Problem {
	var all []Problem
	for _, m := range messages {
		p := Problem{Message: withReason(m.Text)}
		if m.Location != nil {
			p.File, p.Line = strings.TrimPrefix(m.Location.File, "quire:"), m.Location.Line
		}
		all = append(all, p)
	}
	return all
}

// builtins are the modules of Node that the engine has, by their name there, and those of
// its own that its modules alone import, as "quire:core".
var builtins = func() map[string]string {
	texts := map[string]string{}
	for folder, name := range map[string]func(file string) string{
		"js":       func(file string) string { return strings.ReplaceAll(file, "-", "/") },
		"js/quire": func(file string) string { return "quire:" + file },
	} {
		entries, err := own.ReadDir(folder)
		if err != nil {
			panic(err) // it is in the program
		}
		for _, e := range entries {
			file, found := strings.CutSuffix(e.Name(), ".js")
			if !found {
				continue
			}
			text, err := own.ReadFile(folder + "/" + e.Name())
			if err != nil {
				panic(err)
			}
			texts[name(file)] = string(text)
		}
	}
	return texts
}()
