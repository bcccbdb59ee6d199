package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"quire/schema/source"
)

// Backup has the settings of site.json under "backup": when the server makes backups, and
// how many it keeps.
type Backup struct {
	Schedule string // five fields of cron, or a name like "@daily"; empty for never
	Folder   string // for the backups; empty for "backups" in the data folder
	Keep     int    // how many are kept, 7
	Files    bool   // whether they include the uploads that are in a bucket
}

// cronNames are the schedules that have a name.
var cronNames = []string{"@hourly", "@daily", "@weekly", "@monthly", "@yearly"}

// read reads "backup": {"schedule": "0 3 * * *", "folder": "/mnt/backup", "keep": 7, "files": true}.
func (b *Backup) read(o source.Object) {
	o.Only("schedule", "folder", "keep", "files")
	b.Folder, b.Keep = o.Text("folder"), o.Whole("keep", 1, b.Keep)
	b.Files = o.Flag("files", false)
	v, ok := o.Get("schedule")
	if !ok {
		return
	}
	text, ok := v.Text()
	if !ok {
		return
	}
	if b.Schedule = strings.TrimSpace(text); !isSchedule(b.Schedule) {
		v.Refuse(fmt.Sprintf("%q is not a schedule", text), `write minute, hour, day, month and weekday as in "0 3 * * *", or one of `+strings.Join(cronNames, ", "))
	}
}

// isSchedule accepts less than the library does: no seconds, no years, and no date
// that never comes.
func isSchedule(text string) bool {
	if len(strings.Fields(text)) != 5 && !slices.Contains(cronNames, text) {
		return false
	}
	_, err := gronx.NextTickAfter(text, time.Now(), false)
	return gronx.IsValid(text) && err == nil
}

// Next returns the first time of the schedule after t, in the time zone of t. There must be
// a schedule.
func (b *Backup) Next(t time.Time) (time.Time, error) {
	return gronx.NextTickAfter(b.Schedule, t, false)
}
