package structure

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

// packages are the packages of this module and which others each may import. A new
// package gets a line here and in the developers' guide.
var packages = map[string]rules{
	"quire/schema/source":   {},
	"quire/schema/settings": {imports: []string{"schema/source"}},
	"quire/schema":          {imports: []string{"schema/source"}},
	"quire/schema/edit":     {imports: []string{"schema", "schema/source"}},

	"quire/code/engine": {http: true}, // for fetch
	"quire/code":        {imports: []string{"code/engine", "schema", "query/params"}, http: true},

	"quire/store":                {},
	"quire/store/follow":         {imports: []string{"store"}, http: true},
	"quire/store/cluster":        {imports: []string{"store"}, http: true},
	"quire/store/cluster/member": {http: true},
	"quire/index/language":       {},
	"quire/index":                {imports: []string{"schema", "store", "index/language"}},
	"quire/query/params":         {},
	"quire/query":                {imports: []string{"schema", "index", "index/language", "query/params"}, words: []string{"store", "content/event"}},
	"quire/content/body":         {imports: []string{"schema"}, words: []string{"store"}},
	"quire/content/history":      {imports: []string{"schema", "store"}},
	"quire/content/audit":        {imports: []string{"store"}},
	"quire/content/event":        {imports: []string{"schema", "store"}},
	"quire/content":              {imports: []string{"content/review", "content/audit", "schema", "store", "content/event", "content/history", "index", "content/body"}},
	"quire/content/arrange":      {imports: []string{"schema", "store"}},
	"quire/content/review":       {imports: []string{"content/audit", "schema", "store"}},
	"quire/content/search":       {imports: []string{"content/audit", "schema", "store"}},
	"quire/content/bulk":         {imports: []string{"schema", "store", "content/history", "index", "content", "content/body"}},
	"quire/content/verify":       {imports: []string{"schema", "store", "content/history", "index", "content"}},
	"quire/content/migrate":      {imports: []string{"content/review", "content/audit", "schema", "store", "content/history", "index", "content", "content/verify", "content/body"}},
	"quire/transfer/compare":     {imports: []string{"content/event", "content/history", "schema", "schema/settings", "store"}},
	"quire/notify/outbox":        {imports: []string{"store"}},
	"quire/notify/webhook":       {imports: []string{"content/audit", "schema", "schema/source", "store", "content/history", "index", "query", "query/params", "content", "content/verify", "content/event", "notify/outbox"}, http: true},
	"quire/notify/hook":          {imports: []string{"schema", "content", "notify/webhook"}, http: true},
	"quire/auth":                 {imports: []string{"content/audit", "schema", "store", "content", "content/body", "content/verify"}},
	"quire/auth/password":        {imports: []string{"auth/password/internal/cost"}},
	"quire/auth/openid":          {imports: []string{"schema"}, http: true},
	"quire/auth/oauth":           {http: true},
	"quire/auth/users":           {imports: []string{"schema", "store", "content", "content/body", "content/verify", "index", "auth", "auth/password", "notify/outbox"}},
	"quire/media":                {imports: []string{"schema", "content", "content/body", "index"}, words: []string{"store"}},
	"quire/media/bucket":         {imports: []string{"schema", "media"}, words: []string{"store"}, http: true},
	"quire/transfer/archive":     {imports: []string{"auth/people", "content/review", "content/arrange", "schema", "store", "content/history", "content", "content/body", "content/verify", "content/bulk", "media"}},
	"quire/transfer/backup":      {imports: []string{"content/audit", "store", "media"}},
	"quire/transfer/stream":      {imports: []string{"store", "media"}, http: true},
	"quire/transfer/pull":        {http: true},
	"quire/transfer/push":        {imports: []string{"content/changeset", "content/history", "schema", "store", "transfer/compare"}},
	"quire/content/release":      {imports: []string{"content/audit", "schema", "store", "content", "content/verify", "content/body"}},
	"quire/content/changeset":    {imports: []string{"store", "content/verify"}},
	"quire/documents":            {imports: []string{"content/audit", "content/changeset", "schema", "store", "content/event", "content/history", "index", "query", "query/params", "content", "content/body", "auth", "auth/users", "auth/password", "media", "content/release"}},
	"quire/code/host":            {imports: []string{"schema", "store", "index", "query", "query/params", "content", "content/body", "auth", "auth/users", "media", "documents"}},
	"quire/server/describe":      {imports: []string{"schema"}},
	"quire/transfer/strapi":      {},
	"quire/app/inspect":          {imports: []string{"transfer/strapi", "schema", "schema/source", "store", "content/event", "content/history", "content", "content/body", "content/verify", "content/migrate", "auth/users", "auth/people", "media", "content/changeset", "content/release", "notify/webhook"}, http: true}, // by way of webhooks
	"quire/server/edge":          {http: true},
	"quire/server/metrics":       {imports: []string{"server/edge"}, http: true},
	"quire/server/live":          {imports: []string{"content/review", "schema", "store", "content/event", "index", "query", "auth"}},
	"quire/server/graphql":       {imports: []string{"schema", "schema/settings", "store", "index", "query", "query/params", "content", "content/body", "content/event", "documents", "server/live"}},
	"quire/server/mcp":           {imports: []string{"schema", "schema/settings", "store", "index", "query/params", "content", "content/audit", "content/changeset", "content/body", "content/release", "auth", "auth/people", "documents"}, http: true},
	"quire/server":               {imports: []string{"content/audit", "schema", "store", "content/event", "content/history", "index", "query", "query/params", "content", "content/body", "auth", "auth/users", "auth/openid", "auth/password", "media", "transfer/archive", "content/release", "notify/webhook", "server/describe", "documents", "server/edge", "server/graphql", "server/live", "server/mcp", "server/metrics", "store/follow"}, http: true},
	"quire/auth/people/desk":     {imports: []string{"store"}},
	"quire/auth/people":          {imports: []string{"content/review", "content/search", "content/arrange", "content/audit", "schema", "store", "content/verify", "auth", "auth/password", "auth/people/desk"}},
	"quire/admin/web":            {http: true},
	"quire/admin/model":          {imports: []string{"schema"}, http: true},
	"quire/admin":                {imports: []string{"admin/model", "content/review", "content/search", "content/arrange", "content/audit", "content/changeset", "schema", "schema/edit", "schema/source", "content/migrate", "auth", "auth/openid", "auth/oauth", "media", "auth/people", "auth/people/desk", "documents", "server"}, http: true},
	"quire/app/templates":        {},
	"quire/app/control":          {http: true},
	"quire/app/gitignore":        {},
	"quire/app/listen":           {http: true},
	"quire/app":                  {imports: []string{"content/review", "content/search", "content/arrange", "content/audit", "schema", "schema/edit", "schema/settings", "schema/source", "store", "content/event", "content/history", "index", "content", "content/body", "content/verify", "transfer/compare", "content/migrate", "auth", "auth/users", "auth/password", "media", "media/bucket", "transfer/archive", "transfer/backup", "transfer/pull", "transfer/push", "transfer/stream", "content/release", "notify/webhook", "notify/hook", "app/inspect", "documents", "server", "server/mcp", "server/metrics", "admin", "auth/people", "auth/people/desk", "admin/web", "app/templates", "transfer/strapi", "app/control", "app/gitignore", "app/listen", "store/cluster", "store/follow", "code", "code/engine", "code/host", "query/params"}, http: true},
	"quire/command":              {imports: []string{"store/cluster/member", "content/audit", "auth/people", "app", "app/listen", "schema", "schema/source", "store", "content", "transfer/compare", "content/migrate", "auth", "auth/users", "transfer/archive", "transfer/backup", "transfer/pull", "transfer/push", "transfer/stream", "notify/webhook", "server/describe", "app/inspect", "transfer/strapi", "schema/edit", "server", "server/graphql", "app/templates"}, http: true},
	"quire/deploy/manual":        {imports: []string{"command"}, http: true},
	"quire":                      {imports: []string{"command"}, http: true},

	// What runs beside the program, for people to copy.
	"quire/examples/beside/go": {http: true},

	// What drives the program from outside, see TestOutsideKnowsNothingInside.
	"quire/test/program":   {http: true},
	"quire/test/authority": {http: true},
	"quire/test/ledger":    {imports: []string{"test/program"}, http: true},
	"quire/test/endurance": {},
	"quire/test/power":     {},
	"quire/test/follow":    {imports: []string{"test/gateway", "test/ledger", "test/program"}, http: true},
	"quire/test/growth":    {},
	"quire/test/listeners": {http: true},
	"quire/test/objects":   {},
	"quire/test/cluster":   {},
	"quire/test/front":     {},
	"quire/test/beside":    {http: true},
	"quire/test/gateway":   {imports: []string{"test/program"}, http: true},
	"quire/test/replay":    {http: true},
	"quire/test/structure": {},

	// For tests only.
	"quire/content/contenttest":    {imports: []string{"schema", "store", "index", "index/indextest", "content", "content/verify", "content/body"}},
	"quire/content/simulation":     {},
	"quire/media/mediatest":        {imports: []string{"media"}, http: true},
	"quire/store/storetest":        {imports: []string{"store"}},
	"quire/index/indextest":        {imports: []string{"schema", "store", "index", "index/language"}},
	"quire/auth/openid/openidtest": {http: true},

	"quire/auth/password/passwordtest":  {imports: []string{"auth/password/internal/cost"}},
	"quire/auth/password/internal/cost": {}, // which only tests change
}

