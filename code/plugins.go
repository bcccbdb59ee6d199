package code

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A project has plugins of its own: folders that config/plugins enables and names. The code of
// the server in such a folder begins with one file, which package.json may name.

// pluginFile finds the files of code in the usual place of such plugins, but not those of the
// admin panel and compiled ones.
var pluginFile = regexp.MustCompile(`^src/plugins/[^/]+/(?:.*/)?[^/]+` + extensions)

// pluginEntries are the files with which a plugin may begin, in this order. Sources in TypeScript
// come before files that only name what has been compiled from them.
var pluginEntries = []string{
	"server/src/index.ts", "server/index.ts", "strapi-server.js", "strapi-server.cjs", "strapi-server.mjs", "strapi-server.ts",
	"server/src/index.js", "server/index.js", "dist/server/index.js", "dist/server/index.mjs",
}

// withPlugins makes the first files of the plugins that config/plugins enables files that run,
// and leaves out those of plugins that it does not enable. It evaluates the settings for that.
func (o Options) withPlugins(folder string, files []source) []source {
	plugins := map[string]string{} // names by folders
	if slices.ContainsFunc(files, func(s source) bool { return namesPlugins(folder, s) }) {
		plugins = o.enabledPlugins(folder, files)
	}
	enabled := func(file string) bool {
		for at := path.Dir(file); at != "."; at = path.Dir(at) {
			if _, found := plugins[at]; found {
				return true
			}
		}
		return false
	}
	files = slices.DeleteFunc(files, func(s source) bool { return pluginFile.MatchString(s.path) && !enabled(s.path) })
	for at, name := range plugins {
		entry := pluginEntry(os.DirFS(folder), at)
		if entry == "" {
			continue // it is for the admin panel alone
		}
		files = slices.DeleteFunc(files, func(s source) bool { return s.path == entry })
		files = append(files, source{path: entry, role: isPlugin, name: name})
	}
	slices.SortFunc(files, func(a, b source) int { return comparePaths(a.path, b.path) })
	return files
}

// namesPlugins reports whether a file is one of config/plugins that may name folders.
func namesPlugins(folder string, s source) bool {
	if s.name != "plugins" || s.role != isConfig && s.role != isEnvironment {
		return false
	}
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.path)))
	return err == nil && strings.Contains(string(text), "resolve")
}

// enabledPlugins returns the names of the plugins in folders of the project, by folder. Settings
// that cannot be evaluated have none; loading the project reports what is wrong with them.
func (o Options) enabledPlugins(folder string, files []source) map[string]string {
	plugins := map[string]string{}
	o.Log = slog.New(slog.DiscardHandler) // the settings are evaluated again, and log then
	values, err := o.evaluateSettings(context.Background(), folder, files)
	if err != nil {
		return plugins
	}
	var settings struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	_ = json.Unmarshal(values, &settings) // another form has no plugins
	for name, declared := range settings.Plugins {
		var d struct {
			Enabled bool
			Resolve string
		}
		if json.Unmarshal(declared, &d) != nil || !d.Enabled || d.Resolve == "" {
			continue
		}
		at := filepath.FromSlash(d.Resolve)
		if !filepath.IsAbs(at) {
			at = filepath.Join(folder, at)
		}
		if at, err = filepath.Rel(folder, at); err != nil || !filepath.IsLocal(at) || at == "." {
			continue
		}
		at = filepath.ToSlash(at)
		if info, err := fs.Stat(os.DirFS(folder), at); err == nil && info.IsDir() && !strings.Contains("/"+at+"/", "/node_modules/") {
			plugins[at] = name
		}
	}
	return plugins
}

// pluginEntry is the first file of the plugin in a folder; empty for one without a server.
func pluginEntry(project fs.FS, folder string) string {
	var manifest struct {
		Exports map[string]json.RawMessage
	}
	if text, err := fs.ReadFile(project, path.Join(folder, "package.json")); err == nil {
		_ = json.Unmarshal(text, &manifest) // one in another form names no file
	}
	var named struct{ Source, Require, Import, Default string }
	if given := manifest.Exports["./strapi-server"]; json.Unmarshal(given, &named) != nil {
		_ = json.Unmarshal(given, &named.Require)
	}
	for _, name := range slices.Concat([]string{named.Source}, pluginEntries[:2], []string{named.Require, named.Import, named.Default}, pluginEntries[2:]) {
		file := path.Join(folder, name)
		if info, err := fs.Stat(project, file); err == nil && info.Mode().IsRegular() && strings.HasPrefix(file, folder+"/") {
			return file
		}
	}
	return ""
}
