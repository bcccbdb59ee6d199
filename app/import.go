package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"quire/app/control"
	"quire/auth/password"
	"quire/index"
	"quire/store"
	"quire/transfer/archive"
)

// Delivery is the argument of an import, as a command sends it to a running server.
type Delivery struct {
	Files      []DeliveredFile
	Archive    bool // whether the one file is an archive; otherwise the files are JSON lines
	Key        string
	Existing   archive.Existing
	SkipErrors bool
}

// DeliveredFile is a file with the name that the user gave. The path is absolute, because
// the server may run in another folder.
type DeliveredFile struct{ Name, Path string }

// Import imports a delivery into the site: everything or, if it fails, nothing. The running
// server does it, or this process if no server runs; who is the one that did. If the site
// has no schemas, those of an archive are installed. meter counts what this process does.
func (l Location) Import(ctx context.Context, in *Delivery, meter *archive.Meter) (report *archive.Report, who string, err error) {
	schemas, err := l.schemasFor(ctx, in)
	if err != nil {
		return nil, "", err
	}
	if err := store.MakeFolder(l.DataFolder(), 0o700); err != nil {
		return nil, "", errors.Join(err, schemas.close(err))
	}
	report, who, err = callAs(ctx, l, importCommand, in, func() (*archive.Report, error) {
		return l.importHere(ctx, in, schemas, meter)
	})
	if err = errors.Join(err, schemas.close(err)); err != nil {
		return nil, "", err
	}
	report.Add(schemas.report)
	return report, who, nil
}

// details returns what the audit log records of an import.
func (d *Delivery) details(report *archive.Report) map[string]string {
	names := make([]string, len(d.Files))
	for i, f := range d.Files {
		names[i] = filepath.Base(f.Name)
	}
	return map[string]string{"files": strings.Join(names, " "), "taken": strconv.Itoa(d.taken(report))}
}

// taken returns how many entries were imported.
func (d *Delivery) taken(report *archive.Report) (n int) {
	for _, c := range report.Taken {
		n += c.N
	}
	return n
}

