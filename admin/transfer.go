package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"quire/auth/people"
	"quire/server"
)

// Transfers imports, exports and restores the data of a site as a whole. Only one transfer
// can be in progress. Its methods may be called from any goroutine.
type Transfers interface {
	// Transfer returns the transfer in progress, or the last one; nil for none.
	Transfer() *Transfer
	// Look begins to read a backup, to show what restoring it would do. Errors are
	// ErrNoBackup and *BusyError.
	Look(ctx context.Context, backup string) error
	// Restore begins to restore a backup, in the name of the context's source, and first
	// makes a backup of the current state. Errors are those of Look, and ErrTooManyBackups.
	Restore(ctx context.Context, backup string) error
	// Export begins to write the data of the site to a file, in the name of the context's
	// source. Errors are *TypeNameError and *BusyError.
	Export(ctx context.Context, what ExportForm) error
	// Exported opens the file of the last transfer, if that was an export that is complete.
	// The error is ErrNoExport.
	Exported() (io.ReadSeekCloser, time.Time, error)
	// Receive takes the file of an import, in the name of the context's source: its name
	// for display, and its content. Errors are *BusyError, ErrEmpty, the reader's and the
	// disk's.
	Receive(ctx context.Context, name string, file io.Reader) error
	// Discard removes the file of an import. Errors are ErrNoFile and *BusyError.
	Discard() error
	// PlanImport begins to find out what an import would do. Errors are *BusyError,
	// ErrNoFile, ErrKeyNeeded and ErrKeyUnused.
	PlanImport(ctx context.Context, how ImportForm) error
	// Import begins the import whose plan was begun at that time, in the name of the
	// context's source, and first makes a backup. Errors are *BusyError, ErrNoPlan and
	// ErrTooManyBackups.
	Import(ctx context.Context, planned time.Time) error
	// Cancel stops the transfer in progress. The error is ErrTooLate if it cannot be
	// stopped any more, or if none is in progress.
	Cancel() error
}

// Errors of Transfers.
var (
	ErrTooLate  = errors.New("this cannot be stopped any more")
	ErrNoExport = errors.New("there is no export, or it was removed")

	ErrEmpty     = errors.New("the file is empty")
	ErrNoFile    = errors.New("there is no file to import, or it was removed; send it again")
	ErrNoPlan    = errors.New("this is not the latest plan; make a new one")
	ErrKeyNeeded = errors.New("the file is encrypted, and needs its key, or it is not an export")
	ErrKeyUnused = errors.New("the file is not encrypted; leave the key out")
)

// TypeNameError is a content type that the site does not have.
type TypeNameError struct{ UID string }

func (e *TypeNameError) Error() string {
	return fmt.Sprintf("there is no content type %.100q", e.UID)
}

// BusyError refuses a transfer while another is in progress.
type BusyError struct{ Transfer }

func (e *BusyError) Error() string {
	what := map[TransferKind]string{
		Looking: "a backup is being read", Restoring: "a backup is being restored", Exporting: "an export is being written",
		Receiving: "a file is coming in", Planning: "a file is being read", Importing: "a file is being imported",
	}[e.Kind]
	return fmt.Sprintf("%s, which %s has begun; wait until that is done", what, e.By)
}

// TransferKind is the kind of a transfer.
type TransferKind string

// The kinds of transfers.
const (
	Looking   TransferKind = "look"
	Restoring TransferKind = "restore"
	Exporting TransferKind = "export"
	Receiving TransferKind = "receive" // the file of an import
	Planning  TransferKind = "plan"    // what an import would do
	Importing TransferKind = "import"
)

// The phases of a transfer, in their order.
const (
	PhaseRead   = "read"   // the input is read and checked
	PhaseSave   = "save"   // a backup is made of the current state
	PhaseSwitch = "switch" // the new data replaces the current data
	PhaseWrite  = "write"  // an export or an import is written
	PhaseDone   = "done"
)

// Why a transfer failed.
const (
	ProblemDamaged   = "damaged"   // the input is not a backup, or is incomplete
	ProblemUnfit     = "unfit"     // the input does not fit the site
	ProblemFull      = "full"      // the disk is full
	ProblemCancelled = "cancelled" // it was cancelled, or the server stopped
	ProblemOccupied  = "occupied"  // the site has content, and the request did not say what to do with it
	ProblemOther     = "other"     // the log of the server has the details
)

