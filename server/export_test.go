package server

import "quire/server/edge"

// SetPatience has the server wait for clients as long as that, before it serves.
func (s *Server) SetPatience(p edge.Patience) { s.load = edge.NewLoad(p) }
