package server

import "quire/server/edge"

// SetPatience sets how long the server waits for clients. Call it before the server
// serves.
func (s *Server) SetPatience(p edge.Patience) { s.load = edge.NewLoad(p) }

// AllRoutes are the routes of a site, with those for accounts of the admin.
var AllRoutes = allRoutes

// StopCaching makes the server run each read, also one that it has answered before.
func (s *Server) StopCaching() { s.current.Load().cache = nil }

// CachedBytes is what cached responses take.
func (s *Server) CachedBytes() int64 { return s.current.Load().cache.bytes.Load() }
