package app

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"quire/app/inspect"
	"quire/media"
	"quire/media/bucket"
	"quire/schema"
	"quire/schema/settings"
	"quire/schema/source"
	"quire/store"
)

// openFiles opens the folder of uploads and, if site.json names one, the bucket.
func (l Location) openFiles(upload *settings.Upload) (*media.Folder, error) {
	files, err := media.Open(l.UploadsFolder())
	if err != nil {
		return nil, &folderError{l.UploadsFolder(), err}
	}
	places, err := placesOf(files.Disk(), &upload.Storage)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	files.SetPlaces(places)
	return files, nil
}

// BucketInUse returns the bucket that site.json uses for new files: "s3://guide/files". It
// is empty if new files go to the folder.
func (l Location) BucketInUse() (string, error) {
	site, err := l.Load()
	if problems := new(source.Problems); errors.As(err, &problems) {
		return "", nil
	}
	if err != nil || !site.Settings.Upload.Storage.InUse {
		return "", err
	}
	return site.Settings.Upload.Storage.Bucket, nil
}

// placesOf returns where site.json says that files are: in the folder or in a bucket, and
// in both while they are moved.
func placesOf(folder media.Storage, s *settings.Storage) (media.Storages, error) {
	b, err := bucketOf(s)
	switch {
	case err != nil:
		return media.Storages{}, err
	case b == nil:
		return media.Storages{Use: folder}, nil
	case s.InUse:
		return media.Storages{Use: b, Other: folder}, nil
	}
	return media.Storages{Use: folder, Other: b}, nil
}

// placesFor returns where files are for another version of the site.
func (a *App) placesFor(site *schema.Site) (media.Storages, error) {
	now, next := a.site.Settings.Upload.Storage, site.Settings.Upload.Storage
	if now == next {
		return a.files.Places(), nil
	}
	return placesOf(a.files.Disk(), &next)
}

// bucketOf returns the bucket that the settings name, whether it is in use or not; nil for
// none.
func bucketOf(s *settings.Storage) (media.Storage, error) {
	if s.Bucket == "" {
		return nil, nil
	}
	b, err := bucket.New(*s)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Files returns the files of a site by their names, wherever they are.
func (l Location) Files(ctx context.Context, site *schema.Site) (fs.FS, error) {
	folder := media.Disk(l.UploadsFolder())
	places, err := placesOf(folder, &site.Settings.Upload.Storage)
	if err != nil {
		return nil, err
	}
	return places.FS(ctx), nil
}

// sweepInterval is how often a node looks for files in a bucket that got no record, or
// could not be removed.
const sweepInterval = time.Hour

// sweepFiles removes such files if this node claimed them more than a day ago.
func (a *App) sweepFiles(ctx context.Context, now time.Time) error {
	removed, err := a.files.SweepClaims(ctx, now, func() ([]string, error) { return a.recordedFiles(ctx) })
	if removed > 0 {
		a.log.Info("files without a record were removed from the bucket", "files", removed)
	}
	return err
}

// recordedFiles returns the names of all files that have a record. A node that is cut off
// from the others cannot know them, because a record may have been stored meanwhile.
func (a *App) recordedFiles(ctx context.Context) (names []string, err error) {
	if err := a.db.Fresh(ctx); err != nil {
		return nil, err
	}
	err = a.db.View(func(tx *store.Tx) error {
		names, err = inspect.StoredFiles(tx)
		return err
	})
	return names, err
}
