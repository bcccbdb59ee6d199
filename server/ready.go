package server

import (
	"time"
)

// health answers GET /_health: the server responds.
func health(x *request) error {
	x.answerEmpty()
	return nil
}

// ready answers GET /_ready: whether content is served and writes are accepted. Load
// balancers use it.
func ready(x *request) error {
	if p := x.server.unready(x.site); p != nil {
		return p
	}
	x.answerEmpty()
	return nil
}

// Ready reports whether content is served and writes are accepted. If not, the error has a
// reason that anybody may see.
func (s *Server) Ready() error {
	if p := s.unready(s.current.Load()); p != nil {
		return p
	}
	return nil
}

// unready returns why the API is not fully available at the moment, or nil.
func (s *Server) unready(e *siteVersion) *problem {
	switch {
	case s.draining.Load():
		return unavailable("The server is stopping")
	case e.db.Suspended():
		return unavailable("The data file accepts no writes")
	case e.writer.Closed():
		return unavailable("The site is being reloaded")
	case s.copied() != nil && s.copied().Unready() != "":
		return unavailable(s.copied().Unready())
	case s.preparing.Load():
		return unavailable("The indexes that were in use are being built")
	}
	return nil
}

// Prepare makes /_ready report that indexes are being built, until Prepared is called. All
// requests are answered meanwhile; some wait for an index.
func (s *Server) Prepare() { s.preparing.Store(true) }

// Prepared ends the state that Prepare has begun.
func (s *Server) Prepared() { s.preparing.Store(false) }

// Drain makes /_ready report that the server is stopping, so that requests are sent
// elsewhere. Requests are still answered. Serve calls it when its context ends.
func (s *Server) Drain() { s.draining.Store(true) }

// drain is called when serving ends. It returns when clients had the time to notice, or
// when serving has ended by itself.
func (s *Server) drain(ended <-chan struct{}) {
	s.Drain()
	s.EndStreams() // their clients go elsewhere; those that reconnect here are served
	select {
	case <-ended:
	case <-time.After(s.stopDelay):
		s.endHashing()
	}
	s.current.Load().live.Close()
}

// EndStreams ends all streams after the data that has been sent; their clients resume.
func (s *Server) EndStreams() { s.current.Load().live.End() }
