package listen

import (
	"errors"
	"log/slog"
	"net"
	"os"
)

// Options control where a site is served.
type Options struct {
	Address string       // of the site, HOST:PORT
	Site    net.Listener // an open listener to use instead of Address; nil for none
	Metrics string       // separate address of metrics, HOST:PORT; empty for none
	TLS     TLS
}

// Listeners are the open listeners of a site.
type Listeners struct {
	Site         net.Listener
	Redirect     net.Listener  // redirects to TLS; nil for none
	Metrics      net.Listener  // nil for none
	Certificates *Certificates // nil without TLS
}

// Purpose is what an address is for.
type Purpose string

// The purposes of an address.
const (
	ForSite     Purpose = "site"
	ForRedirect Purpose = "redirect"
	ForMetrics  Purpose = "metrics"
)

// AddressError reports that an address cannot be opened.
type AddressError struct {
	Purpose Purpose
	Err     error
}

func (e *AddressError) Error() string { return e.Err.Error() }
func (e *AddressError) Unwrap() error { return e.Err }

// Open opens all of the addresses or none. The folder keeps certificates from an authority.
// If an address is the reason of a failure, the error is an *AddressError.
func Open(o Options, folder string, log *slog.Logger) (l *Listeners, err error) {
	l = &Listeners{Site: o.Site}
	if o.TLS.On() {
		if l.Certificates, err = o.TLS.open(folder, log); err != nil {
			return nil, err
		}
	}
	if l.Site == nil {
		if l.Site, err = At(o.Address, ForSite); err != nil {
			return nil, err
		}
	}
	if o.TLS.Redirect != "" {
		l.Redirect, err = At(o.TLS.Redirect, ForRedirect)
	}
	if err == nil && o.Metrics != "" {
		l.Metrics, err = At(o.Metrics, ForMetrics)
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// At opens one address, HOST:PORT. The error is an *AddressError.
func At(address string, use Purpose) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &AddressError{use, err}
	}
	return l, nil
}

// close closes the open listeners.
func (l *Listeners) close() (err error) {
	for _, open := range []net.Listener{l.Site, l.Redirect, l.Metrics} {
		if open != nil {
			err = errors.Join(err, open.Close())
		}
	}
	return err
}

// URL returns the URL of the site on this machine, without a path. If the site is at all
// addresses of the machine, it names localhost.
func (l *Listeners) URL() string {
	scheme := "http"
	if l.Certificates != nil {
		scheme = "https"
	}
	address := l.Site.Addr().String()
	if at, ok := l.Site.Addr().(*net.TCPAddr); ok && at.IP.IsUnspecified() {
		address = net.JoinHostPort("localhost", l.Port())
	}
	return scheme + "://" + address
}

// Port returns the port of the site.
func (l *Listeners) Port() string {
	_, port, _ := net.SplitHostPort(l.Site.Addr().String())
	return port
}

// The states that Notify can report to a service manager.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Notify reports a state to the service manager if it was requested, as systemd does: it
// sends one datagram to the socket that NOTIFY_SOCKET in the environment names.
func Notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // in both, "@" begins an abstract name
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}
