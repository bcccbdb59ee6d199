package admin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"quire/auth/people"
	"quire/content/audit"
	"quire/server"
)

// Operation shows how a site runs, and manages its backups. Its methods may be called from
// any goroutine.
type Operation interface {
	// Status returns what `quire status --json` prints.
	Status() (any, error)
	// Node returns the name of the node that this describes; empty for a site of one node.
	Node() string
	// Series returns recent samples.
	Series() Series
	// Backups lists the backups of the site that can be downloaded, the newest first.
	Backups() ([]Backup, error)
	// MakeBackup begins a backup, in the name of the context's source. The error is
	// ErrBackupUnderWay if one is in progress.
	MakeBackup(ctx context.Context) error
	// UnderWay returns the backup in progress, or the last one that was requested; nil for
	// none.
	UnderWay() *BackupJob
	// OpenBackup opens a backup by its name. The error is ErrNoBackup.
	OpenBackup(name string) (io.ReadSeekCloser, time.Time, error)
	// RemoveBackup removes a backup that was requested. Errors are ErrNoBackup,
	// ErrScheduled and the file system's.
	RemoveBackup(ctx context.Context, name string) error
}

// Errors of an Operation.
var (
	ErrBackupUnderWay = errors.New("a backup is being made; wait until it is done")
	ErrTooManyBackups = errors.New("there are 20 backups that were made on request; remove one first")
	ErrNoBackup       = errors.New("there is no such backup")
	ErrScheduled      = errors.New("the schedule has made this backup, and removes it by itself")
)

// Series has samples at equal distances, the oldest first.
type Series struct {
	Seconds int      `json:"seconds"` // from one sample to the next
	Samples []Sample `json:"samples"`
}

// Sample describes the time before a moment.
type Sample struct {
	At       time.Time `json:"at"`
	Requests float64   `json:"requests"`   // a second
	Failed   float64   `json:"failed"`     // of those, answered 5xx
	Writes   float64   `json:"writes"`     // a second
	Memory   uint64    `json:"memory"`     // bytes
	P50      float64   `json:"p50Seconds"` // half of the requests took no longer; 0 if there were none
	P99      float64   `json:"p99Seconds"`

	Pictures PictureSample `json:"pictures"`
}

// PictureSample counts requests for derived pictures.
type PictureSample struct {
	Made    float64 `json:"made"`    // a second
	Kept    float64 `json:"kept"`    // responses with an existing picture, a second
	Refused float64 `json:"refused"` // refusals because of too many requests, a second
	Waiting int     `json:"waiting"` // at the end
}

// Backup is a backup that can be downloaded.
type Backup struct {
	Name      string    `json:"name"`
	MadeAt    time.Time `json:"madeAt"`
	Bytes     int64     `json:"bytes"`
	Scheduled bool      `json:"scheduled"`
}

// BackupJob is a requested backup.
type BackupJob struct {
	Running   bool       `json:"running"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt"`
	Name      *string    `json:"name"`   // of the resulting backup
	Failed    bool       `json:"failed"` // the log of the server says why
}

func operationRoutes() []Route {
	const one = "/backups/:name"
	return []Route{
		{Method: http.MethodGet, Path: "/status", Right: people.Settings, handler: showStatus, summary: "What quire status --json prints, without paths of the machine", out: map[string]any{}},
		{Method: http.MethodGet, Path: "/status/series", Right: people.Settings, handler: showSeries, summary: "How the site has done of late", out: Series{}},
		{Method: http.MethodGet, Path: "/slow-requests", Right: people.Settings, handler: listSlow, summary: "Requests that took long, the newest first", out: []slowRequest{}, meta: slowMeta{}},
		{Method: http.MethodGet, Path: "/backups", Right: people.Settings, OneNode: true, handler: listBackups, summary: "List the backups of the site", out: []Backup{}, meta: backupsMeta{}},
		{Method: http.MethodPost, Path: "/backups", Right: people.Settings, handler: makeBackup, summary: "Begin a backup", out: BackupJob{}, status: http.StatusAccepted},
		{Method: http.MethodGet, Path: one, Right: people.Settings, OneNode: true, Owner: true, handler: sendBackup,
			summary: "Take a backup along, for owners", media: "application/zstd", status: http.StatusPartialContent},
		{Method: http.MethodDelete, Path: one, Right: people.Settings, Owner: true, handler: removeBackup, summary: "Remove a backup that was made on request, for owners"},
	}
}

