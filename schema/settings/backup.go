package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"quire/schema/source"
)

// Backup has the settings of site.json under "backup": when the server makes backups, and
// how many it keeps; and the stream.
type Backup struct {
	Schedule string       // five fields of cron, or a name like "@daily"; empty for never
	Folder   string       // for the backups; empty for "backups" in the data folder
	Keep     int          // how many are kept, 7
	Files    bool         // whether they include the uploads that are in a bucket
	Stream   CommitStream // where every commit is copied to
}

// cronNames are the schedules that have a name.
var cronNames = []string{"@hourly", "@daily", "@weekly", "@monthly", "@yearly"}

// read reads "backup": {"schedule": "0 3 * * *", "folder": "/mnt/backup", "keep": 7, "files": true}.
func (b *Backup) read(o source.Object) {
	o.Only("schedule", "folder", "keep", "files", "stream")
	b.Folder, b.Keep = o.Text("folder"), o.Whole("keep", 1, b.Keep)
	b.Files = o.Flag("files", false)
	b.Stream.read(o.Object("stream"))
	if v, ok := o.Get("schedule"); ok {
		b.Schedule = readSchedule(v)
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
