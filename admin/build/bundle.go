package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the files that the browser requests by name: the start of the admin, files
// that are loaded on first use, and all styles. withMessages adds those of messages.
var entries = []api.EntryPoint{
	{InputPath: "src/main.tsx", OutputPath: "main"},
	{InputPath: "src/style/main.css", OutputPath: "main"},
	{InputPath: "src/editor/page.tsx", OutputPath: "editor"},
	{InputPath: "src/editor/history/page.tsx", OutputPath: "history"},
	{InputPath: "src/editor/locales/counterpart.tsx", OutputPath: "counterpart"},
	{InputPath: "src/editor/merge/texts.ts", OutputPath: "merge"},
	{InputPath: "src/editor/merge/dialog.tsx", OutputPath: "merged"},
	{InputPath: "src/preview/pane.tsx", OutputPath: "preview"},
	{InputPath: "src/review/side.tsx", OutputPath: "review"},
	{InputPath: "src/suggestions/fill.tsx", OutputPath: "suggestions"},
	{InputPath: "src/suggestions/alternative.tsx", OutputPath: "suggestions-alternative"},
	{InputPath: "src/blocks/mount.ts", OutputPath: "blocks"},
	{InputPath: "src/markdown/mount.ts", OutputPath: "markdown"},
	{InputPath: "src/json/mount.ts", OutputPath: "json"},
	{InputPath: "src/arrange/page.tsx", OutputPath: "arrange"},
	{InputPath: "src/home/page.tsx", OutputPath: "home"},
	{InputPath: "src/views/views.tsx", OutputPath: "views"},
	{InputPath: "src/changes/page.tsx", OutputPath: "changes"},
	{InputPath: "src/releases/page.tsx", OutputPath: "releases"},
	{InputPath: "src/releases/add.tsx", OutputPath: "release-add"},
	{InputPath: "src/deleted/dialog.tsx", OutputPath: "deleted"},
	{InputPath: "src/media/page.tsx", OutputPath: "media"},
	{InputPath: "src/types/page.tsx", OutputPath: "types"},
	{InputPath: "src/people/page.tsx", OutputPath: "people"},
	{InputPath: "src/operation/page.tsx", OutputPath: "operation"},
	{InputPath: "src/webhooks/page.tsx", OutputPath: "webhooks"},
	{InputPath: "src/transfer/page.tsx", OutputPath: "transfer"},
	{InputPath: "src/settings/page.tsx", OutputPath: "settings"},
	{InputPath: "src/searches/page.tsx", OutputPath: "searches"},
	{InputPath: "src/security/page.tsx", OutputPath: "security"},
	{InputPath: "src/assistants/page.tsx", OutputPath: "assistants"},
	{InputPath: "src/icon.svg", OutputPath: "icon"},
}

// messages returns the files of messages as entries, by the names that i18n.ts requests:
// core-de for src/core/messages/de.ts. English is in the scripts that need it.
func messages(web string) (files []api.EntryPoint) {
	found, err := filepath.Glob(filepath.Join(web, "src", "*", "messages", "*.ts"))
	if err != nil {
		panic(err) // the pattern is valid
	}
	for _, path := range found {
		code := strings.TrimSuffix(filepath.Base(path), ".ts")
		if code != "en" {
			folder := filepath.Base(filepath.Dir(filepath.Dir(path)))
			files = append(files, api.EntryPoint{InputPath: path, OutputPath: folder + "-" + code})
		}
	}
	return files
}

// bundled is the output of the bundler.
type bundled struct {
	files      map[string][]byte   // by name: main.js, shared-editor-main.js
	compressed map[string][]byte   // the same, made by distribution
	inputs     []string            // sources and files of packages that are in them, by path below web
	imports    map[string][]string // by name of a script: the scripts that it needs before it runs
}

func options(web string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:       web,
		EntryPointsAdvanced: slices.Concat(entries, messages(web)),
		Outdir:              "dist",
		Bundle:              true,
		Splitting:           true,
		Loader:              map[string]api.Loader{".svg": api.LoaderCopy},
		Format:              api.FormatESModule,
		Target:              api.ES2022,
		JSX:                 api.JSXAutomatic,
		JSXImportSource:     "preact",
		MinifyWhitespace:    true,
		MinifyIdentifiers:   true,
		MinifySyntax:        true,
		LegalComments:       api.LegalCommentsNone, // licences.txt has the full texts
		Charset:             api.CharsetUTF8,
		Metafile:            true,
		LogLevel:            api.LogLevelWarning,
		Plugins:             []api.Plugin{startFirst},
	}
}

// startFirst has each entry import main before all else, so that what the start has loaded
// is not loaded again. Messages need nothing of it, and the start waits for them.
var startFirst = api.Plugin{Name: "start first", Setup: func(build api.PluginBuild) {
	later := map[string]bool{}
	for _, entry := range entries {
		script := strings.HasPrefix(filepath.Ext(entry.InputPath), ".ts")
		later[filepath.Join(build.InitialOptions.AbsWorkingDir, entry.InputPath)] = script && entry.OutputPath != "main"
	}
	build.OnLoad(api.OnLoadOptions{Filter: `\.tsx?$`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		if !later[args.Path] {
			return api.OnLoadResult{}, nil
		}
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		contents := fmt.Sprintf("import %q; %s", filepath.Join(build.InitialOptions.AbsWorkingDir, "src/main"), source)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderDefault, WatchFiles: []string{args.Path}, ResolveDir: filepath.Dir(args.Path)}, nil
	})
}}

// bundle bundles the sources for production.
func bundle(web string) (*bundled, error) {
	o := options(web)
	result := api.Build(o)
	if len(result.Errors) > 0 {
		return nil, errors.New("the sources do not build")
	}
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("the bundler's description of its output: %w", err)
	}
	names, err := meta.chunkNames(o.EntryPointsAdvanced)
	if err != nil {
		return nil, err
	}
	built := &bundled{files: map[string][]byte{}, imports: map[string][]string{}}
	for _, file := range result.OutputFiles {
		name := rename(filepath.Base(file.Path), names)
		built.files[name] = []byte(rename(string(file.Contents), names))
	}
	for path, output := range meta.Outputs {
		name := rename(filepath.Base(path), names)
		for _, imported := range output.Imports {
			if imported.Kind == "import-statement" {
				built.imports[name] = append(built.imports[name], rename(filepath.Base(imported.Path), names))
			}
		}
	}
	built.inputs = slices.Sorted(maps.Keys(meta.Inputs))
	return built, nil
}

// rename gives chunks the names of chunkNames, in a name or in a script. The names from the
// bundler have hashes, so nothing else is replaced.
func rename(text string, names map[string]string) string {
	for _, old := range slices.Sorted(maps.Keys(names)) {
		text = strings.ReplaceAll(text, old, names[old])
	}
	return text
}
