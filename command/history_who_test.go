package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/store"
)

// stamps returns the stamps of the entries of a type, by their keys.
func stamps(t *testing.T, site, uid string) map[string]store.Stamp {
	t.Helper()
	db, err := store.Open(filepath.Join(site, "data", "quire.db"), store.Options{ReadOnly: true})
	requireNil(t, err)
	defer db.Close()
	found := map[string]store.Stamp{}
	err = db.View(func(tx *store.Tx) error {
		return tx.Scan(uid, func(e *store.Entry) error {
			found[e.Key().String()] = e.Stamp
			return nil
		})
	})
	requireNil(t, err)
	return found
}

// requireStamps requires that the entries of a type have these authors and new versions.
// It returns the newest version.
func requireStamps(t *testing.T, site, uid string, after uint64, want store.Stamp) (newest uint64) {
	t.Helper()
	newest = after
	all := stamps(t, site, uid)
	for key, s := range all {
		newest = max(newest, s.Version)
		if s.Version <= after {
			t.Errorf("%s %s has version %d, and there was %d", uid, key, s.Version, after)
		}
		if s.Version = 0; s != want {
			t.Errorf("%s %s is stamped %+v, want %+v", uid, key, s, want)
		}
	}
	if len(all) == 0 {
		t.Errorf("there is no %s", uid)
	}
	return newest
}

// An import is a separate write in the history of what it changes. It keeps who created
// an entry, and sets who changed it and the version.
func TestWhoImported(t *testing.T) {
	e := edited(t)
	const path = "/api/cuisines/c0"
	succeed(t, "import", e.site, write(t, guideLines(1)))
	imported := store.Stamp{Action: store.ActionImport, CreatedBy: "command:import", UpdatedBy: "command:import"}
	version := requireStamps(t, e.site, cuisines, 0, imported)
	e.serve(t, func() { e.do("PUT", path, `{"data": {"name": "Soups"}}`) })
	changed := store.Stamp{Action: store.ActionUpdate, CreatedBy: "command:import", UpdatedBy: "token:ed"}
	version = requireStamps(t, e.site, cuisines, version, changed)
	succeed(t, "import", "--merge", e.site, write(t, guideLines(1)))
	requireStamps(t, e.site, cuisines, version, imported)
	e.serve(t, func() {
		if got := fmt.Sprint(e.pasts(path + "/history")); got != "[import by command import update by token ed import by command import]" {
			t.Errorf("its history is %s", got)
		}
		e.do("DELETE", path, "")
		made := e.do("POST", "/api/cuisines", `{"data": {"name": "Cakes"}}`)
		merged := write(t, fmt.Sprintf(`{"type": %q, "documentId": %q, "data": {"name": "Pies"}}`, cuisines, made))
		command(t, "import", "--merge", e.site, merged) // the server imports
		if got := fmt.Sprint(e.pasts("/api/cuisines/" + made + "/history")); got != "[import by command import create by token ed]" {
			t.Errorf("its history is %s", got)
		}
	})
	requireStamps(t, e.site, cuisines, version, store.Stamp{Action: store.ActionImport, CreatedBy: "token:ed", UpdatedBy: "command:import"})
}