func showStatus(x *request) error {
	status, err := x.admin.Operation.Status()
	if err != nil {
		return err
	}
	return x.data(status)
}

func showSeries(x *request) error {
	s := x.admin.Operation.Series()
	s.Samples = append([]Sample{}, s.Samples...)
	return x.data(s)
}

// slowRequest is a slow request. Only owners see the plan, because it names attributes that
// a role may hide.
type slowRequest struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Status   int       `json:"status"`
	Seconds  float64   `json:"seconds"`
	Plan     []string  `json:"plan"` // empty for accounts that may not see it
	Visited  int       `json:"visited"`
	Matched  int       `json:"matched"`
	Returned int       `json:"returned"`
}

type slowMeta struct {
	From  float64 `json:"fromSeconds"` // minimum duration of a slow request; 0 for never
	Plans bool    `json:"plans"`       // whether the account may see plans
}

func listSlow(x *request) error {
	list, owner := []slowRequest{}, x.session.Account.Roles.Full()
	for _, s := range x.admin.Server.SlowRequests() {
		shown := slowRequest{s.ID, s.At, s.Method, s.Path, s.Status, s.Took.Seconds(), []string{}, s.Visited, s.Matched, s.Returned}
		if owner {
			shown.Plan = append(shown.Plan, s.Plan...)
		}
		list = append(list, shown)
	}
	return x.answerWith(http.StatusOK, list, slowMeta{x.admin.Server.Site(x.http).Settings.Log.Slow.Seconds(), owner})
}

// backupsMeta has the backup in progress, and the schedule.
type backupsMeta struct {
	Job      *BackupJob `json:"job"`
	Schedule string     `json:"schedule"` // empty for none
	Keep     int        `json:"keep"`     // number of scheduled backups
	Node     string     `json:"node"`     // that has them in its folder; empty for a site of one node
}

func listBackups(x *request) error {
	list, err := x.admin.Operation.Backups()
	if err != nil {
		return err
	}
	s := x.admin.Server.Site(x.http).Settings.Backup
	return x.answerWith(http.StatusOK, append([]Backup{}, list...), backupsMeta{x.admin.Operation.UnderWay(), s.Schedule, s.Keep, x.admin.Operation.Node()})
}

func makeBackup(x *request) error {
	if err := x.admin.Operation.MakeBackup(x.http.Context()); err != nil {
		return backupProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Operation.UnderWay())
}

// ownerOnly refuses everybody but owners: a backup holds what roles hide, and secrets. So
// does a token that downloads one.
func (x *request) ownerOnly() error {
	if !x.session.Account.Roles.Full() {
		return server.Problem(http.StatusForbidden, "ForbiddenError", "Only an owner may do this", nil)
	}
	return nil
}

// sendBackup sends a backup, or a part of it.
func sendBackup(x *request) error {
	name := x.params.ByName("name")
	file, made, err := x.admin.Operation.OpenBackup(name)
	if err != nil {
		return backupProblem(err)
	}
	defer file.Close()
	return x.sendFile(name, "application/zstd", made, file, "backup")
}

// sendFile sends a file that contains the site, or a part of it, and records who has
// downloaded it: a file of that kind of target.
func (x *request) sendFile(name, mediaType string, made time.Time, file io.ReadSeeker, target string) error {
	if x.http.Method == http.MethodGet {
		e := audit.Event{Action: "data.download", Target: audit.Target{Type: target, Name: name}}
		if err := x.admin.Audit.Note(audit.Of(x.http.Context()), e); err != nil {
			return err
		}
	}
	h := x.writer.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	h.Set("Cache-Control", "no-store")
	http.ServeContent(x.admin.Server.Patient(x.http), x.http, name, made, file)
	return nil
}

func removeBackup(x *request) error {
	if err := x.admin.Operation.RemoveBackup(x.http.Context(), x.params.ByName("name")); err != nil {
		return backupProblem(err)
	}
	return x.empty()
}

// backupProblem translates an error of an Operation for the client.
func backupProblem(err error) error {
	switch {
	case errors.Is(err, ErrNoBackup):
		return notFound()
	case errors.Is(err, ErrBackupUnderWay), errors.Is(err, ErrTooManyBackups), errors.Is(err, ErrScheduled):
		return server.Problem(http.StatusConflict, "ConflictError", err.Error(), nil)
	}
	return err
}
