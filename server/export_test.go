package server

import "quire/server/edge"

// SetPatience sets how long the server waits for clients. Call it before the server
// serves.
func (s *Server) SetPatience(p edge.Patience) { s.load = edge.NewLoad(p) }

// AllRoutes are the routes of a site, with those for accounts of the admin.
var AllRoutes = allRoutes

// CachedBytes is what cached responses take.
func (s *Server) CachedBytes() int64 { return s.current.Load().cache.bytes.Load() }
