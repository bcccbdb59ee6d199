package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/store"
	"quire/transfer/backup"
)

// filesIn lists a folder by name.
func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// backUpTimes makes scheduled backups.
func backUpTimes(t *testing.T, a *App, times int, settings settings.Backup) {
	t.Helper()
	for range times {
		check(t, a.backUpScheduled(t.Context(), settings, ""))
	}
}

// Two sites with the same content use one folder for their backups, for example because
// the backup of one was restored to the other, or because one is a copy.
func TestScheduledBackupsOfASecondSite(t *testing.T) {
	for _, test := range []struct {
		what   string
		second func(t *testing.T, first *App, second string)
	}{
		{"restored", func(t *testing.T, first *App, second string) {
			made := scheduledOf(t, first)
			restore(t, made[0].File, second)
		}},
		{"copied", func(t *testing.T, first *App, second string) {
			check(t, os.CopyFS(second, os.DirFS(first.at.Site)))
		}},
	} {
		t.Run(test.what, func(t *testing.T) {
			shared := t.TempDir()
			settings := settings.Backup{Schedule: "@daily", Folder: shared, Keep: 2}
			site := newGuide(t)
			rewrite(t, filepath.Join(site, "site.json"), `"roles"`, `"backup": {"schedule": "@daily", "folder": "`+shared+`", "keep": 2}, "roles"`)
			first := startApp(t, site, slog.New(slog.DiscardHandler))
			backUpTimes(t, first, 3, settings)
			before := filesIn(t, shared)
			if len(before) != 2 {
				t.Fatalf("the first site keeps %v", before)
			}
			site = filepath.Join(t.TempDir(), "site") // with the same name
			test.second(t, first, site)
			second := startApp(t, site, slog.New(slog.DiscardHandler))
			if made, err := second.lastBackup(); err != nil || !made.IsZero() {
				t.Errorf("the last backup of the second site was made at %v, %v", made, err)
			}
			if made, err := second.lastScheduled(settings); err != nil || !made.IsZero() {
				t.Errorf("the schedule of the second site made one at %v, %v", made, err)
			}
			backUpTimes(t, second, 3, settings)
			after := filesIn(t, shared)
			for _, name := range before {
				if !slices.Contains(after, name) {
					t.Errorf("the second site deleted %s", name)
				}
			}
			if len(after) != 4 {
				t.Errorf("both together keep %v", after)
			}
			backUpTimes(t, first, 2, settings)
			if made := scheduledOf(t, first); len(made) != 2 || len(filesIn(t, shared)) != 4 {
				t.Errorf("the first site keeps %v of %v", made, filesIn(t, shared))
			}
		})
	}
}

