package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"quire/app/inspect"
	"quire/auth"
	"quire/documents"
	"quire/media"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
	"quire/transfer/compare"
	"quire/transfer/push"
)

// PushRequest is a push from another site into this one.
type PushRequest struct {
	From          string `json:"from"`    // absolute path of the other site folder
	Name          string `json:"name"`    // of the other site, for the audit log
	Partial       bool   `json:"partial"` // From is a copy of a site, and has only some of its files, in the folder
	SkipConflicts bool   `json:"skipConflicts"`
	Do            bool   `json:"do"` // otherwise nothing is done
}

// Pushed is what a push did, or would do. If there are conflicts that are not skipped, nothing is
// done and only they count.
type Pushed struct {
	Done      bool                   `json:"done"`
	Schemas   []compare.SchemaChange `json:"schemas"` // what the schemas get
	Entries   []push.EntryChange     `json:"entries"`
	Files     int                    `json:"files"` // of the new entries, with their content
	Conflicts []push.Conflict        `json:"conflicts"`
	Left      []push.Staying         `json:"left"`              // documents that stay as they are
	Kept      int                    `json:"kept"`              // documents that only this site has changed
	Missing   []string               `json:"missing,omitempty"` // files that a partial copy lacks; without them nothing is done
}

// isStopped reports whether conflicts stop a push.
func (p *Pushed) isStopped(in PushRequest) bool { return len(p.Conflicts) > 0 && !in.SkipConflicts }

// waits reports whether a push that was to be done needs files first.
func (p *Pushed) waits(in PushRequest) bool {
	return in.Do && len(p.Missing) > 0 && !p.isStopped(in)
}

// pushedFrom is the site that is pushed from.
type pushedFrom struct {
	Location
	site  *schema.Site
	db    *store.DB
	files fs.FS // of its library
}

// openPushed opens the site of a push. done closes it.
func openPushed(ctx context.Context, in PushRequest) (from pushedFrom, done func() error, err error) {
	from.Location = Location{Site: in.From}
	if from.site, err = from.Load(); err != nil {
		return from, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if in.Partial {
		from.site.Settings.Upload.Storage = settings.Storage{} // all files that it has are in the folder
	}
	if from.files, err = from.Files(ctx, from.site); err != nil {
		return from, nil, err
	}
	from.db, done, _, err = from.OpenData(ctx)
	return from, done, err
}

// Push makes the changes of another site in this one, see package push: all or nothing, in the
// running server or, if none runs, in this process.
func (l Location) Push(ctx context.Context, in PushRequest) (out Pushed, who string, err error) {
	if in.From, err = filepath.Abs(in.From); err != nil {
		return out, "", err
	}
	if in.Name == "" {
		in.Name = in.From
	}
	from := Location{Site: in.From}
	for _, at := range []Location{l, from} {
		if err := at.requireData(); err != nil {
			return out, "", err
		}
	}
	a, errA := os.Stat(from.DataFile())
	b, errB := os.Stat(l.DataFile())
	if err := errors.Join(errA, errB); err != nil {
		return out, "", err
	}
	if os.SameFile(a, b) {
		return out, "", errors.New("the two sites have the same data file; there is nothing to push")
	}
	return callData[Pushed](ctx, l, pushCommand, in)
}

func (a *App) push(ctx context.Context, in PushRequest) (out Pushed, err error) {
	from, done, err := openPushed(ctx, in)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, done()) }()
	added, files, err := a.schemasToAdd(from)
	if err != nil {
		return out, err
	}
	shown := in // what can be tried before the schemas are there
	shown.Do = in.Do && len(files) == 0
	if out, err = a.pushContent(ctx, from, shown, len(files) == 0); err != nil {
		return out, err
	}
	if in.Do && len(files) > 0 && !out.isStopped(in) && !out.waits(in) {
		if err := a.addSchemas(ctx, files); err != nil {
			return out, err
		}
		if out, err = a.pushContent(ctx, from, in, true); err != nil {
			return out, fmt.Errorf("the schemas were added, and nothing else has changed: %w", err)
		}
	}
	if out.Schemas = added; out.Done {
		a.noted(ctx, "data.push", map[string]string{"from": in.Name, "entries": strconv.Itoa(len(out.Entries)), "files": strconv.Itoa(out.Files)})
	}
	return out, nil
}

