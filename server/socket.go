package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
)

func newCommand(ctx context.Context, command string, args json.RawMessage) (*http.Request, error) {
	address := url.URL{Scheme: "http", Host: "quire", Path: "/", RawQuery: url.Values{"command": {command}}.Encode()}
	return http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(args))
}

// longestSocket is the length of the longest path that every system takes for
// the address of a socket.
const longestSocket = 100

// ListenControl makes the socket at a path. Whoever calls it has the data file
// of that folder open for writing, so that a socket which is there already was
// left behind by a server that is no more; it is replaced. The socket is made in
// a folder that nobody else may enter and moved to its place when only its owner
// may open it.
func ListenControl(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is in the way: it is no socket; remove it", path)
	}
	private, err := os.MkdirTemp(filepath.Dir(path), ".socket-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	made := filepath.Join(private, "s")
	l, err := listenAt(made)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &control{l, path}, nil
}

// control is the listener of a socket. It removes the socket when it is closed.
type control struct {
	*net.UnixListener
	path string
}

func (c *control) Close() error {
	os.Remove(c.path)
	return c.UnixListener.Close()
}

func listenAt(path string) (*net.UnixListener, error) {
	address, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false) // it will have moved by then
	}
	return l, err
}

func dialControl(ctx context.Context, path string) (net.Conn, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &NoServerError{path}
	}
	address, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", address)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil, &NoServerError{path}
	}
	return conn, err
}

// shorten returns a name of the path that fits into the address of a socket: a
// longer one is reached from its folder, held open until release.
func shorten(path string) (address string, release func(), err error) {
	if len(path) <= longestSocket {
		return path, func() {}, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	address = fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(path))
	if _, err := os.Stat(filepath.Dir(address)); err != nil {
		folder.Close()
		return "", nil, fmt.Errorf("%s is longer than the %d bytes that the address of a socket may have; choose a shorter data folder", path, longestSocket)
	}
	return address, func() { folder.Close() }, nil
}
