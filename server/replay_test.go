package server_test

import (
	"net/http"
	"testing"

	"quire/schema"
	"quire/test/replay"
)

// TestReplay sends the requests of the recorded suites, each to an empty site, and
// compares the responses. testdata/suites/README.md says what is compared.
func TestReplay(t *testing.T) {
	for _, name := range replay.Suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, tokens := openTokens(t, folderOfSuite(t, name), siteOfSuite(t, name))
			s := replaying(site, tokens)
			for number, step := range readSuite(t, name) {
				for _, row := range s.Replay(step) {
					t.Errorf("#%d %s %s (%s): %s", number, step.Method, step.Path, step.Caller(), row)
				}
			}
		})
	}
}

// siteOfSuite returns the site that a suite is for.
func siteOfSuite(t *testing.T, name string) *schema.Site {
	t.Helper()
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = replay.HasGraphQL(name)
	return site
}

// folderOfSuite returns a data folder with the initial content of a suite.
func folderOfSuite(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	if name == replay.Imported {
		importGuide(t, folder)
	}
	return folder
}

func replaying(site http.Handler, tokens map[string]string) *replay.Session {
	return replay.NewSession("../testdata", site, tokens)
}

func readSuite(t *testing.T, name string) []replay.Step {
	t.Helper()
	steps, err := replay.Read("../testdata", name)
	check(t, err)
	return steps
}