// into imports the delivery into the data of a site.
func (d *Delivery) into(ctx context.Context, to archive.Target, o archive.Options) (*archive.Report, error) {
	o.Existing, o.SkipErrors = d.Existing, d.SkipErrors
	if d.Archive {
		return archive.ImportArchive(ctx, to, d.Files[0].Path, d.Key, o)
	}
	var sources []archive.Source
	for _, f := range d.Files {
		source, err := archive.FileSource(f.Name, f.Path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return archive.ImportLines(ctx, to.DB, to.Site, sources, o)
}

// usualHeap is the number of bytes of memory that most imports need.
const usualHeap = 1200 << 20

// heap sets how much garbage may accumulate, and returns a function that resets it. An
// import makes much garbage, so collecting it less often saves time. The limit is what most
// imports need anyway: half the size of their lines. An import of an archive keeps the ids
// and the links of all entries in memory, so it may make less garbage beside them.
func (d *Delivery) heap() (back func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	size := int64(0)
	for _, f := range d.Files {
		if info, err := os.Stat(f.Path); err == nil { // otherwise the import reports the error
			size += info.Size()
		}
	}
	garbage := 200 // percent of what is kept
	if d.Archive {
		size, garbage = size*packed, 100
	}
	collecting.Lock()
	defer collecting.Unlock()
	percent, most := debug.SetGCPercent(garbage), debug.SetMemoryLimit(max(usualHeap, size))
	return func() {
		collecting.Lock()
		defer collecting.Unlock()
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(most)
	}
}

// packed is how much memory an import of a compressed archive needs, for each of its bytes:
// half of it for ids and links, and half for garbage.
const packed = 3

// importHere imports into a data file that no other process has open.
func (l Location) importHere(ctx context.Context, in *Delivery, schemas *importSchemas, meter *archive.Meter) (report *archive.Report, err error) {
	db, err := l.openAlone(store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	defer in.heap()()
	files, err := l.openFiles(&schemas.site.Settings.Upload)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	o := archive.Options{HashPassword: password.NewHasher().HashInTurn, Meter: meter, Ready: schemas.install}
	report, err = in.into(ctx, archive.Target{Site: schemas.site, DB: db, Files: files}, o)
	if err != nil {
		return report, err
	}
	schemas.installed = nil // the content needs them from now on
	if err := noteSite(byCommand(ctx, "import"), db, "data.import", in.details(report)); err != nil {
		return report, fmt.Errorf("%w: %w", errAfterwards, err)
	}
	if in.taken(report) >= leastSaved {
		_ = l.saveSearched(ctx, db, schemas.site, leastSaved) // without them, the first search builds them
	}
	return report, nil
}

// errAfterwards: the content is in the site, and what comes after that failed.
var errAfterwards = errors.New("the content was imported, but then something failed")

// importLive is importWith for a command.
func (a *App) importLive(ctx context.Context, in *Delivery) (report *archive.Report, err error) {
	return a.importWith(ctx, in, importSteps{meter: new(archive.Meter)})
}

// importSteps are the steps around an import.
type importSteps struct {
	meter  *archive.Meter
	before func() error // called when nothing is written any more; nil for nothing
	ready  func() error // see archive.Options
}

// importWith imports into the served data. Meanwhile reads are answered, and writes wait.
func (a *App) importWith(ctx context.Context, in *Delivery, step importSteps) (report *archive.Report, err error) {
	if err := a.fitsCluster(ctx); err != nil {
		return nil, err
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	a.importing.Store(step.meter)
	defer a.importing.Store(nil)

	var x *index.Index
	err = a.writer.Alone(ctx, func() (*index.Index, error) {
		report, x, err = a.importLocked(ctx, in, step)
		return x, err
	})
	if err != nil {
		if a.db.Suspended() {
			a.requestReopen()
		}
		return nil, err
	}
	a.index = x
	a.noted(ctx, "data.import", in.details(report))
	if err := a.resumeLocked(a.site); err != nil {
		return nil, fmt.Errorf("%w: %w", errAfterwards, err)
	}
	return report, nil
}

// importLocked imports while nothing else is written, and reads the content again. If it
// fails and the data file may have changed, updates are refused until the file is reopened,
// because the content in memory may be older than the file. The caller holds a.changing.
func (a *App) importLocked(ctx context.Context, in *Delivery, step importSteps) (report *archive.Report, x *index.Index, err error) {
	unchanged := false
	err = a.guarded(func() error {
		if step.before != nil {
			if err := step.before(); err != nil {
				unchanged = true
				return err
			}
		}
		to := archive.Target{Site: a.site, DB: a.db, Files: a.files}
		report, err = in.into(ctx, to, archive.Options{HashPassword: a.passwords.HashInTurn, Meter: step.meter, Ready: step.ready})
		if err != nil {
			unchanged = !store.Uncertain(err)
			return err
		}
		x, err = a.readLocked(a.site)
		return err
	})
	if unchanged {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, a.suspendOn(err)
	}
	return report, x, nil
}

// Progress returns a function that returns the progress of an import: from here, in this
// process, or from the running server. If the server does not respond, it returns the last
// known progress.
func (l Location) Progress(ctx context.Context, here *archive.Meter) func() Measured {
	var last Measured
	return func() Measured {
		if m := Measure(here); m != (Measured{}) {
			return m
		}
		var there Measured
		answer, err := control.Call(ctx, l.socket(), progressCommand, nil)
		if err == nil && json.Unmarshal(answer, &there) == nil {
			last = there
		}
		return last
	}
}

// Measured is the progress of some work.
type Measured struct {
	Read, Total int64 // bytes; Total is 0 if unknown
	Entries     int64 // or lines
}

// Measure reads a meter; nil is zero.
func Measure(m *archive.Meter) Measured {
	if m == nil {
		return Measured{}
	}
	read, total := m.Bytes()
	return Measured{read, total, m.Entries()}
}
