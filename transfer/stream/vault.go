package stream

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"quire/media"
	"quire/store"
)

// vaultPath is the path of the streams that a server stores for others. After it come the name
// of the stream and, for one object of it, a slash and its name.
const vaultPath = "/api/_streams/"

// Limits of a vault.
const (
	vaultTime = 10 * time.Second // to connect, and to accept or refuse an object before it is sent
	vaultIdle = 30 * time.Second // in which a response must begin, and each part of it come
	vaultSlow = 256 << 10        // bytes a second that an object is sent with, at least
	vaultList = 256 << 20        // bytes of a list
	vaultMost = 64 << 30         // bytes of an object
)

// vault is a stream that another Quire stores, as a target.
type vault struct {
	address *url.URL // of the stream
	token   string
	client  *http.Client
}

// Vault returns the stream at an address like https://vault.example.org/guide as a target: the
// stream guide that the server there stores for others.
func Vault(address, token string) (media.Storage, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	u.Path = vaultPath + strings.Trim(u.Path, "/")
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &vault{u, token, &http.Client{CheckRedirect: refuse, Transport: &http.Transport{
		DialContext:            (&net.Dialer{Timeout: vaultTime}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    vaultTime,
		ResponseHeaderTimeout:  vaultIdle,
		ExpectContinueTimeout:  vaultTime,
		MaxIdleConnsPerHost:    readAhead,
		IdleConnTimeout:        vaultIdle,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}}}, nil
}

func (v *vault) String() string {
	return "the stream " + strings.TrimPrefix(v.address.Path, vaultPath) + " at " + v.address.Scheme + "://" + v.address.Host
}

// send sends a request about an object, or about the whole stream if the name is empty. The
// caller closes the body of the response, which has one of the statuses.
func (v *vault) send(ctx context.Context, method, name string, header http.Header, body io.Reader, size int64, statuses ...int) (*http.Response, error) {
	to := *v.address
	if name != "" {
		to.Path += "/" + name
	}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.ContentLength = size
	r.Header.Set("Authorization", "Bearer "+v.token)
	response, err := v.client.Do(r)
	if err != nil {
		return nil, v.unreachable(ctx, err)
	}
	response.Body = vaultBody{response.Body}
	if slices.Contains(statuses, response.StatusCode) {
		return response, nil
	}
	defer response.Body.Close()
	return nil, v.refusal(ctx, name, response)
}

// vaultBody is the body of a response. A read of it fails if nothing comes for vaultIdle.
type vaultBody struct{ io.ReadCloser }

func (v vaultBody) Read(b []byte) (int, error) {
	idle := time.AfterFunc(vaultIdle, func() { v.Close() })
	defer idle.Stop()
	return v.ReadCloser.Read(b)
}

// refusal translates a response into the errors of a media.Storage. What the server said is quoted:
// it may be anything, and appear in a terminal.
func (v *vault) refusal(ctx context.Context, name string, response *http.Response) error {
	var said struct{ Error struct{ Message string } }
	_ = json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&said) // the status is enough
	switch response.StatusCode {
	case http.StatusNotFound:
		if name != "" {
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	case http.StatusPreconditionFailed:
		return fmt.Errorf("a file %s already exists: %w", name, fs.ErrExist)
	case http.StatusInsufficientStorage:
		return fmt.Errorf("%s: %.500q: %w", v, said.Error.Message, &store.StorageError{Err: &fs.PathError{Op: "put", Path: name, Err: syscall.ENOSPC}})
	case http.StatusUnauthorized:
		return v.unreachable(ctx, errors.New("it does not know the token in backup.stream.tokenFile (401)"))
	}
	return v.unreachable(ctx, fmt.Errorf("it answers %d: %.500q", response.StatusCode, said.Error.Message))
}

func (v *vault) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if cause := new(url.Error); errors.As(err, &cause) {
		err = cause.Err // without the address that it repeats
	}
	return &media.UnreachableError{Storage: v.String(), Err: err}
}

// Put sends files, one after the other, and never replaces one. If one fails, those before it stay
// there: a stream puts one at a time.
func (v *vault) Put(ctx context.Context, files ...media.LocalFile) error {
	for _, f := range files {
		if err := v.put(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (v *vault) put(ctx context.Context, f media.LocalFile) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, vaultIdle+time.Duration(info.Size()/vaultSlow)*time.Second, errSlow)
	defer cancel()
	header := http.Header{"If-None-Match": {"*"}, "Content-Type": {"application/octet-stream"}, "Expect": {"100-continue"}}
	response, err := v.send(ctx, http.MethodPut, f.Name, header, file, info.Size(), http.StatusCreated)
	if err != nil {
		if context.Cause(ctx) == errSlow {
			return &media.UnreachableError{Storage: v.String(), Err: errSlow}
		}
		return err
	}
	return response.Body.Close()
}

var errSlow = errors.New("it accepts too little in a second")

// Stat returns the size of an object.
func (v *vault) Stat(ctx context.Context, name string) (media.Object, error) {
	response, err := v.send(ctx, http.MethodHead, name, nil, nil, 0, http.StatusOK)
	if err != nil {
		return media.Object{}, err
	}
	defer response.Body.Close()
	modified, err := http.ParseTime(response.Header.Get("Last-Modified"))
	if err != nil || response.ContentLength < 0 || response.ContentLength > vaultMost {
		return media.Object{}, v.unreachable(ctx, errors.New("it does not say how large an object is and how old"))
	}
	return media.Object{Name: name, Size: response.ContentLength, Modified: modified}, nil
}

// List lists the objects of the stream.
func (v *vault) List(ctx context.Context, fn func(media.Object) error) error {
	response, err := v.send(ctx, http.MethodGet, "", nil, nil, 0, http.StatusOK)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	list := json.NewDecoder(io.LimitReader(response.Body, vaultList))
	if _, err = list.Token(); err != nil {
		return v.unreachable(ctx, err)
	}
	for list.More() {
		var o media.Object
		if err := list.Decode(&o); err != nil {
			return v.unreachable(ctx, err)
		}
		if !media.SafeName(o.Name) {
			continue
		}
		if err := fn(o); err != nil {
			return err
		}
	}
	if _, err = list.Token(); err != nil { // it was cut off
		return v.unreachable(ctx, err)
	}
	return nil
}

// Delete removes objects.
func (v *vault) Delete(ctx context.Context, names ...string) error {
	for _, name := range names {
		response, err := v.send(ctx, http.MethodDelete, name, nil, nil, 0, http.StatusNoContent, http.StatusNotFound)
		if err != nil {
			return err
		}
		response.Body.Close()
	}
	return nil
}

// Open checks that the object exists. Its content is requested when it is read.
func (v *vault) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	about, err := v.Stat(ctx, name)
	if err != nil {
		return nil, media.Object{}, err
	}
	ask := func(at int64) (io.ReadCloser, error) {
		header := http.Header{"Range": {"bytes=" + strconv.FormatInt(at, 10) + "-"}}
		response, err := v.send(ctx, http.MethodGet, name, header, nil, 0, http.StatusPartialContent)
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	}
	return media.Remote(about.Size, ask, func(err error) error { return v.unreachable(ctx, err) }), about, nil
}