// pushContent plans a push and does it, if that is requested. can says whether the schemas are
// there, so that it can at least be tried.
func (a *App) pushContent(ctx context.Context, from pushedFrom, in PushRequest, can bool) (out Pushed, err error) {
	who := func() (auth.Identity, error) { return a.auth.ActAs(auth.AsOwner) }
	err = a.server.Ask(ctx, who, func(ctx context.Context, call *documents.Call) error {
		call.Actor = store.ActorOf(store.ByCommand, pushCommand)
		return from.db.View(func(tx *store.Tx) error {
			var plan *push.Plan
			err := a.db.View(func(own *store.Tx) (err error) {
				plan, err = push.Make(ctx, push.Side{Tx: tx, Site: from.site}, push.Side{Tx: own}, push.Options{SkipConflicts: in.SkipConflicts})
				return err
			})
			if err != nil {
				return err
			}
			out = Pushed{Entries: plan.Changes, Conflicts: plan.Conflicts, Left: plan.Left, Kept: plan.Kept, Files: len(plan.Files)}
			if out.Missing, err = from.missing(in, plan); err != nil {
				return err
			}
			switch {
			case out.isStopped(in) || !can || out.waits(in):
				return nil
			case !in.Do:
				_, err = call.Effects(ctx, plan.Steps)
			default:
				err = a.carryOutPush(ctx, from, call, plan)
				out.Done = err == nil
			}
			// Add to the error of a step which document it is about.
			i, p := documents.ExplainStep(err)
			if p == nil || i >= len(plan.Steps) {
				return err
			}
			s := plan.Steps[i]
			return &PushStepError{s.Type, s.DocumentID, p}
		})
	})
	return out, err
}

// PushStepError is a document that cannot be pushed.
type PushStepError struct {
	Type, DocumentID string
	Err              error
}

func (e *PushStepError) Error() string {
	return fmt.Sprintf("%s %s cannot be pushed, and nothing has changed: %v", e.Type, e.DocumentID, e.Err)
}

func (e *PushStepError) Unwrap() error { return e.Err }

// missing returns the files that a plan needs and a partial copy lacks.
func (f *pushedFrom) missing(in PushRequest, plan *push.Plan) (names []string, err error) {
	if !in.Partial {
		return nil, nil
	}
	for _, record := range plan.Files {
		stored := inspect.StoredFile(record)
		for _, name := range stored.Names() {
			if !media.SafeName(name) {
				return nil, fmt.Errorf("the record of the file %s has a name that no file has", record.DocumentID)
			}
			switch _, err := fs.Stat(f.files, name); {
			case errors.Is(err, fs.ErrNotExist):
				names = append(names, name)
			case err != nil:
				return nil, err
			}
		}
	}
	return names, nil
}

// carryOutPush copies the new files and does the steps. If that fails, it removes the files, unless
// it is unknown whether their records were stored.
func (a *App) carryOutPush(ctx context.Context, from pushedFrom, call *documents.Call, plan *push.Plan) error {
	release := a.files.Lock() // until the records name the files
	defer release()
	copied, err := a.copyFiles(ctx, from, plan)
	if err == nil {
		err = call.Adopt(ctx, plan.Steps, plan.Check, plan.Note)
	}
	if err == nil || store.Uncertain(err) {
		return err
	}
	return errors.Join(err, a.files.Remove(context.WithoutCancel(ctx), copied...))
}

// copyFiles copies the content of new files, and returns the names that it has made.
func (a *App) copyFiles(ctx context.Context, from pushedFrom, plan *push.Plan) (copied []string, err error) {
	for _, record := range plan.Files {
		stored := inspect.StoredFile(record)
		for _, name := range stored.Names() {
			made, err := a.copyFile(ctx, from.files, name, stored.Mime)
			if made {
				copied = append(copied, name)
			}
			if err != nil {
				return copied, fmt.Errorf("the file %s: %w", name, err)
			}
		}
	}
	return copied, nil
}

// copyFile copies a file, unless this site has it.
func (a *App) copyFile(ctx context.Context, files fs.FS, name, mime string) (made bool, err error) {
	own, _, err := a.files.Open(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	default:
		defer own.Close()
		in, err := files.Open(name)
		if err != nil {
			return false, err
		}
		defer in.Close()
		same, err := media.SameContent(own, in)
		if err == nil && !same {
			err = errors.New("the other site has a different file of this name")
		}
		return false, err
	}
	in, err := files.Open(name)
	if err != nil {
		return false, err
	}
	defer in.Close()
	return true, a.files.Put(ctx, name, mime, in)
}