// An earlier version kept a list in the data file, with paths that may belong to
// another site. Nothing on the list is deleted.
func TestFormerListOfBackups(t *testing.T) {
	a, log := startGuide(t)
	other := filepath.Join(t.TempDir(), "site-20260101-030000.000.tar.zst")
	check(t, os.WriteFile(other, nil, 0o600))
	for _, stored := range []any{[]BackedUp{{File: other, Made: time.Now()}}, "no list"} {
		text, err := json.Marshal(stored)
		check(t, err)
		check(t, a.db.Update(func(tx *store.Tx) error { return tx.PutRecord(backupRecords, formerList, text) }))
		backUpTimes(t, a, 2, settings.Backup{Schedule: "@daily", Keep: 1})
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if strings.Count(log.String(), "no longer deletes") != 1 || !strings.Contains(log.String(), other) {
		t.Errorf("the log: %s", log)
	}
	var list []BackedUp
	if err := readRecord(a.db, formerList, &list); err != nil || list != nil {
		t.Errorf("the list is still there: %v, %v", list, err)
	}
	if made := scheduledOf(t, a); len(made) != 1 {
		t.Errorf("there are %v", made)
	}
}

// A backup counts as a scheduled one only if its name, its kind and its contents say
// so.
func TestWhichBackupsAreOfTheSchedule(t *testing.T) {
	a, _ := startGuide(t)
	settings := settings.Backup{Schedule: "@daily", Keep: 1}
	backUpTimes(t, a, 1, settings)
	made := scheduledOf(t, a)[0]
	folder := filepath.Dir(made.File)
	text, err := os.ReadFile(made.File)
	check(t, err)
	id := made.Folder
	byCommand := filepath.Join(folder, "site-"+id+"-20200101-000000.003.tar.zst")
	if _, _, err := (Location{Site: copyOf(t, a)}).BackUp(t.Context(), &Backing{File: byCommand}); err != nil {
		t.Fatal(err)
	}
	others := map[string][]byte{
		"my-own.tar.zst": text,
		"site-" + strings.Repeat("0", len(id)) + "-20200101-000000.000.tar.zst": text,
		"site-" + id + "-20200101-000000.000.tar.zst.old":                       text,
		"site-" + id + "-yesterday.tar.zst":                                     text,
		"site-" + id + "-20200101-000000.001.tar.zst":                           []byte("something else"),
		"site-" + id + "-20200101-000000.002.tar.zst":                           text[:20],
	}
	for name, text := range others {
		check(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	link := "site-" + id + "-20200101-000000.004.tar.zst"
	check(t, os.Symlink(made.File, filepath.Join(folder, link)))
	backUpTimes(t, a, 2, settings)
	left := filesIn(t, folder)
	for _, name := range append(slices.Collect(maps.Keys(others)), filepath.Base(byCommand), link) {
		if !slices.Contains(left, name) {
			t.Errorf("%s was deleted", name)
		}
	}
	if len(left) != len(others)+3 {
		t.Errorf("there are %v", left)
	}
}

// copyOf copies a site, and its data file through a backup.
func copyOf(t *testing.T, a *App) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "copy")
	restore(t, scheduledOf(t, a)[0].File, site)
	return site
}

// restore creates a starter site with the data of a backup.
func restore(t *testing.T, file, site string) {
	t.Helper()
	check(t, writeGuide(site))
	if _, err := backup.Restore(t.Context(), file, Location{Site: site}.DataFolder(), false, nil); err != nil {
		t.Fatal(err)
	}
}

// The new backup stays, whatever the clock says.
func TestRetireKeepsTheNewBackup(t *testing.T) {
	a, _ := startGuide(t)
	settings := settings.Backup{Schedule: "@daily", Keep: 1}
	backUpTimes(t, a, 1, settings)
	made := scheduledOf(t, a)[0]
	future := filepath.Join(filepath.Dir(made.File), "site-"+made.Folder+"-"+time.Now().UTC().AddDate(1, 0, 0).Format(scheduledTime)+scheduledEnd)
	check(t, os.Rename(made.File, future))
	backUpTimes(t, a, 1, settings)
	all := scheduledOf(t, a)
	if len(all) != 1 || all[0].File == future {
		t.Errorf("there are %v", all)
	}
	if _, err := backup.Verify(t.Context(), all[0].File); err != nil {
		t.Error(err)
	}
}

// A data folder keeps its id as long as it stays in its place, whatever path leads to
// it. A file without a valid id is replaced.
func TestFolderID(t *testing.T) {
	site := newGuide(t)
	p := Location{Site: site}
	check(t, os.Mkdir(p.DataFolder(), 0o700))
	if id, err := p.id(); id != "" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	first, err := p.ownID()
	if err != nil || len(first) != 12 {
		t.Fatalf("%q, %v", first, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	check(t, os.Symlink(site, link))
	if again, err := (Location{Site: link}).ownID(); again != first || err != nil {
		t.Errorf("%q became %q, %v", first, again, err)
	}
	text, err := os.ReadFile(p.idFile())
	check(t, err)
	for _, bad := range [][]byte{nil, []byte("{"), []byte("[]"), bytes.Replace(text, []byte("site"), []byte("seat"), 1)} {
		check(t, os.WriteFile(p.idFile(), bad, 0o600))
		if id, err := p.id(); id != "" || err != nil {
			t.Errorf("%s: %q, %v", bad, id, err)
		}
		if id, err := p.ownID(); len(id) != 12 || id == first || err != nil {
			t.Errorf("%s: %q, %v", bad, id, err)
		}
	}
}
