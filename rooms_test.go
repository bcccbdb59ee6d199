package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the packages of this module and which others each may import. A new
// package gets a line here and in the developers' guide.
var rooms = map[string]room{
	"quire/schema":   {},
	"quire/store":    {},
	"quire/index":    {imports: []string{"schema", "store"}},
	"quire/query":    {imports: []string{"schema", "index"}, words: []string{"store"}},
	"quire/content":  {imports: []string{"schema", "store", "index"}},
	"quire/auth":     {imports: []string{"schema", "store", "content", "index"}},
	"quire/media":    {imports: []string{"schema", "content", "index"}, words: []string{"store"}},
	"quire/archive":  {imports: []string{"schema", "store", "content", "media"}},
	"quire/backup":   {imports: []string{"store", "media"}},
	"quire/describe": {imports: []string{"schema"}},
	"quire/server":   {imports: []string{"schema", "store", "index", "query", "content", "auth", "media", "archive", "describe"}, http: true},
	"quire":          {imports: []string{"schema", "store", "index", "query", "content", "auth", "media", "archive", "backup", "describe", "server"}, http: true},

	"quire/bench/growth": {}, // knows the program from outside only
}

type room struct {
	imports []string
	words   []string // may be imported too, but not for what opens or changes the file: see hands
	http    bool     // whether net/http may be among what it imports, directly or not
}

// hands are what a room that imports another for its words must not touch.
var hands = map[string][]string{
	"store": {"Open", "DB", "Tx"},
}

// listed is what "go list" tells of a package, its tests left out.
type listed struct {
	Dir        string
	GoFiles    []string
	ImportPath string
	Imports    []string
	Deps       []string // Imports, and theirs
}

// Imports point down only, and HTTP ends at the server.
func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	for _, p := range listPackages(t) {
		room, known := rooms[p.ImportPath]
		if !known {
			t.Errorf("%s is not in the table of rooms", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			name, ours := strings.CutPrefix(path, "quire/")
			if ours && !slices.Contains(room.imports, name) && !slices.Contains(room.words, name) {
				t.Errorf("%s imports %s; of this module it may import [%s]", p.ImportPath, path, strings.Join(room.imports, " "))
			}
		}
		for _, name := range room.words {
			checkWords(t, p, name)
		}
		if !room.http && slices.Contains(p.Deps, "net/http") {
			t.Errorf("%s depends on net/http, %s; HTTP ends at the server", p.ImportPath, direct(p, "net/http"))
		}
	}
}

// checkWords reports each place where a package reaches for more than the words
// of another.
func checkWords(t *testing.T, p listed, name string) {
	files := token.NewFileSet()
	for _, file := range p.GoFiles {
		tree, err := parser.ParseFile(files, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == name && slices.Contains(hands[name], selector.Sel.Name) {
				t.Errorf("%s: %s may name the values of %s, not use %s.%s", files.Position(n.Pos()), p.ImportPath, name, name, selector.Sel.Name)
			}
			return true
		})
	}
}

func direct(p listed, path string) string {
	if slices.Contains(p.Imports, path) {
		return "which it imports"
	}
	return "which something that it imports imports"
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-json=Dir,GoFiles,ImportPath,Imports,Deps", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 2 {
		t.Fatalf("%v finds %d packages", list, len(packages))
	}
	return packages
}
