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
	"quire/archive"
	"quire/auth/password"
	"quire/index"
	"quire/store"
)

// Delivery is what an import brings, as a running server is handed it.
type Delivery struct {
	Files      []DeliveredFile
	Archive    bool // the one file is an archive; otherwise they are JSON lines
	Key        string
	Existing   archive.Existing
	SkipErrors bool
}

// DeliveredFile is a file with the name that the user knows it by. The path is absolute:
// the server may run in another folder.
type DeliveredFile struct{ Name, Path string }

// Import brings a delivery into the site: all of it or, where that fails, nothing. The
// running server does it, or this process; who says which of them. An archive brings its
// schemas along for a site that has none. meter counts what this process does.
func (l Location) Import(ctx context.Context, in *Delivery, meter *archive.Meter) (report *archive.Report, who string, err error) {
	schemas, err := l.schemasFor(ctx, in)
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(l.DataFolder(), 0o700); err != nil {
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

// details is what the audit log says of a delivery that was brought in.
func (d *Delivery) details(report *archive.Report) map[string]string {
	names := make([]string, len(d.Files))
	for i, f := range d.Files {
		names[i] = filepath.Base(f.Name)
	}
	taken := 0
	for _, c := range report.Taken {
		taken += c.N
	}
	return map[string]string{"files": strings.Join(names, " "), "taken": strconv.Itoa(taken)}
}

// into brings the delivery into the data of a site.
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

// usualHeap is how many bytes of memory an import takes where that is enough.
const usualHeap = 1200 << 20

// heap sets how much garbage may gather, and returns what sets it back. Much that is made
// is garbage at once, so collecting it seldom saves time; but not beyond what most imports
// need anyway, which is half the size of their lines. An archive has packed them.
func (d *Delivery) heap() (back func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	size := int64(0)
	for _, f := range d.Files {
		if info, err := os.Stat(f.Path); err == nil { // or the import will say why not
			size += info.Size()
		}
	}
	if d.Archive {
		size *= packed
	}
	percent, most := debug.SetGCPercent(200), debug.SetMemoryLimit(max(usualHeap, size))
	return func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(most) }
}

// packed is how many times its size an archive has in it, or more.
const packed = 10

// importHere imports into the data file, which nobody else has.
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
	schemas.installed = nil // content goes with them from now on
	return report, noteSite(byCommand(ctx, "import"), db, "data.import", in.details(report))
}

// importLive is importWith for a command.
func (a *App) importLive(ctx context.Context, in *Delivery) (report *archive.Report, err error) {
	return a.importWith(ctx, in, importSteps{meter: new(archive.Meter)})
}

// importSteps is what goes with an import.
type importSteps struct {
	meter  *archive.Meter
	before func() error // nil for nothing; done when nothing is written any more
	ready  func() error // see archive.Options
}

// importWith imports into the data that is being served. Reads are answered meanwhile,
// writes wait.
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
		return nil, fmt.Errorf("the content was imported, but then something failed: %w", err)
	}
	return report, nil
}

// importLocked imports while nothing else is written, and reads the content again. When
// it fails although the data file may have changed, updates are refused until the file is
// reopened: the content in memory may be behind it. a.changing must be held.
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

// Progress returns a function that says how far an import has come: by here, in this
// process, or else in the running server. While the server does not answer, it says what
// it said before.
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

// Measured says how far some work has come.
type Measured struct {
	Read, Total int64 // bytes; the total is 0 when it is not known
	Entries     int64 // or lines
}

// Measure reads a meter; nil reads zero.
func Measure(m *archive.Meter) Measured {
	if m == nil {
		return Measured{}
	}
	read, total := m.Bytes()
	return Measured{read, total, m.Entries()}
}
