package pull

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The path of a backup below the address of a server.
const path = "/api/_backup"

// MostBytes is the default of the largest backup that is downloaded, in bytes.
const MostBytes = 100 << 30

const (
	idleTime    = 30 * time.Second // in which some byte must arrive
	leastPace   = 4 << 10          // bytes a second that a connection must bring on average
	connectTime = 10 * time.Second
	mostHeader  = 64 << 10 // bytes
	mostAddress = 2048     // bytes
	mostToken   = 4096     // bytes
	mostTag     = 1024     // bytes
)

// Options are what a user may allow.
type Options struct {
	Insecure  bool  // http to another machine
	MostBytes int64 // of a backup; 0 for MostBytes
}

// Remote is the server that a backup is downloaded from.
type Remote struct {
	address string
	token   string
	most    int64
	client  *http.Client
	idle    time.Duration
	pause   func(context.Context, time.Duration) error
	now     func() time.Time

	received, size atomic.Int64
}

// Offer is the newest backup of a server.
type Offer struct {
	Tag  string // its strong ETag, with the quotes
	Size int64  // bytes
}

// Open describes the server at an address such as "https://cms.example.org". It sends
// nothing. The errors are *AddressError and ErrToken.
func Open(from, token string, o Options) (*Remote, error) {
	address, err := addressOf(from, o.Insecure)
	if err != nil {
		return nil, err
	}
	if !sendable(token) {
		return nil, ErrToken
	}
	r := &Remote{address: address, token: token, most: o.MostBytes, idle: idleTime, pause: wait, now: time.Now}
	if r.most == 0 {
		r.most = MostBytes
	}
	r.client = &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: connectTime}).DialContext,
			TLSHandshakeTimeout:    connectTime,
			ResponseHeaderTimeout:  idleTime,
			MaxResponseHeaderBytes: mostHeader,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token stays here
	}
	return r, nil
}

// Address is the address of the backup.
func (r *Remote) Address() string { return r.address }

// Progress returns the bytes that have arrived and the size of the backup, 0 while it is
// unknown.
func (r *Remote) Progress() (received, size int64) { return r.received.Load(), r.size.Load() }

// addressOf checks the address that a user wrote, and adds the path.
func addressOf(from string, insecure bool) (string, error) {
	u, err := url.Parse(from)
	switch {
	case err != nil || len(from) > mostAddress || u.Hostname() == "" || u.Opaque != "":
		return "", &AddressError{"write a whole address, such as https://cms.example.org"}
	case u.User != nil:
		return "", &AddressError{"it contains a name or a password, which others can see in the list of processes; the token goes into a file or the environment"}
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", &AddressError{"it has a query or a fragment; write only the address of the site"}
	case u.Scheme == "http" && !insecure && !here(u.Hostname()):
		return "", &AddressError{"http sends the token and the content unencrypted; use https, or --insecure in a network that you trust"}
	case u.Scheme != "http" && u.Scheme != "https":
		return "", &AddressError{"it begins with neither https:// nor http://"}
	}
	whole := strings.TrimRight(u.String(), "/")
	return strings.TrimSuffix(whole, path) + path, nil
}

// CheckAddress returns an *AddressError unless a token may be sent to an address.
func CheckAddress(address string, insecure bool) error {
	_, err := addressOf(address, insecure)
	return err
}

// here reports whether the host of an address is this machine by its form alone.
func here(host string) bool {
	literal, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && literal.Unmap().IsLoopback()
}

// sendable reports whether a token can be part of a header.
func sendable(token string) bool {
	return token != "" && len(token) <= mostToken && !strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' })
}

// Newest asks for the newest backup. Errors: *StatusError, *TooLargeError, ErrNoServer, and
// those of the network.
func (r *Remote) Newest(ctx context.Context) (offer Offer, err error) {
	err = r.persist(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, r.idle+connectTime)
		defer cancel()
		response, err := r.send(ctx, http.MethodHead, nil)
		if err != nil {
			return false, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return false, statusError(response)
		}
		offer, err = r.offerOf(response)
		return false, err
	})
	return offer, err
}

// send sends a request with the token. The response may have any status.
func (r *Remote) send(ctx context.Context, method string, headers map[string]string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, &cutError{err}
	}
	return response, nil
}

// offerOf reads from a response with status 200 which backup it has.
func (r *Remote) offerOf(response *http.Response) (Offer, error) {
	o := Offer{Tag: response.Header.Get("ETag"), Size: response.ContentLength}
	switch {
	case !strong(o.Tag) || o.Size <= 0:
		return Offer{}, ErrNoServer
	case o.Size > r.most:
		return Offer{}, &TooLargeError{o.Size, r.most}
	}
	return o, nil
}

// strong reports whether an ETag stands for the bytes of what it names.
func strong(tag string) bool {
	return len(tag) > 2 && len(tag) <= mostTag && tag[0] == '"' && strings.IndexByte(tag[1:], '"') == len(tag)-2
}

// AddressError is an address that no backup is downloaded from.
type AddressError struct{ Why string }

func (e *AddressError) Error() string { return e.Why }

// Errors of a download.
var (
	// ErrToken is a token that no server has made.
	ErrToken = errors.New("the token is empty, too long, or has characters that no token has")

	// ErrNoServer is a response that no Quire sends.
	ErrNoServer = errors.New("the response has no size or no strong ETag; is it a server of Quire, without a program in front that changes responses?")
)

// TooLargeError is a backup that is larger than the user allows.
type TooLargeError struct{ Size, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the backup has %d bytes, more than %d; --max-bytes raises the limit", e.Size, e.Most)
}

// StatusError is a response that is no backup.
type StatusError struct {
	Status int
	after  time.Duration // until it may be tried again, if the server says so
}

func (e *StatusError) Error() string {
	switch {
	case e.Status >= 300 && e.Status <= 399:
		return fmt.Sprintf("it redirects to another address (%d), and the token goes nowhere else; name the final address", e.Status)
	case e.Status == http.StatusUnauthorized:
		return "it does not know the token, or the token has expired (401)"
	case e.Status == http.StatusForbidden:
		return "the token may not download backups (403); it must be a custom token with plugin::quire.backups.read"
	case e.Status == http.StatusNotFound:
		return "it has no backup (404); make one in its admin, or set backup.schedule in its site.json"
	case e.Status == http.StatusTooManyRequests:
		return "it sends as many backups as it may already (429); try again later"
	}
	return fmt.Sprintf("it answered %d", e.Status)
}

// statusError is the error of a response that is no backup. It does not read the body, which
// may never come.
func statusError(response *http.Response) error {
	e := &StatusError{Status: response.StatusCode}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.after = time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
	}
	return e
}
