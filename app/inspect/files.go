package inspect

import (
	"context"
	"path/filepath"
	"slices"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// checkFiles compares the folder of uploads, and the bucket if there is one, with the
// records of files.
func (r *Report) checkFiles(ctx context.Context, folder string, bucket media.Storage, db *store.DB) error {
	found, err := r.filesFound(ctx, folder, bucket, db)
	if err != nil {
		return err
	}
	r.files(folder, bucket, found)
	return nil
}

// checkServedFiles is checkFiles while files are added and removed: a file in progress has
// a temporary name, or fits its record when it is checked again. shown is the name of the
// folder in the report.
func (r *Report) checkServedFiles(ctx context.Context, folder, shown string, bucket media.Storage, db *store.DB) error {
	found, err := r.filesFound(ctx, folder, bucket, db)
	if err != nil || len(found.Strays)+len(found.Missing) == 0 {
		r.files(shown, bucket, found)
		return err
	}
	again, err := r.filesFound(ctx, folder, bucket, db)
	if err != nil {
		return err
	}
	gone := func(list []string) func(string) bool {
		return func(name string) bool { return media.IsTemporary(name) || !slices.Contains(list, name) }
	}
	found.Strays = slices.DeleteFunc(found.Strays, gone(again.Strays))
	found.Missing = slices.DeleteFunc(found.Missing, gone(again.Missing))
	r.files(shown, bucket, found)
	return nil
}

func (r *Report) files(folder string, bucket media.Storage, found media.Findings) {
	for _, name := range found.Missing {
		if bucket != nil {
			r.Problem(bucket.String()+"/"+name, "", "is missing, and a record names it", "bring back a former version of it, if the bucket keeps them, or delete the file through the API")
			continue
		}
		r.Problem(filepath.Join(folder, name), "", "is missing, and a record names it", "take it out of a backup (`tar --zstd -xf FILE uploads/"+name+"`), or delete the file through the API")
	}
	if len(found.Left) > 0 {
		r.note("%s: has %s older than a day that no record of this site names, such as %s; they may belong to others and are never removed", bucket, count(len(found.Left), "file", "files"), found.Left[0])
	}
	if found.Linked && len(found.Strays) > 0 {
		r.note("%s: is behind a link, and has %s that no record names, such as %s; they may belong to others and are never removed", folder, count(len(found.Strays), "file", "files"), found.Strays[0])
		return
	}
	for _, name := range found.Strays {
		r.Problem(filepath.Join(folder, name), "", "is a stray: no record names it", "run `quire check --repair`, which removes it")
	}
}

// privateFolders reports private folders whose files anybody can read, because the bucket is
// public.
func (r *Report) privateFolders(file string, site *schema.Site, tx *store.Tx) error {
	if !site.Settings.Upload.IsPublic() {
		return nil
	}
	return tx.Scan(schema.FolderUID, func(e *store.Entry) error {
		if e.Value("private").Num != 0 {
			r.Problem(file, schema.FolderUID+" "+e.DocumentID, "is private, but upload.serve in site.json says that its files are public in the bucket", `set upload.serve to "quire" or "redirect", and make the bucket private`)
		}
		return nil
	})
}

// filesFound compares a folder of files, and a bucket, with their records. If the bucket
// cannot be listed, that is a problem, and files that may be in it do not count as missing.
func (r *Report) filesFound(ctx context.Context, folder string, bucket media.Storage, db *store.DB) (found media.Findings, err error) {
	var named []string
	err = db.View(func(tx *store.Tx) error {
		named, err = StoredFiles(tx)
		return err
	})
	if err != nil {
		return found, err
	}
	if found, err = media.Check(folder, named); err != nil || bucket == nil {
		return found, err
	}
	if err := media.CheckBucket(ctx, bucket, &found, named); err != nil {
		r.Problem(bucket.String(), "", "cannot be listed: "+err.Error(), "see to the object store, its credentials and upload.storage in site.json")
		found.Missing = nil
	}
	return found, nil
}

// StoredFiles lists the names on disk of all files that have a record.
func StoredFiles(tx *store.Tx) ([]string, error) {
	var names []string
	err := tx.Scan(schema.FileUID, func(e *store.Entry) error {
		stored := StoredFile(e)
		names = append(names, stored.Names()...)
		return nil
	})
	return names, err
}

// StoredFile returns the part of a file's entry that says where it is.
func StoredFile(e *store.Entry) media.Stored {
	text := func(name string) string { return e.Value(name).Text }
	return media.Stored{Hash: text("hash"), Ext: text("ext"), Mime: text("mime"), URL: text("url"), Formats: text("formats"), ProviderMetadata: text("provider_metadata")}
}
