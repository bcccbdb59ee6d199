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
// that are loaded on first use, and all styles.
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
	{InputPath: "src/review/messages/de.ts", OutputPath: "review-de"},
	{InputPath: "src/suggestions/fill.tsx", OutputPath: "suggestions"},
	{InputPath: "src/suggestions/alternative.tsx", OutputPath: "suggestions-alternative"},
	{InputPath: "src/suggestions/messages/de.ts", OutputPath: "suggestions-de"},
	{InputPath: "src/preview/messages/de.ts", OutputPath: "preview-de"},
	{InputPath: "src/blocks/mount.ts", OutputPath: "blocks"},
	{InputPath: "src/markdown/mount.ts", OutputPath: "markdown"},
	{InputPath: "src/json/mount.ts", OutputPath: "json"},
	{InputPath: "src/arrange/page.tsx", OutputPath: "arrange"},
	{InputPath: "src/arrange/messages/de.ts", OutputPath: "arrange-de"},
	{InputPath: "src/home/page.tsx", OutputPath: "home"},
	{InputPath: "src/home/messages/de.ts", OutputPath: "home-de"},
	{InputPath: "src/views/views.tsx", OutputPath: "views"},
	{InputPath: "src/views/messages/de.ts", OutputPath: "views-de"},
	{InputPath: "src/changes/page.tsx", OutputPath: "changes"},
	{InputPath: "src/changes/messages/de.ts", OutputPath: "changes-de"},
	{InputPath: "src/releases/page.tsx", OutputPath: "releases"},
	{InputPath: "src/releases/add.tsx", OutputPath: "release-add"},
	{InputPath: "src/releases/messages/de.ts", OutputPath: "releases-de"},
	{InputPath: "src/deleted/dialog.tsx", OutputPath: "deleted"},
	{InputPath: "src/deleted/messages/de.ts", OutputPath: "deleted-de"},
	{InputPath: "src/media/page.tsx", OutputPath: "media"},
	{InputPath: "src/media/messages/de.ts", OutputPath: "media-de"},
	{InputPath: "src/types/page.tsx", OutputPath: "types"},
	{InputPath: "src/types/messages/de.ts", OutputPath: "types-de"},
	{InputPath: "src/people/page.tsx", OutputPath: "people"},
	{InputPath: "src/people/messages/de.ts", OutputPath: "people-de"},
	{InputPath: "src/operation/page.tsx", OutputPath: "operation"},
	{InputPath: "src/operation/messages/de.ts", OutputPath: "operation-de"},
	{InputPath: "src/webhooks/page.tsx", OutputPath: "webhooks"},
	{InputPath: "src/webhooks/messages/de.ts", OutputPath: "webhooks-de"},
	{InputPath: "src/transfer/page.tsx", OutputPath: "transfer"},
	{InputPath: "src/transfer/messages/de.ts", OutputPath: "transfer-de"},
	{InputPath: "src/settings/page.tsx", OutputPath: "settings"},
	{InputPath: "src/settings/messages/de.ts", OutputPath: "settings-de"},
	{InputPath: "src/searches/page.tsx", OutputPath: "searches"},
	{InputPath: "src/searches/messages/de.ts", OutputPath: "searches-de"},
	{InputPath: "src/security/page.tsx", OutputPath: "security"},
	{InputPath: "src/security/messages/de.ts", OutputPath: "security-de"},
	{InputPath: "src/assistants/page.tsx", OutputPath: "assistants"},
	{InputPath: "src/assistants/messages/de.ts", OutputPath: "assistants-de"},
	{InputPath: "src/core/messages/de.ts", OutputPath: "de"},
	{InputPath: "src/icon.svg", OutputPath: "icon"},
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
		EntryPointsAdvanced: entries,
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
		later[filepath.Join(build.InitialOptions.AbsWorkingDir, entry.InputPath)] = script && entry.OutputPath != "main" && !strings.Contains(entry.InputPath, "/messages/")
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
	result := api.Build(options(web))
	if len(result.Errors) > 0 {
		return nil, errors.New("the sources do not build")
	}
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("the bundler's description of its output: %w", err)
	}
	names, err := meta.chunkNames()
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
