package schema

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Backup is what site.json says under "backup": backups that the server makes.
type Backup struct {
	Schedule string // five fields of cron, or "@daily" and the like; empty for never
	Folder   string // where they lie; empty for "backups" in the data folder
	Keep     int    // how many are kept, 7
}

func defaultBackup() Backup { return Backup{Keep: 7} }

// cronNames are the schedules that have a name.
var cronNames = []string{"@hourly", "@daily", "@weekly", "@monthly", "@yearly"}

// read reads "backup": {"schedule": "0 3 * * *", "folder": "/mnt/backup", "keep": 7}.
func (b *Backup) read(o object) {
	o.only("schedule", "folder", "keep")
	b.Folder, b.Keep = o.text("folder"), o.whole("keep", 1, b.Keep)
	v, ok := o.get("schedule")
	if !ok {
		return
	}
	text, ok := v.text()
	if !ok {
		return
	}
	if b.Schedule = strings.TrimSpace(text); !isSchedule(b.Schedule) {
		v.refuse(fmt.Sprintf("%q is not a schedule", text), `write minute, hour, day, month and weekday as in "0 3 * * *", or one of `+strings.Join(cronNames, ", "))
	}
}

// isSchedule takes less than the library does: no seconds and years, and nothing
// that never comes.
func isSchedule(text string) bool {
	if len(strings.Fields(text)) != 5 && !slices.Contains(cronNames, text) {
		return false
	}
	_, err := gronx.NextTickAfter(text, time.Now(), false)
	return gronx.IsValid(text) && err == nil
}

// Next is the first time after t that the schedule names, in the time zone of t. It
// must name one.
func (b *Backup) Next(t time.Time) (time.Time, error) {
	return gronx.NextTickAfter(b.Schedule, t, false)
}