// Transfer is a transfer and its progress.
type Transfer struct {
	Kind      TransferKind `json:"kind"`
	File      string       `json:"file"` // name of its file
	By        string       `json:"by"`   // the name of the account that began it
	Running   bool         `json:"running"`
	Phase     string       `json:"phase"`
	StartedAt time.Time    `json:"startedAt"`
	EndedAt   *time.Time   `json:"endedAt"`
	Problem   string       `json:"problem"` // one of the constants above; empty for none
	Detail    string       `json:"detail"`  // details, in English
	Saved     string       `json:"saved"`   // the backup that was made first; empty for none
	Plan      *RestorePlan `json:"plan"`    // result of a Look
	Done      int64        `json:"done"`    // entries that an export has written
	Total     int64        `json:"total"`   // total number of entries; 0 if unknown
	Bytes     int64        `json:"bytes"`   // of an export: size of the file; of an import: bytes read
	Size      int64        `json:"size"`    // bytes that an import reads; 0 if unknown
	Form      FileForm     `json:"form"`    // of the file of an import; empty for none
	Import    *ImportPlan  `json:"import"`  // what an import would do
}

// RestorePlan describes what restoring a backup would do.
type RestorePlan struct {
	MadeAt      time.Time  `json:"madeAt"`
	Program     string     `json:"program"`     // version that made it
	SameSchemas bool       `json:"sameSchemas"` // the same as those of the site now
	Types       []TypeThen `json:"types"`       // types with documents, now or in the backup
	Accounts    NowAndThen `json:"accounts"`    // of the admin
	Missing     int        `json:"missing"`     // files that are missing in the backup
	Changes     *int       `json:"changes"`     // of entries since then, which would be lost; null if unknown
}

// NowAndThen is a number now, and in the backup.
type NowAndThen struct {
	Now  int `json:"now"`
	Then int `json:"then"`
}

// TypeThen is the number of documents of a type, counted in each locale.
type TypeThen struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	NowAndThen
}

func transferRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/transfer", Right: people.Settings, OneNode: true, Owner: true, handler: showTransfer,
			summary: "What is done with the data as a whole, or was last, for owners", out: transferState{}},
		{Method: http.MethodDelete, Path: "/transfer", Right: people.Settings, Owner: true, handler: cancelTransfer, summary: "Stop what is done with the data as a whole, for owners"},
		{Method: http.MethodPost, Path: "/transfer/look", Right: people.Settings, Quiet: true, Owner: true, handler: taking(lookAtBackup),
			summary: "Begin to read a backup: what restoring it would do, for owners", in: lookForm{}, out: Transfer{}, status: http.StatusAccepted},
		{Method: http.MethodPost, Path: "/transfer/restore", Right: people.Settings, Owner: true, handler: taking(restoreBackup),
			summary: "Begin to restore a backup, for owners", in: restoreForm{}, out: Transfer{}, status: http.StatusAccepted},
		{Method: http.MethodPost, Path: "/transfer/export", Right: people.Settings, Owner: true, handler: taking(beginExport),
			summary: "Begin an export: an archive of everything or JSON lines, for owners", in: ExportForm{}, out: Transfer{}, status: http.StatusAccepted},
		{Method: http.MethodGet, Path: "/transfer/export", Right: people.Settings, OneNode: true, Owner: true, handler: sendExport,
			summary: "Take the last export along, for owners", media: "application/gzip", status: http.StatusPartialContent},
		{Method: http.MethodPost, Path: "/transfer/file", Right: people.Settings, Quiet: true, Owner: true, handler: receiveFile,
			summary: "Send the file of an import, as it is, for owners", query: []string{"name"}, body: "application/octet-stream", out: Transfer{}, status: http.StatusCreated},
		{Method: http.MethodDelete, Path: "/transfer/file", Right: people.Settings, Quiet: true, Owner: true, handler: discardFile, summary: "Remove the file of an import, for owners"},
		{Method: http.MethodPost, Path: "/transfer/plan", Right: people.Settings, Quiet: true, Owner: true, handler: taking(planImport),
			summary: "Begin to find what an import would do, for owners", in: ImportForm{}, out: Transfer{}, status: http.StatusAccepted},
		{Method: http.MethodPost, Path: "/transfer/import", Right: people.Settings, Owner: true, handler: taking(beginImport),
			summary: "Begin the import that was looked at, for owners", in: importForm{}, out: Transfer{}, status: http.StatusAccepted},
	}
}

