package app

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quire/app/listen"
	"quire/index"
)

// sortsByName reports whether the indexes include that of the names of cuisines.
func sortsByName(uses []index.Use) bool {
	return slices.ContainsFunc(uses, func(u index.Use) bool {
		return u.Type == "api::cuisine.cuisine" && u.Kind == "values" && slices.Equal(u.Path, []string{"name"})
	})
}

// A start builds the indexes that were in use. It is ready when they are built.
func TestStartBuildsIndexesInUse(t *testing.T) {
	a, _ := startGuide(t)
	ask(a, "/api/cuisines?sort=name")
	check(t, a.replaceUses())
	if err := a.rebuildAndResume(); err != nil { // as at a start, no index is built
		t.Fatal(err)
	}
	<-a.usesBefore
	if uses := a.index.Snapshot().Uses(); len(uses) != 0 {
		t.Fatalf("in use are %+v", uses)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- a.Serve(ctx, Serving{Options: listen.Options{Address: "127.0.0.1:0"}}, func(Served) {
			if status, body := ask(a, "/_ready"); status != 503 || !strings.Contains(body, "indexes") {
				t.Errorf("before the indexes are built: %d %s", status, body)
			}
			if status, body := ask(a, "/api/cuisines"); status != 200 {
				t.Errorf("a read meanwhile: %d %s", status, body)
			}
			close(begun)
		})
	}()
	<-begun
	for status := 503; status != 204; status, _ = ask(a, "/_ready") {
		runtime.Gosched()
	}
	if uses := a.index.Snapshot().Uses(); !sortsByName(uses) {
		t.Errorf("in use are %+v", uses)
	}
	cancel()
	check(t, <-ended)
	if uses := a.formerUses(); !sortsByName(uses) {
		t.Errorf("in use were %+v", uses)
	}
}

// rebuildAndResume reads the content again and serves it.
func (a *App) rebuildAndResume() error {
	return a.withoutWriter(func() error { return a.rebuildLocked(a.site) })
}

// When the content is read again while the site is served, it gets the indexes of the
// former content.
func TestIndexesOfReplacedContentAreBuilt(t *testing.T) {
	a, _ := startGuide(t)
	ask(a, "/api/cuisines?sort=name")
	check(t, a.rebuildAndResume())
	a.prepareIndexes(t.Context(), <-a.usesBefore)
	if uses := a.index.Snapshot().Uses(); !sortsByName(uses) {
		t.Errorf("in use are %+v", uses)
	}
}

// An unreadable record of indexes counts as none, and is logged.
func TestNoteOfIndexesIsBroken(t *testing.T) {
	a, log := startGuide(t)
	if uses := a.formerUses(); len(uses) != 0 || strings.Contains(log.String(), "indexes") {
		t.Errorf("in use were %+v, and the log says %s", uses, log)
	}
	for _, text := range []string{"", "{", `[{"type": 1}]`, "[" + strings.Repeat(`{"type": "api::cuisine.cuisine"},`, maxUses/20)} {
		check(t, os.WriteFile(a.at.usesFile(), []byte(text), 0o600))
		log.Reset()
		if uses := a.formerUses(); len(uses) != 0 || !strings.Contains(log.String(), "indexes.json") {
			t.Errorf("%.20q: in use were %+v, and the log says %s", text, uses, log)
		}
	}
}
