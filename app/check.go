package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"quire/app/inspect"
	"quire/content/audit"
	"quire/media"
	"quire/schema"
	"quire/schema/source"
	"quire/server"
)

// Check reports every problem of the site folder and of the data, and who checked the
// data: the running server or this process. With repair it first fixes what can be fixed
// without losing content.
func (l Location) Check(ctx context.Context, repair bool) (r *inspect.Report, who string, err error) {
	r = &inspect.Report{}
	site, err := l.Load()
	var found *source.Problems
	switch {
	case errors.As(err, &found):
		r.Problems = found.List
	case err != nil:
		return nil, "", err
	default:
		for _, err := range server.CheckSite(site) {
			r.Problem("site.json", "", err.Error(), "correct it")
		}
		for _, note := range site.Notes {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s: %s; %s", note.File, note.Place, note.Message, note.Fix))
		}
		code, err := l.inspectCode(ctx, site)
		if err != nil {
			return nil, "", err
		}
		if err := code.addTo(r, l.Site); err != nil {
			return nil, "", err
		}
	}
	if repair {
		l.repair(ctx, r, site)
	}
	r.CheckOthers(l.folder())
	if l.Data != "" && !l.HasData() { // the name may be mistyped
		r.Notes = append(r.Notes, fmt.Sprintf("%s: there is no data file; no content was checked", l.DataFile()))
	}
	data, who, err := l.checkData(ctx, site)
	if ctx.Err() != nil { // which is no problem of the data
		return nil, "", ctx.Err()
	}
	if err != nil {
		r.Problem(l.DataFile(), "", err.Error(), "until then the data cannot be checked")
		return r, who, nil
	}
	r.Problems, r.Notes = append(r.Problems, data.Problems...), append(r.Notes, data.Notes...)
	return r, who, nil
}

// repair repairs the data, and records in the audit log that it did. It does not write to a
// damaged file.
func (l Location) repair(ctx context.Context, r *inspect.Report, site *schema.Site) {
	before := len(r.Notes)
	r.Repair(ctx, l.folder(), site)
	if len(r.Notes) == before || r.Salvaged {
		return
	}
	e := siteEvent("data.repair", map[string]string{"notes": strconv.Itoa(len(r.Notes) - before)})
	if err := audit.NoteIn(l.DataFile(), audit.Of(byCommand(ctx, "check --repair")), e); err != nil {
		r.Problem(l.DataFile(), "", "the audit log has no line of the repair: "+err.Error(), "see what else is wrong with the file")
	}
}

// checkData checks the data. Without a site, it checks only the pages of the file.
func (l Location) checkData(ctx context.Context, site *schema.Site) (*inspect.Report, string, error) {
	return callAs(ctx, l, checkCommand, l.checkRequest(), func() (*inspect.Report, error) {
		var bucket media.Storage
		if site != nil {
			var err error
			if bucket, err = bucketOf(&site.Settings.Upload.Storage); err != nil {
				return nil, err
			}
		}
		return inspect.Unserved(ctx, l.folder(), bucket, site)
	})
}

// checkRequest asks a running server to check its data. The command supplies the site and
// the name of the data folder for the report.
type checkRequest struct{ Site, Data string }

func (l Location) checkRequest() checkRequest {
	site, err := filepath.Abs(l.Site)
	if err != nil {
		site = l.Site
	}
	return checkRequest{Site: site, Data: l.DataFolder()}
}

// checkLive checks the data of the running server while it serves reads and writes.
func (a *App) checkLive(ctx context.Context, in checkRequest) (*inspect.Report, error) {
	at := Location{Site: in.Site, Data: in.Data}
	site, err := at.Load()
	if err != nil {
		site = nil // the command reports its problems
	}
	return inspect.Served(ctx, a.db, a.at.UploadsFolder(), a.files.Bucket(), site, at.folder())
}
