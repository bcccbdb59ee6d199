package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// longestSocket is the maximum length of the path of a socket on all systems.
const longestSocket = 100

// Listen creates the socket at a path. The caller has the data file of that folder open for
// writing, so an existing socket was left by a server that no longer runs, and is replaced.
// Any other file at the path is left unchanged and is an error. The socket is created in a
// folder that only its owner may enter, and moved to its path when only its owner may open
// it. Closing the listener removes it.
func Listen(path string) (net.Listener, error) {
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
	return &socket{l, path}, nil
}

// socket is a listener that removes its socket file when it is closed.
type socket struct {
	*net.UnixListener
	path string
}

func (s *socket) Close() error {
	os.Remove(s.path)
	return s.UnixListener.Close()
}

func listenAt(path string) (*net.UnixListener, error) {
	address, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false) // the file is moved afterwards
	}
	return l, err
}

func dial(ctx context.Context, path string) (net.Conn, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
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

// shorten returns a path that fits into the address of a socket. A longer path is reached
// through its folder, which is held open until release.
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