// So do migrations, including those that move entries between locales. Values of former
// versions under a removed name are listed separately.
func TestWhoMigrated(t *testing.T) {
	e := edited(t)
	var table, etag string
	e.serve(t, func() {
		table = "/api/restaurants/" + e.do("POST", "/api/restaurants", `{"data": {"name": "Table", "slug": "table", "seats": 7, "summary": "s"}}`)
		e.do("PUT", table+"?locale=de", `{"data": {"name": "Tisch", "slug": "tisch", "summary": "s"}}`)
		etag = fmt.Sprint(e.pasts(table + "/history")[0].Revision)
	})
	version := uint64(0)
	for _, s := range stamps(t, e.site, restaurants) {
		version = max(version, s.Version)
	}
	edit(t, e.site, restaurantSchema, `"seats"`, `"places"`)
	succeed(t, "migrate", "rename", restaurants, "seats", "places", e.site)
	migrated := store.Stamp{Action: store.ActionMigrate, CreatedBy: "token:ed", UpdatedBy: "command:migrate"}
	version = requireStamps(t, e.site, restaurants, version, migrated)
	e.serve(t, func() {
		list := e.pasts(table + "/history?locale=en&status=draft")
		if got := fmt.Sprint(list); got != "[migrate by command migrate create by token ed]" {
			t.Errorf("its history is %s", got)
		}
		for i, want := range []string{`"places":7`, `"gone":["seats"]`} {
			if _, answer := e.send("GET", fmt.Sprintf("%s/history/%d?status=draft", table, list[i].Revision), ""); !strings.Contains(answer, want) {
				t.Errorf("version %d is %s, which has no %s", i, answer, want)
			}
		}
		if status, answer := e.send("PUT", table, `{"data": {"name": "Late"}}`, "If-Match", etag); status != 412 {
			t.Errorf("a write for a version from before: %d %s", status, answer)
		}
	})
	for _, turn := range [][2]string{{localizedType, plainType}, {plainType, localizedType}} {
		edit(t, e.site, restaurantSchema, turn[0], turn[1])
		succeed(t, "migrate", "localization", e.site)
		version = requireStamps(t, e.site, restaurants, version, migrated)
		if got := succeed(t, "check", e.site); !strings.HasSuffix(got, "no problems\n") {
			t.Errorf("check says\n%s", got)
		}
		for _, v := range e.allPasts(t, table) {
			if v.Current && v.String() != "migrate by command migrate" {
				t.Errorf("now it is %v", v)
			}
			if turn[1] == plainType && v.Locale != "" {
				t.Errorf("a version in the locale %q of what is not localized is shown", v.Locale)
			}
		}
	}
	if got := fmt.Sprint(e.allPasts(t, table)); !strings.HasSuffix(got, "publish by token ed update by token ed publish by token ed create by token ed]") {
		t.Errorf("after both its history is %s", got)
	}
}

// allPasts returns the history of a document, read from a server that runs only for
// that.
func (e *editor) allPasts(t *testing.T, path string) (list []past) {
	t.Helper()
	e.serve(t, func() { list = e.pasts(path + "/history") })
	return list
}

// Dropping a type removes its history, including that of documents that were deleted
// before. The history of other types stays.
func TestDroppedTypesHaveNoHistory(t *testing.T) {
	e := edited(t)
	var soups string
	e.serve(t, func() {
		soups = e.do("POST", "/api/cuisines", `{"data": {"name": "Soups"}}`)
		e.do("PUT", "/api/cuisines/"+soups, `{"data": {"name": "Cakes"}}`)
		for _, text := range []string{"One", "Two"} {
			e.do("PUT", "/api/imprint", `{"data": {"publisher": "`+text+`"}}`)
		}
		e.do("DELETE", "/api/imprint", "")
	})
	requireNil(t, os.RemoveAll(filepath.Join(e.site, "src", "api", "imprint")))
	edit(t, e.site, "site.json", "      \"api::imprint.imprint\": [\n        \"find\"\n      ],\n", "")
	succeed(t, "migrate", "drop", "api::imprint.imprint", e.site)
	db, err := store.Open(filepath.Join(e.site, "data", "quire.db"), store.Options{ReadOnly: true})
	requireNil(t, err)
	err = db.View(func(tx *store.Tx) error {
		for _, in := range []store.History{store.Replaced, store.Removed} {
			found, err := tx.HistoryFrom(in, nil, nil, 10, 0)
			if want := map[store.History]int{store.Replaced: 1}[in]; err != nil || len(found) != want || want == 1 && !bytes.Contains(found[0].Key, []byte(cuisines)) {
				t.Errorf("%d versions are kept of what was %s, %v", len(found), in, err)
			}
		}
		return nil
	})
	requireNil(t, errors.Join(err, db.Close()))
	e.serve(t, func() {
		if list := e.pasts("/api/cuisines/" + soups + "/history"); len(list) != 2 {
			t.Errorf("of the cuisine there are %v", list)
		}
	})
}
