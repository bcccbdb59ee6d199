package listen

import (
	"errors"
	"log/slog"
	"net"
	"os"
)

// Options say where a site is served.
type Options struct {
	Address string       // of the site, HOST:PORT
	Site    net.Listener // what listens there already, in place of Address; nil for none
	Metrics string       // address of metrics alone, HOST:PORT; empty for none
	TLS     TLS
}

// Listeners are where requests come in.
type Listeners struct {
	Site         net.Listener
	Redirect     net.Listener  // what leads to TLS; nil for none
	Metrics      net.Listener  // nil for none of their own
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

// AddressError says that nothing can listen at an address.
type AddressError struct {
	Purpose Purpose
	Err     error
}

func (e *AddressError) Error() string { return e.Err.Error() }
func (e *AddressError) Unwrap() error { return e.Err }

// Open listens at the addresses, all of them or none. The folder keeps certificates
// that an authority gives. The error is an *AddressError where an address is the
// reason.
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

// At listens at one address, HOST:PORT. The error is an *AddressError.
func At(address string, use Purpose) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &AddressError{use, err}
	}
	return l, nil
}

// close closes those that are open.
func (l *Listeners) close() (err error) {
	for _, open := range []net.Listener{l.Site, l.Redirect, l.Metrics} {
		if open != nil {
			err = errors.Join(err, open.Close())
		}
	}
	return err
}

// URL is where the site is, without a path.
func (l *Listeners) URL() string {
	scheme := "http"
	if l.Certificates != nil {
		scheme = "https"
	}
	return scheme + "://" + l.Site.Addr().String()
}

// Port is the port of the site.
func (l *Listeners) Port() string {
	_, port, _ := net.SplitHostPort(l.Site.Addr().String())
	return port
}

// The states that Notify reports to a service manager.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Notify reports a state to the service manager, if it asked for that as systemd
// does: one datagram to the socket that NOTIFY_SOCKET in the environment names.
func Notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // "@" begins an abstract name, to both
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}
