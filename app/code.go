//go:build !nocode

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/code"
	"quire/code/engine"
	"quire/code/host"
	"quire/content"
	"quire/documents"
	"quire/media"
	"quire/server"
)

// loadCode loads the project's own code for a version of the site, and runs its bootstrap. If
// that fails, the former code stays.
func (a *App) loadCode(s *documents.Service) (server.Code, error) {
	former := a.code.Load()
	p, err := a.startCode(s)
	switch {
	case err != nil && former != nil && former.writer == s.Writer:
		s.Writer.SetCode(former.coded())
	case err == nil && p == nil:
		s.Writer.SetCode(nil)
	}
	if err != nil {
		return nil, &siteError{err}
	}
	a.code.Store(p)
	if p == nil {
		return nil, nil
	}
	return p, nil
}

// startCode loads the code and runs its bootstrap. It returns nil if there is no code to run.
func (a *App) startCode(s *documents.Service) (*projectCode, error) {
	if !s.Site.Settings.Code.Enabled {
		return nil, nil
	}
	p := &projectCode{log: a.log, writer: s.Writer, patience: longestHandler}
	h, err := host.New(s, host.Config{
		Accounts: a.accountService.Accounts(s.Site, s.Index, s.Writer), Library: media.New(a.files, s.Site, s.Index, s.Writer), Admins: a.adminRows,
	})
	if err != nil {
		return nil, err
	}
	p.host = h
	o := a.at.codeOptions(s.Site)
	if a.keepsCode {
		former := a.code.Load()
		if former == nil {
			return nil, nil
		}
		o.Former = former.Program
	}
	o.Host, o.Now, o.Lent, o.Log = p.answer, p.answerNow, h.Lent, a.log
	p.Program, err = code.Load(o)
	if errors.Is(err, code.ErrNoCode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.Writer.SetCode(p.coded())
	ctx, cancel := context.WithTimeout(context.Background(), longestBootstrap)
	defer cancel()
	if err = p.Bootstrap(ctx); err != nil && a.writesNothing() {
		a.log.Warn("the bootstrap of the site's code did not run to its end, because this server writes nothing", "error", err)
		err = nil
	}
	if err == nil {
		p.tasks, err = cronTasks(p.Cron())
	}
	if err != nil {
		p.Program.Close()
		return nil, fmt.Errorf("the code of the site does not start: %w", err)
	}
	return p, nil
}

// coded is what the Writer asks.
func (p *projectCode) coded() content.Code { return &host.Coded{Host: p.host, Program: p} }

const (
	longestBootstrap = 60 * time.Second // for the bootstrap functions of a project
	longestHandler   = 30 * time.Second // for the answer to a request
)

// projectCode is a project's code that is served. It implements [server.Code] and
// [host.Program].
type projectCode struct {
	*code.Program
	host     *host.Host
	writer   *content.Writer
	log      *slog.Logger
	patience time.Duration // how long a handler may take

	tasks []cronTask
	busy  sync.Map // by the name of a task that is running

	running sync.WaitGroup
	once    sync.Once
}

// codePart is the code that is served; nil if there is none.
type codePart struct {
	code atomic.Pointer[projectCode]
}

// answer is the engine's host.
func (p *projectCode) answer(ctx context.Context, c engine.HostCall) ([]byte, error) {
	result, err := p.host.Call(host.WithFiles(ctx, c.Open), c.Name, c.Arguments, c.Context)
	if own, ok := errors.AsType[*host.Error](err); ok {
		return nil, engineError(own)
	}
	return result, err
}

// answerNow answers what the code waits for without a promise.
func (p *projectCode) answerNow(ctx context.Context, c engine.HostCall) ([]byte, error) {
	if c.Name != "jwt.issue" {
		return nil, fmt.Errorf("%s needs a promise", c.Name)
	}
	return p.answer(ctx, c)
}

func engineError(e *host.Error) *engine.Error {
	out := &engine.Error{Name: e.Name, Message: e.Message, Status: e.Status}
	if e.Details != nil {
		out.Details, _ = json.Marshal(e.Details)
	}
	return out
}

// Match implements server.Code.
func (p *projectCode) Match(method, path string) server.CodeRoute {
	found := server.CodeRoute{Middlewares: p.HasMiddlewares()}
	r, params, err := p.Program.Match(method, path)
	if other, ok := errors.AsType[*code.MethodError](err); ok {
		found.Allowed = other.Allowed
	}
	if r == nil {
		return found
	}
	found.Found, found.Core, found.Open, found.Scope, found.Params, found.Key = true, r.Core, !r.Auth, r.Scope, params, r
	found.Name = r.Method + " " + r.Path
	return found
}

// Owns implements server.Code.
func (p *projectCode) Owns(uid string) bool { return p.OwnsRoutes(uid) }

// Operations implements server.Code.
func (p *projectCode) Operations() []server.CodeOperation { return codeRoutes(p.Program).operations() }

// Write implements host.Program. What the code refuses is a *content.RefusedError.
func (p *projectCode) Write(ctx context.Context, transaction, uid, action string, params json.RawMessage, checked bool) (json.RawMessage, error) {
	ctx, id, err := p.withRequest(ctx)
	if err != nil {
		return nil, err
	}
	result, err := p.Program.Write(ctx, transaction, uid, action, params, checked)
	var thrown *engine.Error
	switch {
	case !errors.As(err, &thrown):
		return result, codeError(err)
	case thrown.Name == "OvertakenError":
		return nil, &content.OvertakenError{Type: uid}
	case thrown.Status >= 400 && thrown.Status < 500:
		return nil, &content.RefusedError{Name: thrown.Name, Status: thrown.Status, Message: thrown.Message, Details: thrown.Details}
	}
	p.log.Error("the code of the site has failed", "id", id, "type", uid, "action", action, "error", thrown.Error(), "stack", thrown.Stack)
	return nil, err
}

// Ended implements host.Program. Nobody waits for what the code does then, so an error of it is
// logged.
func (p *projectCode) Ended(transaction string, committed bool) {
	p.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), p.patience)
		defer cancel()
		if err := p.Program.Ended(ctx, transaction, committed); err != nil {
			p.log.Error("the code of the site has failed after a transaction", "error", err)
		}
	})
}

