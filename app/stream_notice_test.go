package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/store"
	"quire/transfer/stream"
)

// There is one mail when the stream has stopped for a minute, is too far behind or has ended,
// and one when it goes on. A target that comes and goes does not fill anybody's mailbox.
func TestMailsAboutTheStream(t *testing.T) {
	well := &stream.SenderStatus{Target: "the folder copy"}
	away := &stream.SenderStatus{Target: "the folder copy", Problem: "the target is away", Queued: 7, MayQueue: 9, Behind: 3}
	slow := &stream.SenderStatus{Behind: 61}
	full := &stream.SenderStatus{Gap: "the queue is full", Problem: "the target is away"}
	ended := &stream.SenderStatus{Ended: true, Problem: "another server writes there"}
	for name, steps := range map[string][]struct {
		at   time.Duration
		s    *stream.SenderStatus
		want string
	}{
		"all is well":       {{0, well, ""}, {time.Hour, well, ""}},
		"away":              {{0, away, ""}, {59 * time.Second, away, ""}, {60 * time.Second, away, "has stopped"}, {2 * time.Hour, away, ""}, {3 * time.Hour, well, "goes on"}, {4 * time.Hour, well, ""}},
		"a short trouble":   {{0, away, ""}, {30 * time.Second, well, ""}, {40 * time.Second, away, ""}, {90 * time.Second, away, ""}, {100 * time.Second, away, "has stopped"}},
		"too slow":          {{0, slow, ""}, {time.Minute, slow, "has stopped"}},
		"the queue is full": {{0, full, ""}, {time.Minute, full, "has stopped"}},
		"ended":             {{0, ended, "has stopped"}, {time.Second, ended, ""}},
		"comes and goes":    {{0, away, ""}, {time.Minute, away, "has stopped"}, {2 * time.Minute, well, "goes on"}, {3 * time.Minute, away, ""}, {5 * time.Minute, away, ""}, {61 * time.Minute, away, "has stopped"}},
	} {
		var n streamNotices
		begin := time.Now()
		for _, step := range steps {
			subject, text := n.due(step.s, begin.Add(step.at))
			if (subject == "") != (step.want == "") || !strings.HasSuffix(subject, step.want) || step.s.Problem != "" && step.s.Gap == "" && step.want == "has stopped" && !strings.Contains(text, step.s.Problem) {
				t.Errorf("%s: after %v there is a mail %q: %q, want %q", name, step.at, subject, text, step.want)
			}
		}
	}
}

// The mail goes to the accounts that may run the site, and to nobody if none is set up.
func TestOperatorsGetMail(t *testing.T) {
	t.Setenv("SMTP_URL", "smtp://127.0.0.1:1")
	site := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(filepath.Join(site, "site.json"), []byte(`{"mail": {"from": "guide@example.org"}}`), 0o600))
	a := startApp(t, site, slog.New(slog.DiscardHandler))
	check(a.mailOperators("The stream has stopped", "Look at it."))
	waiting := func() (list []string) {
		check(a.db.View(func(tx *store.Tx) error {
			parcels, err := tx.Parcels("mail")
			for _, p := range parcels {
				list = append(list, string(p.Body))
			}
			return err
		}))
		return list
	}
	if list := waiting(); len(list) > 0 {
		t.Fatalf("nobody runs the site, and gets %q", list)
	}
	for name, role := range map[string]string{"ana": "owner", "eve": "editor"} {
		_, err := a.doAdmin(byCommand(t.Context(), "admin create"), "admin create", json.RawMessage(fmt.Sprintf(`{"name": %q, "email": "%s@example.org", "role": %q, "password": "correct horse battery"}`, name, name, role)))
		check(err)
	}
	check(a.mailOperators("The stream has stopped", "Look at it."))
	if list := waiting(); len(list) != 1 || !strings.Contains(list[0], "ana@example.org") || !strings.Contains(list[0], "The stream has stopped") {
		t.Errorf("waiting: %q", list)
	}
}
