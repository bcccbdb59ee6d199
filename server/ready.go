package server

import (
	"net/http"
	"time"
)

// health tells whoever watches that the server answers.
func health(x *exchange) error {
	x.empty()
	return nil
}

// ready tells whoever sends requests here whether to go on with it.
func ready(x *exchange) error {
	if p := x.server.unready(x.edition); p != nil {
		return p
	}
	x.empty()
	return nil
}

// Ready reports whether content is served and writes are taken; if not, the error
// tells why in words that are for everybody.
func (s *Server) Ready() error {
	if p := s.unready(s.current.Load()); p != nil {
		return p
	}
	return nil
}

// unready says why not all that the API promises can be had at the moment, nil
// when it can.
func (s *Server) unready(e *edition) *problem {
	switch {
	case s.draining.Load():
		return unavailable("The server is stopping")
	case e.db.Suspended():
		return unavailable("The data file takes no writes")
	case e.writer.Closed():
		return unavailable("The site is being reloaded")
	}
	return nil
}

// Drain has /_ready say that the server is stopping, so that requests are sent
// elsewhere; those that come all the same are answered as before. Serve does it
// when it is told to end.
func (s *Server) Drain() { s.draining.Store(true) }

// leave ends serving: at once, or as much later as it takes to be known.
func (s *Server) leave(h *http.Server, ended <-chan error) error {
	s.Drain()
	select {
	case err := <-ended:
		return err
	case <-time.After(s.stopDelay):
		return stop(h)
	}
}
