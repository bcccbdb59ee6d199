package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"quire/code/engine"
	"quire/schema"
)

// Options say which project to load and what it may use.
type Options struct {
	Folder  string       // of the site
	Site    *schema.Site // its content types and settings
	Now     engine.Host  // the same for what the code waits for without a promise
	Host    engine.Host  // does what the code asks for; see runtime/host.js
	Log     *slog.Logger
	Env     map[string]string // the code's process.env; NODE_ENV is "production" if it is not set
	Version string            // of Quire
	Former  *Program          // runs with its files as they were then, instead of those in Folder

	// LongestWrite is how long a write may take with the code that surrounds it; 5 seconds if
	// it is 0. After that the write fails and nothing of it is stored.
	LongestWrite time.Duration

	Closed  string                 // see [engine.Options]
	Memory  int                    // see [engine.Options]
	Turn    time.Duration          // see [engine.Options]
	Network func(netip.Addr) error // see [engine.Options]
	Lent    func(path string) bool // see [engine.Options]
}

// A Program is the code of a project, loaded and running. It is safe for concurrent use.
type Program struct {
	script  *engine.Script
	engine  *engine.Engine
	log     *slog.Logger
	sources []source
	reports []Report
	owned   map[string]bool // APIs with files of routes
	facts   atomic.Pointer[facts]
}

// facts is what the runtime reports of a project. Bootstrap may change it.
type facts struct {
	routes      []Route
	table       *table
	middlewares bool
	unparsed    bool // whether the code wants bodies as they were sent
	cron        []Task
	handled     map[string]bool
	files       bool // whether the code hears of changes of files
	wrapped     bool // whether the code has middlewares of documents
	read        map[string]bool
}

// A Task is a function of a project that runs at set times.
type Task struct {
	Name  string `json:"name"`
	Rule  string `json:"rule"` // "0 1 * * *", with seconds "*/10 * * * * *", or one moment in RFC 3339
	Zone  string `json:"zone"` // a time zone; empty for that of the server
	Start string `json:"start"`
	End   string `json:"end"`
}

// ErrNoCode is why a folder has no Program.
var ErrNoCode = errors.New("the project has no code")

// sources returns the absolute path of the folder, and its files of code.
func (o Options) sources() (folder string, files []source, err error) {
	if folder, err = filepath.Abs(o.Folder); err != nil {
		return "", nil, err
	}
	files, err = find(os.DirFS(folder), o.Env["NODE_ENV"])
	return folder, files, err
}

// Load loads the code of a project and runs its register functions. The error is ErrNoCode if
// there is none, and an *[Error] if the project is at fault.
func Load(o Options) (*Program, error) {
	o = o.withDefaults()
	p, err := o.load()
	if err != nil {
		return nil, err
	}
	if err := p.begin(); err != nil {
		p.Close()
		return nil, p.refusedBy(err)
	}
	return p, nil
}

// load runs the files of a project, or those of a former Program, as modules.
func (o Options) load() (*Program, error) {
	folder, files, err := o.sources()
	switch {
	case err != nil:
		return nil, err
	case o.Former != nil:
		p := &Program{log: o.Log, script: o.Former.script, sources: o.Former.sources, reports: o.Former.reports, owned: map[string]bool{}}
		return p, p.start(folder, o)
	}
	files = o.withPlugins(folder, files)
	if !slices.ContainsFunc(files, runsByItself) {
		return nil, ErrNoCode
	}
	return load(folder, files, o)
}

// load builds files of a project and runs them as modules.
func load(folder string, files []source, o Options) (p *Program, err error) {
	p = &Program{log: o.Log, sources: files, owned: map[string]bool{}}
	p.reports = reportSources(folder, files, o.Site)
	if p.script, err = build(folder, files, o); err != nil {
		return nil, p.refusedBy(err)
	}
	if err := p.start(folder, o); err != nil {
		return nil, p.refusedBy(err)
	}
	return p, nil
}

