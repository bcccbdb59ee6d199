package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"quire/archive"
	"quire/auth"
	"quire/index"
	"quire/media"
	"quire/server"
	"quire/store"
)

// into brings the delivery into the data of a site. ready is called when all is
// prepared.
func (d *delivery) into(ctx context.Context, to archive.Target, o archive.Options, ready func() error) (*archive.Report, error) {
	o.Existing, o.SkipErrors = d.Existing, d.SkipErrors
	if d.Archive {
		return archive.ImportArchive(ctx, to, d.Files[0].Path, d.Key, o, ready)
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

// importHere imports into the data file, which nobody else has.
func (i *importing) importHere(ctx context.Context, in *delivery, schemas *newSchema, meter *archive.Meter) (report *archive.Report, err error) {
	db, err := store.Open(i.dataFile(), store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if os.Getenv("GOGC") == "" { // much that is made is garbage at once
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}
	files, err := media.Open(i.filesFolder())
	if err != nil {
		return nil, err
	}
	o := archive.Options{HashPassword: auth.NewPasswords().Hash, Meter: meter}
	return in.into(ctx, archive.Target{Site: schemas.site, DB: db, Files: files}, o, schemas.settle)
}

// operate carries out the commands on the data as a whole.
func (a *app) operate(ctx context.Context, command string, args json.RawMessage) (any, error) {
	switch command {
	case "data import":
		var in delivery
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		return a.importLive(ctx, &in)
	case "data progress":
		return measure(a.importing.Load()), nil
	case "data status":
		return a.status()
	case "data copy":
		return a.copyData()
	case "data check":
		return a.checkLive(ctx, args)
	case "data migrate":
		return a.migrateLive(ctx, args)
	case "data stage":
		return a.stage(ctx)
	case "data backed up":
		var made backedUp
		if err := json.Unmarshal(args, &made); err != nil {
			return nil, err
		}
		return nil, a.orSuspend(noteBackup(a.db, made))
	case "data compact":
		return a.compactLive(ctx)
	}
	return nil, fmt.Errorf("this server knows no command %q", command)
}

// importLive imports into the data that is being served. Reads are answered
// meanwhile, writes wait.
func (a *app) importLive(ctx context.Context, in *delivery) (report *archive.Report, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	meter := new(archive.Meter)
	a.importing.Store(meter)
	defer a.importing.Store(nil)

	var x *index.Index
	imported := false
	err = a.writer.Alone(ctx, func() (*index.Index, error) {
		to := archive.Target{Site: a.site, DB: a.db, Files: a.files}
		report, err = in.into(ctx, to, archive.Options{HashPassword: a.passwords.Hash, Meter: meter}, nil)
		if err != nil {
			return nil, err
		}
		imported = true
		x, err = a.build(a.site)
		return x, a.follows(err)
	})
	if err != nil {
		if imported {
			a.suspend() // the way back is to read everything anew
		}
		return nil, err
	}
	a.index = x
	if err := a.auth.Use(a.site); err != nil {
		return nil, err
	}
	return report, errors.Join(a.ensureRoles(), a.server.Reload(a.deps()))
}

// copyData makes a copy of the data file as it is at this moment, and returns
// its path. Whoever asked removes it.
func (a *app) copyData() (path string, err error) {
	f, err := os.CreateTemp(a.dataFolder(), "quire.db.copy-")
	if err != nil {
		return "", err
	}
	if _, err = a.db.Backup(f); err == nil {
		path, err = filepath.Abs(f.Name())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, nil
}

// progress tells how far an import has come, in this process or in the server.
func (p place) progress(ctx context.Context, here *archive.Meter) func() measured {
	return func() measured {
		if m := measure(here); m != (measured{}) {
			return m
		}
		var there measured
		if answer, err := server.Ask(ctx, p.socket(), "data progress", nil); err == nil {
			_ = json.Unmarshal(answer, &there)
		}
		return there
	}
}
