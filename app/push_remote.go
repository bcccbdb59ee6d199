package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"quire/server"
	"quire/store/follow"
	"quire/transfer/pull"
)

// The variables of the environment with the tokens for the servers of a push.
const (
	PushFromToken = "QUIRE_PUSH_FROM_TOKEN" // which names plugin::quire.follow.read
	PushToToken   = "QUIRE_PUSH_TOKEN"      // which names plugin::quire.push.write
)

// Pushing is a push between two sites, each of which is a folder on this machine or a running
// server.
type Pushing struct {
	From     string // a site folder, or the address of a server
	To       Location
	Insecure bool // whether http to another machine is allowed
	PushRequest
}

// IsAddress reports whether the argument of a command is the address of a server.
func IsAddress(argument string) bool {
	return strings.HasPrefix(argument, "https://") || strings.HasPrefix(argument, "http://")
}

// Push makes the changes of a site in another one, see package push: all or nothing. Errors are
// *pull.AddressError and those of both sites.
func (p *Pushing) Push(ctx context.Context) (out Pushed, who string, err error) {
	in := p.PushRequest
	if in.From = p.From; !IsAddress(p.From) {
		return p.pushTo(ctx, in, func(string) error { return nil })
	}
	leader, err := p.server(p.From, PushFromToken)
	if err != nil {
		return out, "", err
	}
	folder, err := os.MkdirTemp("", "quire-push-")
	if err != nil {
		return out, "", err
	}
	defer os.RemoveAll(folder)
	in.From, in.Name, in.Partial = folder, leader.String(), true
	if err := copySite(ctx, leader, folder); err != nil {
		return out, "", refusedBy(err, PushFromToken, "plugin::quire.follow.read")
	}
	return p.pushTo(ctx, in, func(name string) error {
		file, err := leader.File(ctx, name)
		if err != nil {
			return refusedBy(err, PushFromToken, "plugin::quire.follow.read")
		}
		defer file.Close()
		return saveSent(filepath.Join(folder, filepath.FromSlash(sentUploads), name), file)
	})
}

// pushTo pushes from a folder. Files that the other site lacks are fetched before it is done.
func (p *Pushing) pushTo(ctx context.Context, in PushRequest, fetch func(name string) error) (out Pushed, who string, err error) {
	do := func(files []string) (Pushed, string, error) { return p.To.Push(ctx, in) }
	if IsAddress(p.To.Site) {
		to, err := p.server(p.To.Site, PushToToken)
		if err != nil {
			return out, "", err
		}
		do = func(files []string) (Pushed, string, error) { return sendPush(ctx, to, in, files) }
	}
	out, who, err = do(nil)
	if err != nil || !out.waits(in) {
		return out, who, err
	}
	for _, name := range out.Missing {
		if err := fetch(name); err != nil {
			return out, who, err
		}
	}
	if out, who, err = do(out.Missing); err == nil && out.waits(in) {
		err = errors.New("the first site was written to meanwhile, and nothing was pushed; try again")
	}
	return out, who, err
}

// server returns the server at an address, with the token in the environment.
func (p *Pushing) server(address, variable string) (*follow.Leader, error) {
	if err := pull.CheckAddress(address, p.Insecure); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	token, err := secretFrom(variable)
	if err != nil {
		return nil, err
	}
	return follow.NewLeader(strings.TrimRight(address, "/"), token)
}

// copySite makes a copy of a site without its library.
func copySite(ctx context.Context, from *follow.Leader, folder string) error {
	files, err := from.Site(ctx)
	if err != nil {
		return err
	}
	if err := makeSiteFolder(folder, files); err != nil {
		return err
	}
	_, err = from.Image(ctx, filepath.Join(folder, filepath.FromSlash(sentData)))
	return err
}

// sendPush sends a site to a server, with some files of its library.
func sendPush(ctx context.Context, to *follow.Leader, in PushRequest, uploads []string) (out Pushed, who string, err error) {
	in.Name = cmp.Or(in.Name, filepath.Base(in.From)) // a path is nothing for others
	from, done, err := openPushed(ctx, in)
	if err != nil {
		return out, "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	files, _, err := from.siteFiles()
	if err != nil {
		return out, "", err
	}
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := from.pack(writer, files, uploads)
		packed <- err
		writer.CloseWithError(err)
	}()
	query := url.Values{"from": {in.Name}, "do": {fmt.Sprint(in.Do)}, "skipConflicts": {fmt.Sprint(in.SkipConflicts)}}
	response, err := to.Send(ctx, server.PushPath, query, reader)
	reader.Close()
	if failed := <-packed; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		err = failed
	}
	if err != nil {
		return out, "", refusedBy(err, PushToToken, "plugin::quire.push.write")
	}
	defer response.Body.Close()
	return out, "the server at " + to.String(), json.NewDecoder(response.Body).Decode(&out)
}

// refusedBy explains the refusal of a server.
func refusedBy(err error, variable, right string) error {
	refused := new(follow.RefusalError)
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Status {
	case http.StatusUnauthorized:
		return fmt.Errorf("the server at %s does not know the token in %s (401)", refused.Address, variable)
	case http.StatusForbidden:
		return fmt.Errorf("the token in %s may not do that at the server at %s (403); it must be a custom token with %s", variable, refused.Address, right)
	case http.StatusNotFound:
		return fmt.Errorf("the server at %s takes part in no push (404): is it Quire, and of the same version?", refused.Address)
	}
	return fmt.Errorf("the server at %s answers %d: %s", refused.Address, refused.Status, refused.Message)
}