// codeError returns an error of the engine as one of the server's.
func codeError(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return server.Problem(http.StatusServiceUnavailable, "ServiceUnavailableError", "The code of the site took too long for this request", nil)
	case errors.Is(err, engine.ErrStopped), errors.Is(err, engine.ErrBusy), errors.Is(err, engine.ErrRestarted):
		return server.Problem(http.StatusServiceUnavailable, "ServiceUnavailableError", "The code of the site cannot answer now; try again", nil)
	}
	return err
}

// Serve implements server.Code.
func (p *projectCode) Serve(ctx context.Context, r *server.CodeRequest) (*server.CodeResponse, error) {
	p.running.Add(1)
	defer p.running.Done()
	request, err := p.requestOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
		request.Files = append(request.Files, code.File{Field: f.Field, Path: f.Path, Name: f.Name, Type: f.Type, Size: f.Size})
	}
	caller, end := p.host.Begin(r.Call, func(ctx context.Context, method, target string, body []byte) (int, [][2]string, []byte) {
		answer := r.Handle(code.WithRequest(ctx, request), method, target, body)
		return answer.Status, answer.Headers, answer.Body
	}, paths)
	defer end()
	request.Caller, request.Access = caller, accessOf(r)
	if route, ok := r.Route.Key.(*code.Route); ok && !r.Route.Core {
		request.Route = route
	}
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	answer, err := p.Program.Serve(ctx, *request)
	if err != nil {
		return nil, codeError(err)
	}
	return &server.CodeResponse{Status: answer.Status, Headers: answer.Headers, Body: answer.Body, Failed: answer.Failed}, nil
}

// withRequest returns a context that has the request behind a write for the code, and the id
// of the request in the log.
func (p *projectCode) withRequest(ctx context.Context) (context.Context, string, error) {
	if r := code.RequestOf(ctx); r != nil {
		return ctx, r.ID, nil
	}
	r := server.CodeRequestOf(ctx)
	if r == nil {
		return ctx, "", nil
	}
	request, err := p.requestOf(ctx, r)
	if err != nil {
		return nil, "", err
	}
	return code.WithRequest(ctx, request), r.ID, nil
}

// requestOf is a request as the code sees it.
func (p *projectCode) requestOf(ctx context.Context, r *server.CodeRequest) (*code.Request, error) {
	request := &code.Request{
		ID: r.ID, Method: r.HTTP.Method, URL: r.HTTP.URL.RequestURI(), Params: r.Route.Params, Headers: map[string]string{}, Body: r.Body, Raw: r.Raw, IP: r.From, Protocol: "http",
	}
	for name, values := range r.HTTP.Header {
		request.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	request.Headers["host"] = r.HTTP.Host
	if r.TLS {
		request.Protocol = "https"
	}
	var err error
	request.User, request.Auth, err = p.host.State(ctx, r.Call, r.User)
	return request, err
}

func accessOf(r *server.CodeRequest) code.Access {
	switch r.Refused {
	case 0:
		return code.Allowed
	case http.StatusUnauthorized:
		return code.Unauthorized
	}
	return code.Forbidden
}

// Close implements server.Code.
func (p *projectCode) Close() {
	p.once.Do(func() {
		done := make(chan struct{})
		go func() { p.running.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(content.LongestTransaction):
		}
		ctx, cancel := context.WithTimeout(context.Background(), content.LongestTransaction)
		defer cancel()
		if err := p.Destroy(ctx); err != nil {
			p.log.Warn("the code of the site does not end well", "error", err)
		}
		p.Program.Close()
	})
}
