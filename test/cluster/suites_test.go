//go:build cluster

package cluster

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"quire/test/replay"
)

// Several nodes answer what Strapi answered, whichever of them gets a request: each goes
// to another one than the one before. Afterwards all have the same content.
func TestSuites(t *testing.T) {
	t.Parallel()
	members, store := startMembers(t, 3), startStore(t)
	for _, name := range replay.Suites {
		t.Run(name, func(t *testing.T) {
			if replay.HasGraphQL(name) {
				t.Skip("GraphQL is off in the site of these nodes")
			}
			steps, err := replay.Read(testdata, name)
			check(t, err)
			archive := ""
			if name == replay.Imported {
				archive = filepath.Join(testdata, "export", "guide.tar.gz")
			}
			uploads := slices.ContainsFunc(steps, func(s replay.Step) bool { return s.Files != nil })
			if store == nil && (uploads || archive != "") {
				t.Skip("it has files, and there is no versitygw, an object store that all nodes reach")
			}
			s := begin(t, members, name, 3, layout{upload: uploadOf(store, name), archive: archive})
			s.replay(steps, s.handler())
			s.endAlike()
		})
	}
}

// replay sends the steps of a suite and compares the answers.
func (s *site) replay(steps []replay.Step, to http.Handler) {
	s.t.Helper()
	session := replay.NewSession(testdata, to, map[string]string{"full": s.token, "readonly": s.readonly})
	for number, step := range steps {
		for _, row := range session.Replay(step) {
			s.t.Errorf("#%d %s %s (%s): %s", number, step.Method, step.Path, step.Caller(), row)
		}
	}
}
