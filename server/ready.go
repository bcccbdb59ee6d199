package server

import (
	"time"
)

// health answers GET /_health: the server answers.
func health(x *exchange) error {
	x.answerEmpty()
	return nil
}

// ready answers GET /_ready: whether content is served and writes are taken. Load
// balancers ask it.
func ready(x *exchange) error {
	if p := x.server.unready(x.edition); p != nil {
		return p
	}
	x.answerEmpty()
	return nil
}

// Ready reports whether content is served and writes are taken; if not, the error
// says why in words that are for everybody.
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
	case s.preparing.Load():
		return unavailable("The indexes that were in use are being built")
	}
	return nil
}

// Prepare has /_ready say that indexes are being built, until Prepared is called. All
// requests are answered meanwhile; some wait for an index.
func (s *Server) Prepare() { s.preparing.Store(true) }

// Prepared ends what Prepare has begun.
func (s *Server) Prepared() { s.preparing.Store(false) }

// Drain has /_ready say that the server is stopping, so that requests are sent
// elsewhere; those that come all the same are answered as before. Serve does it
// when its context ends.
func (s *Server) Drain() { s.draining.Store(true) }

// drain is called when serving is to end. It returns when whoever sends requests here
// has had the time to learn it, or when serving has ended by itself.
func (s *Server) drain(ended <-chan struct{}) {
	s.Drain()
	s.EndStreams() // their clients go elsewhere too; those that come back here are served
	select {
	case <-ended:
	case <-time.After(s.stopDelay):
		s.endHashing()
	}
	s.current.Load().live.Close()
}

// EndStreams ends all streams after what has been sent; their clients resume.
func (s *Server) EndStreams() { s.current.Load().live.End() }
