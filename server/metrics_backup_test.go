package server

import (
	"errors"
	"testing"
	"time"

	"quire/schema"
	"quire/schema/settings"
	"quire/server/metrics"
)

func TestMetricsOfBackups(t *testing.T) {
	t.Parallel()
	last := time.Date(2026, 11, 20, 12, 0, 30, 0, time.Local)
	started := last.Add(24 * time.Hour)
	due := time.Date(2026, 11, 21, 3, 0, 0, 0, time.Local)
	for _, test := range []struct {
		name, schedule string
		last           time.Time
		err            error
		want           metrics.Backup
	}{
		{"nothing", "", time.Time{}, nil, metrics.Backup{}},
		{"by hand", "", last, nil, metrics.Backup{Last: last}},
		{"by schedule", "0 3 * * *", last, nil, metrics.Backup{Last: last, Due: due}},
		{"none yet", "0 3 * * *", time.Time{}, nil, metrics.Backup{Due: started}},
		{"a file that cannot be read", "0 3 * * *", last, errors.New("suspended"), metrics.Backup{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &Server{started: started}
			site := &schema.Site{Settings: settings.Settings{Backup: settings.Backup{Schedule: test.schedule, Keep: 7}}}
			s.current.Store(&siteVersion{schema: site, lastBackup: func() (time.Time, error) { return test.last, test.err }})
			if got := s.backups(); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
