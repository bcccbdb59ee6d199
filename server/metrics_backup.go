package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"quire/schema"
)

// backupState tells, each time it is asked, when the last good backup was made and
// when the next one is due.
type backupState struct {
	server    *Server
	last, due *prometheus.Desc
}

func newBackupState(s *Server) *backupState {
	return &backupState{
		server: s,
		last:   prometheus.NewDesc("quire_last_backup_timestamp_seconds", "When the last good backup was made.", nil, nil),
		due:    prometheus.NewDesc("quire_backup_due_timestamp_seconds", "When the next backup is due, by the schedule of site.json.", nil, nil),
	}
}

// Describe is for prometheus.Collector.
func (c *backupState) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.last
	ch <- c.due
}

// Collect is for prometheus.Collector. Without a backup there is no last one, and
// without a schedule none is due.
func (c *backupState) Collect(ch chan<- prometheus.Metric) {
	e := c.server.current.Load()
	if e.lastBackup == nil {
		return
	}
	last, err := e.lastBackup()
	if err != nil {
		return
	}
	moment := func(d *prometheus.Desc, t time.Time) {
		if !t.IsZero() {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(t.Unix()))
		}
	}
	moment(c.last, last)
	moment(c.due, c.server.backupDue(&e.site.Settings.Backup, last))
}

// backupDue is when the backup after the last one is due, in the time zone of the
// machine; the zero time without a schedule. Where there is none yet it is due
// since the start.
func (s *Server) backupDue(b *schema.Backup, last time.Time) time.Time {
	if b.Schedule == "" {
		return time.Time{}
	}
	if last.IsZero() {
		return s.started
	}
	due, err := b.Next(last.In(time.Local))
	if err != nil {
		return time.Time{} // the schedule was read with the site, and names one
	}
	return due
}
