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

	"quire/admin/account"
	"quire/server"
)

// Transfers is what the admin does with the data of a site as a whole. One is under way at
// a time. Its methods may be called from any goroutine.
type Transfers interface {
	// Transfer is the one that is under way or was the last; nil for none.
	Transfer() *Transfer
	// Look begins to read a backup: what restoring it would do. Errors are ErrNoBackup and
	// *BusyError.
	Look(ctx context.Context, backup string) error
	// Restore begins to bring a backup back, in the name of the context's source, and makes
	// another one of what is there before. Errors are those of Look, and ErrTooManyBackups.
	Restore(ctx context.Context, backup string) error
	// Export begins to write what the site holds to a file, in the name of the context's
	// source. Errors are *TypeNameError and *BusyError.
	Export(ctx context.Context, what ExportForm) error
	// Exported opens the file of the last transfer, if that was an export that is done. The
	// error is ErrNoExport.
	Exported() (io.ReadSeekCloser, time.Time, error)
	// Receive takes the file of an import, in the name of the context's source: what people
	// call it, and what it holds. Errors are *BusyError, ErrEmpty, the reader's and the disk's.
	Receive(ctx context.Context, name string, file io.Reader) error
	// Discard removes the file of an import. Errors are ErrNoFile and *BusyError.
	Discard() error
	// PlanImport begins to find what an import would do. Errors are *BusyError, ErrNoFile,
	// ErrKeyNeeded and ErrKeyUnused.
	PlanImport(ctx context.Context, how ImportForm) error
	// Import begins the import whose plan was begun at that time, in the name of the context's
	// source, and makes a backup before. Errors are *BusyError, ErrNoPlan and ErrTooManyBackups.
	Import(ctx context.Context, planned time.Time) error
	// Cancel stops the one that is under way. The error is ErrTooLate where that cannot be
	// done any more, or nothing is under way.
	Cancel() error
}

// Errors of Transfers.
var (
	ErrTooLate  = errors.New("this cannot be stopped any more")
	ErrNoExport = errors.New("there is no export, or not any more")

	ErrEmpty     = errors.New("the file is empty")
	ErrNoFile    = errors.New("there is no file to import, or not any more; send it again")
	ErrNoPlan    = errors.New("this is not what was looked at last; look at it again")
	ErrKeyNeeded = errors.New("the file is encrypted, and needs its key, or it is no export")
	ErrKeyUnused = errors.New("the file is not encrypted; leave the key out")
)

// TypeNameError is a content type that the site does not have.
type TypeNameError struct{ UID string }

func (e *TypeNameError) Error() string {
	return fmt.Sprintf("there is no content type %.100q", e.UID)
}

// BusyError refuses a transfer while another is under way.
type BusyError struct{ Transfer }

func (e *BusyError) Error() string {
	what := map[TransferKind]string{
		Looking: "a backup is being read", Restoring: "a backup is being restored", Exporting: "an export is being written",
		Receiving: "a file is coming in", Planning: "a file is being read", Importing: "a file is being imported",
	}[e.Kind]
	return fmt.Sprintf("%s, which %s has begun; wait until that is done", what, e.By)
}

// TransferKind is what is done.
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
	PhaseRead   = "read"   // what is brought is read and checked
	PhaseSave   = "save"   // a backup is made of what is there
	PhaseSwitch = "switch" // the one takes the place of the other
	PhaseWrite  = "write"  // an export is written, or an import
	PhaseDone   = "done"
)

// What kept a transfer from its end.
const (
	ProblemDamaged   = "damaged"   // what was read is no backup, or not whole
	ProblemUnfit     = "unfit"     // it does not go with the site as it is
	ProblemFull      = "full"      // there is no room left
	ProblemCancelled = "cancelled" // somebody stopped it, or the server
	ProblemOccupied  = "occupied"  // the site has content, and nobody said what to do with it
	ProblemOther     = "other"     // the log of the server says what
)

// Transfer is one of them, and how far it has come.
type Transfer struct {
	Kind      TransferKind `json:"kind"`
	File      string       `json:"file"` // what it is about
	By        string       `json:"by"`   // the name of who has begun it
	Running   bool         `json:"running"`
	Phase     string       `json:"phase"`
	StartedAt time.Time    `json:"startedAt"`
	EndedAt   *time.Time   `json:"endedAt"`
	Problem   string       `json:"problem"` // one of the words above; empty for none
	Detail    string       `json:"detail"`  // more about it, in English
	Saved     string       `json:"saved"`   // the backup that was made before; empty for none
	Plan      *RestorePlan `json:"plan"`    // what a look has found
	Done      int64        `json:"done"`    // entries that an export has written
	Total     int64        `json:"total"`   // entries that there are; 0 where nobody knows
	Bytes     int64        `json:"bytes"`   // of the file of an export; of an import, those that were read
	Size      int64        `json:"size"`    // bytes that an import reads; 0 where nobody knows
	Form      FileForm     `json:"form"`    // of the file of an import; empty for none
	Import    *ImportPlan  `json:"import"`  // what an import would do
}

