package code

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed runtime
var runtimeFiles embed.FS

// public are the packages of Strapi that a project imports, by the file that stands for each.
var public = map[string]string{
	"@strapi/strapi": "modules", "@strapi/utils": "utils", "@strapi/types": "types",
}

// modules are the source texts of the modules that a project finds without a file: those of
// the runtime, "quire/context", and the packages of Strapi.
func modules() (map[string]string, error) {
	texts := map[string]string{}
	entries, err := runtimeFiles.ReadDir("runtime")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := runtimeFiles.ReadFile("runtime/" + e.Name())
		if err != nil {
			return nil, err
		}
		name, isData := strings.CutSuffix(e.Name(), ".json")
		if isData {
			texts["quire/"+name] = "module.exports = " + string(text)
			continue
		}
		texts["quire/"+strings.TrimSuffix(name, ".js")] = string(text)
	}
	for name, file := range public {
		texts[name] = "module.exports = require('quire/" + file + "');"
	}
	return texts, nil
}

// entryOf is the source text of the module that starts a project. Each file is loaded by a
// function of its own, so that an error in one is known by its file.
func entryOf(files []source, site any) (string, error) {
	about, err := json.Marshal(site)
	if err != nil {
		return "", err
	}
	var entry strings.Builder
	fmt.Fprintf(&entry, "const { start } = require('quire/start');\nstart({ site: %s, files: [\n", about)
	for _, f := range files {
		if f.role == isModule {
			continue
		}
		fmt.Fprintf(&entry, "  { path: %s, role: %s, name: %s, api: %s, load: () => require(%s) },\n", quote(f.path), quote(string(f.role)), quote(f.name), quote(f.api), quote("./"+f.path))
	}
	entry.WriteString("] });\n")
	return entry.String(), nil
}

// quote writes a text as JavaScript.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return string(quoted)
}