type rules struct {
	imports []string
	words   []string // may be imported too, but not for what opens or changes the file: see hands
	http    bool     // whether net/http may be among what it imports, directly or not
}

// hands are what a package that imports another for its words must not touch.
var hands = map[string][]string{
	"store":         {"Open", "DB", "Tx"},
	"content/event": {"Append", "Read", "Reset", "Floor", "Last", "Expired"},
}

// walks are what an index is walked with to answer a read. Packages other than query
// look entries up, see index.Lookup.
var walks = []string{
	"NewPath", "Path", "Row", "Bits", "NewBits", "Posting", "Values", "Links", "Words", "Terms", "Term", "TermStream", "Range", "Order",
	"Table", "Entry", "Body", "Slots", "Doc", "Edge", "Edges", "Instance",
	"TextKey", "IntKey", "FloatKey", "BoolKey", "SlotKey", "SlotText",
}

// listed is a package in the output of "go list", built with the tag cluster and
// without its tests.
type listed struct {
	Dir        string
	GoFiles    []string
	ImportPath string
	Imports    []string

	TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports []string // of its tests

	Deps []string // Imports, and theirs
}

// Imports point down only, and HTTP ends at the server.
func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	atTheTop(t)
	for _, p := range listPackages(t) {
		may, known := packages[p.ImportPath]
		if !known {
			t.Errorf("%s is not in the table of packages", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			name, ours := strings.CutPrefix(path, "quire/")
			if name == "schema/settings" {
				name = "schema" // whoever is given a site knows its settings
			}
			if ours && p.ImportPath != "quire/"+name && !slices.Contains(may.imports, name) && !slices.Contains(may.words, name) {
				t.Errorf("%s imports %s; of this module it may import [%s]", p.ImportPath, path, strings.Join(may.imports, " "))
			}
		}
		for _, name := range may.words {
			checkNames(t, p, name, hands[name])
		}
		if p.ImportPath != "quire/query" && p.ImportPath != "quire/index/indextest" {
			checkNames(t, p, "index", walks)
		}
		if !may.http && slices.Contains(p.Deps, "net/http") {
			t.Errorf("%s depends on net/http, %s; HTTP ends at the server", p.ImportPath, direct(p, "net/http"))
		}
	}
}

// What drives the program from outside knows it only so, its tests too.
func TestOutsideKnowsNothingInside(t *testing.T) {
	atTheTop(t)
	for _, p := range listPackages(t) {
		if !strings.HasPrefix(p.ImportPath, "quire/test/") {
			continue
		}
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if path == "quire" || strings.HasPrefix(path, "quire/") && !strings.HasPrefix(path, "quire/test/") {
				t.Errorf("%s imports %s; it may know the program from outside only", p.ImportPath, path)
			}
		}
	}
}

// checkNames reports each place where a package uses one of those names of another,
// which it must not.
func checkNames(t *testing.T, p listed, name string, forbidden []string) {
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
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == name && slices.Contains(forbidden, selector.Sel.Name) {
				t.Errorf("%s: %s must not use %s.%s", files.Position(n.Pos()), p.ImportPath, name, selector.Sel.Name)
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
	list := exec.Command("go", "list", "-e", "-tags", "cluster", "-json=Dir,GoFiles,TestGoFiles,XTestGoFiles,ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 2 {
		t.Fatalf("%v finds %d packages", list, len(all))
	}
	return all
}