// transferState is the transfer in progress, and the text that must be typed before
// anything is replaced.
type transferState struct {
	Job  *Transfer `json:"job"`
	Site string    `json:"site"` // the name of the site
}

func showTransfer(x *request) error {
	return x.data(transferState{x.admin.Transfers.Transfer(), x.siteName()})
}

func cancelTransfer(x *request) error {
	if err := x.admin.Transfers.Cancel(); err != nil {
		return transferProblem(err)
	}
	return x.empty()
}

// lookForm names a backup in the list.
type lookForm struct {
	Backup string `json:"backup"`
}

func lookAtBackup(x *request, f *lookForm) error {
	if err := x.admin.Transfers.Look(x.http.Context(), f.Backup); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// restoreForm is the confirmation: the name of the site shows that this site is meant, and
// the proof shows that the account's owner asks.
type restoreForm struct {
	Backup string `json:"backup"`
	Site   string `json:"site"`
	people.Proof
}

func restoreBackup(x *request, f *restoreForm) error {
	if err := x.secondLook(f.Site, f.Proof); err != nil {
		return err
	}
	if err := x.admin.Transfers.Restore(x.http.Context(), f.Backup); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// ExportForm selects what is exported.
type ExportForm struct {
	Lines bool     `json:"lines"` // JSON lines of the content, instead of an archive of everything
	Types []string `json:"types"` // uids, only for lines; empty for all
}

// mostExported limits the types in an export.
const mostExported = 1000

func beginExport(x *request, f *ExportForm) error {
	switch {
	case len(f.Types) > mostExported:
		return server.KeyProblem("types", fmt.Sprintf("Name at most %d types", mostExported))
	case len(f.Types) > 0 && !f.Lines:
		return server.KeyProblem("types", "An archive has all types; choose some for lines alone")
	}
	if err := x.admin.Transfers.Export(x.http.Context(), *f); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// sendExport sends the file of an export, or a part of it.
func sendExport(x *request) error {
	file, made, err := x.admin.Transfers.Exported()
	if err != nil {
		return transferProblem(err)
	}
	defer file.Close()
	name, kind := x.admin.Transfers.Transfer().File, "application/gzip"
	if strings.HasSuffix(name, ".ndjson") {
		kind = "application/x-ndjson"
	}
	return x.sendFile(name, kind, made, file, "export")
}

// secondLook refuses an actor who has not typed the name of the site, or cannot prove again
// that the account is theirs.
func (x *request) secondLook(site string, p people.Proof) error {
	if name := x.siteName(); !strings.EqualFold(strings.TrimSpace(site), strings.TrimSpace(name)) {
		return server.KeyProblem("site", fmt.Sprintf("Type the name of the site: %s", name))
	}
	return x.admin.People.Prove(x.http.Context(), x.session, p)
}

// transferProblem translates an error of Transfers for the client.
func transferProblem(err error) error {
	busy := new(BusyError)
	if errors.As(err, &busy) {
		details := struct {
			Kind TransferKind `json:"kind"`
			By   string       `json:"by"`
		}{busy.Kind, busy.By}
		return server.Problem(http.StatusConflict, "ConflictError", sentence(err), details)
	}
	if unknown := new(TypeNameError); errors.As(err, &unknown) {
		return server.KeyProblem("types", sentence(err))
	}
	if errors.Is(err, ErrNoExport) {
		return notFound()
	}
	switch {
	case errors.Is(err, ErrKeyNeeded), errors.Is(err, ErrKeyUnused):
		return server.KeyProblem("key", sentence(err))
	case errors.Is(err, ErrEmpty):
		return invalid(sentence(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return noSpace("There is not enough space on the disk of the server")
	case errors.Is(err, ErrTooLate), errors.Is(err, ErrNoFile), errors.Is(err, ErrNoPlan):
		return server.Problem(http.StatusConflict, "ConflictError", sentence(err), nil)
	}
	return backupProblem(err)
}

// sentence returns an error as the beginning of a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
