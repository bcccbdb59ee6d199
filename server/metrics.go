package server

import (
	"context"
	"net"
	"net/http"
	"time"

	"quire/schema"
	"quire/schema/settings"
	"quire/server/edge"
	"quire/server/metrics"
	"quire/store"
)

// ServeMetrics answers GET /metrics at a separate listener until ctx is done. It answers
// everybody, so the address must not be reachable by strangers.
func (s *Server) ServeMetrics(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.exposition)
	return s.ServePlain(ctx, l, mux)
}

// showMetrics answers GET /metrics.
func showMetrics(x *request) error {
	x.dropTag()
	x.server.exposition.ServeHTTP(x, x.http)
	return nil
}

// metered gives each route its meter. Versions of the site with the same route share it.
func metered(routes []Route, m *metrics.Metrics) []Route {
	for i := range routes {
		r := &routes[i]
		r.meter = m.Meter(r.Method, r.Path)
	}
	return routes
}

// Counts reads the current load of the server, and the number of refused requests.
func (s *Server) Counts() edge.Counts { return s.load.Counts() }

// state is what the metrics report about the content.
func (s *Server) state() metrics.State {
	e := s.current.Load()
	now := metrics.State{Ready: s.unready(e) == nil}
	for _, t := range e.schema.Types {
		n := e.count(t)
		now.Entries = append(now.Entries, metrics.Entries{Type: n.Type, Status: store.Published.String(), Count: n.Published})
		if t.DraftAndPublish {
			now.Entries = append(now.Entries, metrics.Entries{Type: n.Type, Status: store.Draft.String(), Count: n.Draft})
		}
	}
	if file, err := e.db.Statistics(); err == nil {
		now.File = &metrics.File{Revision: file.Revision, Size: file.Size, Free: file.Free}
	}
	return now
}

// count counts the entries of a type in the current snapshot.
func (e *siteVersion) count(t *schema.Type) TypeCount {
	snapshot := e.index.Snapshot()
	n := TypeCount{Type: t.UID, Published: snapshot.Table(t, store.Published).Len()}
	if t.DraftAndPublish {
		n.Draft = snapshot.Table(t, store.Draft).Len()
	}
	return n
}

// pictures is what the metrics report about pictures on demand.
func (s *Server) pictures() metrics.Pictures {
	n := s.current.Load().library.PictureCounts()
	return metrics.Pictures{Made: n.Made, Kept: n.Kept, Refused: n.Refused, Failed: n.Failed, Waiting: n.Waiting}
}

// backups is what the metrics report about backups; nothing if that cannot be read.
func (s *Server) backups() metrics.Backup {
	e := s.current.Load()
	if e.lastBackup == nil {
		return metrics.Backup{}
	}
	last, err := e.lastBackup()
	if err != nil {
		return metrics.Backup{}
	}
	return metrics.Backup{Last: last, Due: s.backupDue(&e.schema.Settings.Backup, last)}
}

// backupDue returns when the next backup is due, in the time zone of the machine, or the
// zero time without a schedule. If there is no backup yet, one is due since the start.
func (s *Server) backupDue(b *settings.Backup, last time.Time) time.Time {
	if b.Schedule == "" {
		return time.Time{}
	}
	if last.IsZero() {
		return s.started
	}
	due, err := b.Next(last.In(time.Local))
	if err != nil {
		return time.Time{} // the schedule was checked with the site, and has a next time
	}
	return due
}
