package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// metafile is the part that is needed here of the bundler's description of its output.
type metafile struct {
	Inputs  map[string]struct{} `json:"inputs"`
	Outputs map[string]struct {
		EntryPoint string `json:"entryPoint"`
		Imports    []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"imports"`
	} `json:"outputs"`
}

// chunkNames gives each chunk that several entries share a name without a hash, made of the
// names of these entries, so that a change of a source changes no names of files. The
// bundler makes one chunk for each set of entries. Every entry with parts of the start
// imports main (startFirst), so that these parts are one chunk: shared.js.
func (m metafile) chunkNames(entries []api.EntryPoint) (map[string]string, error) {
	sharers := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(m.Outputs)) {
		if m.Outputs[path].EntryPoint == "" || filepath.Ext(path) != ".js" {
			continue
		}
		entry := strings.TrimSuffix(filepath.Base(path), ".js")
		if !slices.ContainsFunc(entries, func(e api.EntryPoint) bool { return e.OutputPath == entry }) {
			return nil, fmt.Errorf("%s is imported when it is needed: add it to entries, so that its file has a name that stays", m.Outputs[path].EntryPoint)
		}
		for chunk := range m.chunksOf(path, map[string]bool{}) {
			sharers[chunk] = append(sharers[chunk], entry)
		}
	}
	names, taken := map[string]string{}, map[string]string{}
	for _, chunk := range slices.Sorted(maps.Keys(sharers)) {
		name := "shared-" + strings.Join(sharers[chunk], "-") + ".js"
		if slices.Contains(sharers[chunk], "main") {
			name = "shared.js"
		}
		if other, ok := taken[name]; ok {
			return nil, fmt.Errorf("%s and %s would both be %s", other, chunk, name)
		}
		names[filepath.Base(chunk)], taken[name] = name, chunk
	}
	return names, nil
}

// chunksOf adds to found the chunks, by path, that the output at path imports, directly
// or not. Imports of other entries are followed as well.
func (m metafile) chunksOf(path string, found map[string]bool) map[string]bool {
	for _, imported := range m.Outputs[path].Imports {
		if imported.Kind != "import-statement" || found[imported.Path] {
			continue
		}
		if m.Outputs[imported.Path].EntryPoint == "" {
			found[imported.Path] = true
		}
		m.chunksOf(imported.Path, found)
	}
	return found
}