// RestorePlan is what restoring a backup would do.
type RestorePlan struct {
	MadeAt      time.Time  `json:"madeAt"`
	Program     string     `json:"program"`     // that made it
	SameSchemas bool       `json:"sameSchemas"` // as those of the site now
	Types       []TypeThen `json:"types"`       // those of which there is anything, now or then
	Accounts    NowAndThen `json:"accounts"`    // of the admin
	Missing     int        `json:"missing"`     // files that the backup should have, and has not
	Changes     *int       `json:"changes"`     // of entries since then, which would be lost; null where nobody knows
}

// NowAndThen is a number as it is, and as it is in the backup.
type NowAndThen struct {
	Now  int `json:"now"`
	Then int `json:"then"`
}

// TypeThen is how many documents there are of a type, those of each locale by themselves.
type TypeThen struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	NowAndThen
}

func transferRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/transfer", Right: account.Settings, OneNode: true, handler: showTransfer},
		{Method: http.MethodDelete, Path: "/transfer", Right: account.Settings, handler: cancelTransfer},
		{Method: http.MethodPost, Path: "/transfer/look", Right: account.Settings, Quiet: true, handler: lookAtBackup},
		{Method: http.MethodPost, Path: "/transfer/restore", Right: account.Settings, handler: restoreBackup},
		{Method: http.MethodPost, Path: "/transfer/export", Right: account.Settings, handler: beginExport},
		{Method: http.MethodGet, Path: "/transfer/export", Right: account.Settings, OneNode: true, handler: sendExport},
		{Method: http.MethodPost, Path: "/transfer/file", Right: account.Settings, Quiet: true, handler: receiveFile},
		{Method: http.MethodDelete, Path: "/transfer/file", Right: account.Settings, Quiet: true, handler: discardFile},
		{Method: http.MethodPost, Path: "/transfer/plan", Right: account.Settings, Quiet: true, handler: planImport},
		{Method: http.MethodPost, Path: "/transfer/import", Right: account.Settings, handler: beginImport},
	}
}

// transferState is what is under way, and what has to be typed before anything is replaced.
type transferState struct {
	Job  *Transfer `json:"job"`
	Site string    `json:"site"` // the name of the site
}

func showTransfer(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
	return x.data(transferState{x.admin.Transfers.Transfer(), x.siteName()})
}

func cancelTransfer(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
	if err := x.admin.Transfers.Cancel(); err != nil {
		return transferProblem(err)
	}
	return x.empty()
}

// lookForm names a backup that is listed.
type lookForm struct {
	Backup string `json:"backup"`
}

func lookAtBackup(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
	var f lookForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	if err := x.admin.Transfers.Look(x.request.Context(), f.Backup); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// restoreForm is the second look: the name of the site shows that it is this one that is
// meant, the proof that it is the account's owner who asks.
type restoreForm struct {
	Backup string `json:"backup"`
	Site   string `json:"site"`
	account.Proof
}

func restoreBackup(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
	var f restoreForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	if err := x.secondLook(f.Site, f.Proof); err != nil {
		return err
	}
	if err := x.admin.Transfers.Restore(x.request.Context(), f.Backup); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// ExportForm says what is exported.
type ExportForm struct {
	Lines bool     `json:"lines"` // JSON lines of the content, instead of an archive of everything
	Types []string `json:"types"` // uids, of lines alone; empty for all
}

// mostExported bounds the types that an export names.
const mostExported = 1000

func beginExport(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
	var f ExportForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	switch {
	case len(f.Types) > mostExported:
		return server.KeyProblem("types", fmt.Sprintf("Name at most %d types", mostExported))
	case len(f.Types) > 0 && !f.Lines:
		return server.KeyProblem("types", "An archive has all types; choose some for lines alone")
	}
	if err := x.admin.Transfers.Export(x.request.Context(), f); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// sendExport sends the file of an export, or a part of it.
func sendExport(x *exchange) error {
	if err := x.ownerOnly(); err != nil {
		return err
	}
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

// secondLook refuses whoever has not typed the name of the site, and whoever cannot show
// again that the account is theirs.
func (x *exchange) secondLook(site string, p account.Proof) error {
	if name := x.siteName(); !strings.EqualFold(strings.TrimSpace(site), strings.TrimSpace(name)) {
		return server.KeyProblem("site", fmt.Sprintf("Type the name of the site: %s", name))
	}
	return x.admin.Book.Prove(x.request.Context(), x.session, p)
}

// transferProblem says what an error of Transfers means for the client.
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
		return server.Problem(http.StatusInsufficientStorage, "InsufficientStorageError", "There is not enough space on the disk of the server", nil)
	case errors.Is(err, ErrTooLate), errors.Is(err, ErrNoFile), errors.Is(err, ErrNoPlan):
		return server.Problem(http.StatusConflict, "ConflictError", sentence(err), nil)
	}
	return backupProblem(err)
}

// sentence is an error as the beginning of a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
