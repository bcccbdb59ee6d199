package server

import (
	"crypto/tls"
	"net/netip"
	"strings"
	"time"

	"quire/auth"
	"quire/store/follow"
)

// Copy is Nodes of a server that follows another one, the leader. It answers reads from what
// it has.
type Copy interface {
	Nodes

	// Current returns when the content of a lineage certainly had everything.
	Current(lineage uint64) time.Time

	// Unready returns why this server should get no requests; empty if it should.
	Unready() string

	// Passes reports that the leader answers reads too, because this server has other schemas.
	Passes() bool

	// TooFar reports that a server that is so far behind answers no reads.
	TooFar(behind time.Duration) bool
}

// copied returns what this server knows about the leader, if it follows one.
func (s *Server) copied() Copy {
	c, _ := s.nodes.(Copy)
	return c
}

// StaleAfter is the lag from which on responses say that they may be old.
const StaleAfter = 3 * time.Second

// lagHeader of a response says how many seconds ago the follower certainly had everything.
const lagHeader = "Quire-Lag"

// ofFollowers begins the paths of a leader for its followers. They are never forwarded.
const ofFollowers = follow.StatePath

// aboutItself are paths whose requests are about the server that gets them.
func aboutItself(path string) bool {
	return path == "/_health" || path == "/_ready" || path == "/metrics" || path == ofFollowers || strings.HasPrefix(path, ofFollowers+"/")
}

// onCopy runs before a request to a server that follows another one: the leader may answer
// it, or this server is too far behind. It reports whether the request has been answered.
func (x *request) onCopy(c Copy) (answered bool) {
	x.current = c.Current(x.site.lineage) // before the request reads anything
	if aboutItself(x.http.URL.Path) {
		return false
	}
	var err error
	switch {
	case x.isForWriter() || x.server.mountOf(x.http.URL.Path) != nil || c.Passes():
		x.passed = true
		answered, err = x.forward(c)
		x.passed = err == nil
	case c.TooFar(time.Since(x.current)):
		err = unavailable("This server follows another one, and is too far behind; try again, or ask another server")
	case x.http.Header.Get(minRevisionHeader) != "":
		err = x.awaitOthers(freshTime)
	}
	if err != nil {
		x.fail(x.explainAway(err))
	}
	return answered || err != nil
}

// lag returns how far this server is behind the one that it follows, if it follows one.
func (s *Server) lag() (behind time.Duration, follows bool) {
	c := s.copied()
	if c == nil {
		return 0, false
	}
	return time.Since(c.Current(s.Lineage())), true
}

// Lineage returns the lineage of the content that is served.
func (s *Server) Lineage() uint64 { return s.current.Load().lineage }

// mayStream reports whether streams may send what this server has. They end where a read would
// be refused, or answered by the leader.
func (s *Server) mayStream() bool {
	c := s.copied()
	behind, _ := s.lag()
	return c == nil || !c.Passes() && !c.TooFar(behind)
}

// receive turns a request that a follower has forwarded back into what the client sent. What
// it says about the client counts only with a token that may follow.
func (x *request) receive() error {
	r := x.http
	token := r.Header.Get(follow.TokenHeader)
	if token == "" {
		return nil
	}
	identity, err := x.site.identify(token)
	switch {
	case err != nil:
		return err
	case !identity.Caller.HasPermission(auth.ReadFollow):
		return forbidden()
	case x.server.leading == nil:
		return unavailable("This server follows another one itself, and takes no requests of followers")
	}
	client, err := netip.ParseAddrPort(r.Header.Get(follow.ClientHeader))
	if err != nil {
		return invalid(follow.ClientHeader + " must be the address of the client")
	}
	x.forwarded = true
	r.RemoteAddr, r.Host, r.TLS = client.String(), r.Header.Get(follow.HostHeader), nil
	if r.Header.Get(follow.ProtoHeader) == "https" {
		r.TLS = &tls.ConnectionState{ServerName: hostName(r.Host)}
	}
	for _, name := range []string{follow.TokenHeader, follow.ClientHeader, follow.HostHeader, follow.ProtoHeader} {
		r.Header.Del(name)
	}
	return nil
}

// hostName returns a host without its port.
func hostName(host string) string {
	if at, err := netip.ParseAddrPort(host); err == nil {
		return at.Addr().String()
	}
	name, _, _ := strings.Cut(host, ":")
	return name
}