func (o Options) withDefaults() Options {
	if o.Env["NODE_ENV"] == "" {
		o.Env = maps.Clone(o.Env)
		if o.Env == nil {
			o.Env = map[string]string{}
		}
		o.Env["NODE_ENV"] = "production"
	}
	if o.LongestWrite == 0 {
		o.LongestWrite = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// runsByItself reports whether Strapi loads a file because of its place. Settings alone need
// no engine.
func runsByItself(s source) bool {
	return !slices.Contains([]role{isModule, isConfig, isEnvironment}, s.role)
}

func build(folder string, files []source, o Options) (*engine.Script, error) {
	texts, err := modules()
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(files, siteOf(o, folder))
	if err != nil {
		return nil, err
	}
	return engine.Build(engine.BuildOptions{Root: folder, Entry: entry, Modules: texts})
}

// start runs the modules.
func (p *Program) start(folder string, o Options) (err error) {
	for _, f := range p.sources {
		if f.role == isRoutes {
			p.owned[f.api] = true
		}
	}
	p.facts.Store(&facts{table: &table{}})
	p.engine, err = engine.Start(p.script, engine.Options{
		Root: folder, Closed: o.Closed, Memory: o.Memory, Turn: o.Turn, Env: o.Env, Host: o.Host, Now: o.Now, Log: o.Log, Network: o.Network, Lent: o.Lent,
		Restarted: p.restart,
	})
	return err
}

// begin runs the register functions, and learns what the project has.
func (p *Program) begin() error {
	var begun struct{ Problems, Lacks []problem }
	if err := p.call(context.Background(), "", "begin", nil, &begun); err != nil {
		return err
	}
	if len(begun.Problems) > 0 {
		return p.problemsOf(begun.Problems)
	}
	for _, l := range begun.Lacks {
		p.lacking(l.File, l.Message)
	}
	return p.readFacts(context.Background())
}

// restart runs what a project does when it starts, after the engine has started anew.
func (p *Program) restart() {
	var begun struct{ Problems []problem }
	err := p.call(context.Background(), "", "begin", nil, &begun)
	if err == nil {
		err = p.Bootstrap(context.Background())
	}
	if err != nil {
		p.log.Error("the code of the site does not start", "error", err)
	}
}

// Bootstrap runs the bootstrap functions of the project. Until it has ended, Serve waits.
func (p *Program) Bootstrap(ctx context.Context) error {
	if err := p.call(ctx, "", "bootstrap", nil, nil); err != nil {
		return p.refusedBy(err)
	}
	return p.readFacts(ctx)
}

// Destroy runs the destroy functions of the project.
func (p *Program) Destroy(ctx context.Context) error { return p.call(ctx, "", "destroy", nil, nil) }

// Close stops the code. What waits for an answer gets [engine.ErrStopped].
func (p *Program) Close() { p.engine.Close() }

// readFacts asks the runtime what the program must know.
func (p *Program) readFacts(ctx context.Context) error {
	var given struct {
		Routes        []Route
		Middlewares   bool
		Unparsed      bool
		Cron          []Task
		Handled, Read []string
		Files         bool
		Wrapped       bool
	}
	if err := p.call(ctx, "", "facts", nil, &given); err != nil {
		return err
	}
	f := &facts{middlewares: given.Middlewares, unparsed: given.Unparsed, cron: given.Cron, handled: setOf(given.Handled), read: setOf(given.Read), files: given.Files, wrapped: given.Wrapped}
	var err error
	if f.table, err = newTable(given.Routes); err != nil {
		return err
	}
	f.routes = f.table.routes
	p.facts.Store(f)
	return nil
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Handles reports whether a write of a content type must pass through Write, because the
// project has lifecycles of that type or middlewares of documents.
func (p *Program) Handles(uid string) bool { return p.facts.Load().handled[uid] }

// HandlesReads reports whether reads of a content type have lifecycles or middlewares.
func (p *Program) HandlesReads(uid string) bool { return p.facts.Load().read[uid] }

// Wraps reports whether operations on documents pass through middlewares before lifecycles run.
func (p *Program) Wraps() bool { return p.facts.Load().wrapped }

// Write performs an operation of the Document Service, with its middlewares and lifecycles:
// strapi.documents(uid)[action](params). It runs within the transaction whose id is given,
// or in one of its own if that is empty. If checked is set, the data need not be validated before
// lifecycles see it.
func (p *Program) Write(ctx context.Context, transaction, uid, action string, params json.RawMessage, checked bool) (json.RawMessage, error) {
	arguments := map[string]any{"uid": uid, "action": action, "params": params, "checked": checked}
	if r := RequestOf(ctx); r != nil {
		given, err := r.given()
		if err != nil {
			return nil, err
		}
		arguments["request"] = given
	}
	var result json.RawMessage
	err := p.call(ctx, transaction, "write", arguments, &result)
	return result, err
}

// HearsFiles reports whether the code listens to media.create, media.update or media.delete.
func (p *Program) HearsFiles() bool { return p.facts.Load().files }

// Emit emits an event on strapi.eventHub. Errors of listeners are in the log.
func (p *Program) Emit(ctx context.Context, event string, payload json.RawMessage) error {
	return p.call(ctx, "", "emit", map[string]any{"name": event, "payload": payload}, nil)
}

// Ended calls what code gave to onCommit or onRollback in a transaction that it had not begun.
func (p *Program) Ended(ctx context.Context, transaction string, committed bool) error {
	return p.call(ctx, "", "ended", map[string]any{"id": transaction, "committed": committed}, nil)
}

type requestKey struct{}

// RequestOf returns the request of WithRequest; nil for none.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// WithRequest returns a context for the writes of a request. The code finds the request in
// strapi.requestContext, as lifecycles do to see who writes.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Cron returns the tasks of the project.
func (p *Program) Cron() []Task { return p.facts.Load().cron }

// Run runs a task.
func (p *Program) Run(ctx context.Context, task string) error {
	return p.call(ctx, "", "cron", map[string]string{"name": task}, nil)
}

// Settings evaluates config/*.js and .ts of a project, and no other code of it. It returns
// what they say as JSON, by the name of the file; a function is the text "[function]" in it.
// The errors are those of Load.
func Settings(ctx context.Context, o Options) (json.RawMessage, error) {
	o = o.withDefaults()
	folder, files, err := o.sources()
	if err != nil {
		return nil, err
	}
	return o.evaluateSettings(ctx, folder, files)
}

// evaluateSettings is Settings for the files of a folder.
func (o Options) evaluateSettings(ctx context.Context, folder string, files []source) (json.RawMessage, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(s source) bool { return s.role != isConfig && s.role != isEnvironment })
	if len(files) == 0 {
		return nil, ErrNoCode
	}
	p, err := load(folder, files, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var evaluated struct {
		Values   json.RawMessage
		Problems []problem
	}
	if err := p.call(ctx, "", "settings", nil, &evaluated); err != nil {
		return nil, p.refusedBy(err)
	}
	if len(evaluated.Problems) > 0 {
		return nil, p.refusedBy(p.problemsOf(evaluated.Problems))
	}
	return evaluated.Values, nil
}

// Evaluate runs a piece of JavaScript with strapi in it, such as an async function that is
// called at once, and returns its value as JSON.
func (p *Program) Evaluate(ctx context.Context, text string) (json.RawMessage, error) {
	lowered, err := lower(text)
	if err != nil {
		return nil, err
	}
	var value json.RawMessage
	err = p.call(ctx, "", "evaluate", map[string]string{"code": lowered}, &value)
	return value, err
}

// EvaluateLine runs what a person types at a prompt: an expression, a declaration, whose names
// last, or statements, which may return a value. It returns the value as text, empty for
// undefined.
func (p *Program) EvaluateLine(ctx context.Context, line string) (string, error) {
	lowered, err := lowerLine(line)
	if err != nil {
		return "", err
	}
	var shown string
	err = p.call(ctx, "", "line", map[string]string{"code": lowered}, &shown)
	return shown, err
}

var declaration = regexp.MustCompile(`^\s*(?:const|let|var)\s+`)

// lowerLine makes a line an async function that is called at once. A declaration becomes an
// assignment, which makes a global variable.
func lowerLine(line string) (string, error) {
	expression := strings.TrimRight(declaration.ReplaceAllString(line, ""), "; \t\r\n")
	if expression == "" {
		return "", nil
	}
	lowered, err := lower("(async () => (" + expression + "\n))()")
	if err != nil {
		return lower("(async () => {" + line + "\n})()")
	}
	return lowered, nil
}

// Unfinished reports whether more lines may complete what was typed at a prompt: what is wrong
// with it is only found after its end.
func Unfinished(line string) bool {
	result := api.Transform("(async () => {"+line+"\n})()", api.TransformOptions{})
	return slices.ContainsFunc(result.Errors, func(m api.Message) bool {
		return m.Location != nil && m.Location.Line > strings.Count(line, "\n")+1
	})
}

// lower rewrites async functions as the bundle of a project has them, see [engine.Build].
func lower(text string) (string, error) {
	result := api.Transform(text, api.TransformOptions{
		Target: api.ES2023, Supported: map[string]bool{"async-await": false, "async-generator": false, "for-await": false},
	})
	if len(result.Errors) > 0 {
		e := &Error{}
		for _, m := range result.Errors {
			e.Problems = append(e.Problems, engine.Problem{Message: m.Text})
		}
		return "", e
	}
	return string(result.Code), nil
}

// call calls a function of runtime/start.js.
func (p *Program) call(ctx context.Context, asyncContext, function string, arguments, result any) error {
	var given []byte
	if arguments != nil {
		var err error
		if given, err = json.Marshal(arguments); err != nil {
			return err
		}
	}
	answer, err := p.engine.Call(ctx, asyncContext, function, given)
	if err != nil || result == nil {
		return err
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = answer
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("the code answered %s in a form that is not known: %w", function, err)
	}
	return nil
}
