package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) (db *store.DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	db, err := store.Open(path, store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db, path
}

func ada() *Source {
	return &Source{By: store.ActorOf(store.ByAdmin, "a1"), Name: "ada@example.org", From: netip.MustParseAddr("192.0.2.7"), Way: ByAdmin}
}

func note(t *testing.T, l *Log, by *Source, action, target string) {
	t.Helper()
	check(t, l.Note(by, Event{Action: action, Target: Target{Type: "account", ID: target}}))
}

func texts(t *testing.T, l *Log, q Query) (lines []string) {
	t.Helper()
	check(t, Export(func(from uint64) (Lines, error) { return l.Read(q, from) }, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	}))
	return lines
}

// A line says who, from where, what and how it ended, and is numbered.
func TestLine(t *testing.T) {
	db, _ := open(t, "quire.db")
	l := NewLog(db)
	note(t, l, ada(), "account.create", "b2")
	check(t, l.Note(nil, Event{Action: "data.backup", Target: Target{Type: "site"}, Details: map[string]string{"file": "a.tar.zst", "none": ""}}))
	lines := texts(t, l, Query{})
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), lines)
	}
	for i, want := range []string{
		`"by":{"kind":"admin","id":"a1","name":"ada@example.org"},"way":"admin","from":"192.0.2.7","action":"account.create","target":{"type":"account","id":"b2"},"outcome":"done"}`,
		`"by":{"kind":"server"},"way":"server","action":"data.backup","target":{"type":"site"},"outcome":"done","details":{"file":"a.tar.zst"}}`,
	} {
		if !strings.HasPrefix(lines[i], fmt.Sprintf(`{"number":%d,"at":"`, i+1)) || !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d: %s", i, lines[i])
		}
	}
}

// Long texts are cut, at the end of a character.
func TestLongTexts(t *testing.T) {
	db, _ := open(t, "quire.db")
	l := NewLog(db)
	details := map[string]string{}
	for i := range 50 {
		details[fmt.Sprint(i)] = strings.Repeat("ü", 2000)
	}
	by := ada()
	by.Name = strings.Repeat("ü", 2000)
	check(t, l.Note(by, Event{Action: strings.Repeat("a", 9000), Target: Target{Type: "x", Name: strings.Repeat("n", 9000)}, Details: details}))
	line := texts(t, l, Query{})[0]
	if len(line) > 10_000 || strings.ContainsRune(line, '�') || !strings.Contains(line, "…") {
		t.Errorf("%d bytes: %.300s", len(line), line)
	}
}

// The newest lines come first, in pages, and only those that are meant.
func TestBack(t *testing.T) {
	db, _ := open(t, "quire.db")
	l := NewLog(db)
	for i := range 10 {
		action := "account.update"
		if i%2 == 1 {
			action = "content.publish"
		}
		note(t, l, ada(), action, fmt.Sprint("id", i))
	}
	note(t, l, &Source{Way: ByAdmin}, "account.update", "strange")
	page, err := l.Back(Query{By: "ADA@", Action: "account."}, 0, 3)
	check(t, err)
	if len(page.Events) != 3 || page.Events[0].Number != 9 || page.Events[2].Number != 5 || page.Next != 5 {
		t.Fatalf("the first page: %+v", page)
	}
	page, err = l.Back(Query{By: "ADA@", Action: "account."}, page.Next, 3)
	check(t, err)
	if len(page.Events) != 2 || page.Events[1].Number != 1 || page.Next != 0 {
		t.Fatalf("the second page: %+v", page)
	}
	for _, q := range []Query{{Target: "ID7"}, {Target: "strange"}, {Until: time.Now().Add(-time.Hour), Action: "x"}} {
		page, err = l.Back(q, 0, 20)
		check(t, err)
		want := 1
		if q.Action != "" {
			want = 0
		}
		if len(page.Events) != want || len(texts(t, l, q)) != want {
			t.Errorf("%+v: %+v", q, page.Events)
		}
	}
	if page, err = l.Back(Query{Since: time.Now().Add(time.Hour)}, 0, 20); err != nil || len(page.Events) > 0 || page.Next != 0 {
		t.Errorf("of the future: %+v, %v", page, err)
	}
}

// Strangers and refusals have a share of their own: however many there are, what was done
// stays, and the log stays within its bounds.
func TestBounds(t *testing.T) {
	db, _ := open(t, "quire.db")
	l := NewLog(db)
	note(t, l, ada(), "account.create", "first")
	long := map[string]string{}
	for i := range mostDetails {
		long[fmt.Sprint(i)] = strings.Repeat("x", longestDetail)
	}
	const lines = MostRefusedBytes/(mostDetails*longestDetail) + 200
	for i := range lines / 100 {
		check(t, db.Update(func(tx *store.Tx) error {
			for range 100 {
				by := []*Source{{Way: ByAdmin}, ada(), {By: store.ByPublic, Way: ByAPI}}[i%3]
				if err := Note(tx, by, Event{Action: "session.begin", Outcome: []Outcome{Done, Refused, Done}[i%3], Details: long}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	check(t, db.View(func(tx *store.Tx) error {
		held := uint64(0)
		for _, s := range shares() {
			n := uint64(0)
			check(t, tx.RecordsFrom(s.bucket, "", "", func(_ string, line []byte) bool { n += uint64(len(line)); return true }))
			if n != tx.Sequence(s.bytes()) || n > s.most {
				t.Errorf("%s holds %d bytes, and counts %d", s.bucket, n, tx.Sequence(s.bytes()))
			}
			held += n
		}
		if held < MostRefusedBytes/2 {
			t.Errorf("only %d bytes are kept", held)
		}
		return nil
	}))
	all := texts(t, l, Query{})
	if !strings.Contains(all[0], `"first"`) || len(all) > lines || !strings.Contains(all[1], `"session.begin"`) || strings.HasPrefix(all[1], `{"number":2,`) {
		t.Errorf("%d lines, of which the first are %.200s and %.200s", len(all), all[0], all[1])
	}
}

// Whatever an account writes, and however much, stays apart from what changed access.
func TestWorkIsApart(t *testing.T) {
	for action, want := range map[string]string{
		"content.update": workBucket, "session.begin": workBucket, "account.profile": workBucket, "PUT /somewhere": workBucket,
		"account.create": doneBucket, "role.update": doneBucket, "token.revoke": doneBucket, "user.role": doneBucket,
		"data.restore": doneBucket, "settings.change": doneBucket, "webhook.create": doneBucket, "site.backup": doneBucket,
	} {
		if got := shareOf(&Event{Action: action, Outcome: Done}, ada()); got.bucket != want {
			t.Errorf("%s is in %s", action, got.bucket)
		}
	}
	if got := shareOf(&Event{Action: "account.create", Outcome: Refused}, ada()); got.bucket != refusedBucket {
		t.Errorf("a refusal is in %s", got.bucket)
	}
}

// What is older than the site keeps it goes; numbers are not used twice.
func TestTrim(t *testing.T) {
	db, _ := open(t, "quire.db")
	l := NewLog(db)
	for i := range 5 {
		note(t, l, []*Source{ada(), {Way: ByAPI}}[i%2], "account.update", "x")
	}
	later := time.Now().Add(time.Minute)
	check(t, db.Update(func(tx *store.Tx) error {
		if old, err := Expired(tx, time.Now().Add(-time.Minute)); old || err != nil {
			t.Errorf("expired: %v, %v", old, err)
		}
		if more, err := Trim(tx, later, 1); !more || err != nil {
			t.Errorf("more: %v, %v", more, err)
		}
		more, err := Trim(tx, later, 10)
		if more || err != nil {
			t.Errorf("more: %v, %v", more, err)
		}
		return err
	}))
	note(t, l, ada(), "account.update", "next")
	if lines := texts(t, l, Query{}); len(lines) != 1 || !strings.HasPrefix(lines[0], `{"number":6,`) {
		t.Errorf("left: %s", lines)
	}
}

// A line that was not committed is not there, and its number is given to the next.
func TestRefusedTransaction(t *testing.T) {
	db, _ := open(t, "quire.db")
	_ = db.Update(func(tx *store.Tx) error {
		check(t, Note(tx, ada(), Event{Action: "lost"}))
		return fmt.Errorf("refused")
	})
	l := NewLog(db)
	note(t, l, ada(), "kept", "x")
	if lines := texts(t, l, Query{}); len(lines) != 1 || !strings.HasPrefix(lines[0], `{"number":1,`) {
		t.Errorf("%s", lines)
	}
}

// A file that takes the place of another has the lines of both.
func TestCarry(t *testing.T) {
	for _, test := range []struct {
		name string
		same bool // the beginning of the log is that of a backup
		want []string
	}{
		{"a backup", true, []string{"1 a", "2 b", "3 c"}},
		{"another site", false, []string{"1 z", "2 a", "3 b", "4 c"}},
	} {
		db, path := open(t, "quire.db")
		l := NewLog(db)
		note(t, l, ada(), "a", "x")
		other, to := open(t, "restored.db")
		if test.same {
			check(t, other.Close())
			var copied bytes.Buffer
			_, err := db.Backup(&copied)
			check(t, err)
			to += ".copy"
			check(t, writeFile(to, copied.Bytes()))
		} else {
			note(t, NewLog(other), nil, "z", "x")
			check(t, other.Close())
		}
		note(t, l, &Source{Way: ByAPI}, "b", "x")
		note(t, l, ada(), "c", "x")
		check(t, db.Close())
		check(t, Carry(to, path))
		check(t, Carry(to, path+".none"))
		got := actionsIn(t, to)
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// actionsIn lists the lines of a data file: their numbers and actions.
func actionsIn(t *testing.T, path string) (list []string) {
	t.Helper()
	db, err := store.Open(path, store.Options{})
	check(t, err)
	for _, line := range texts(t, NewLog(db), Query{}) {
		var e Event
		check(t, json.Unmarshal([]byte(line), &e))
		list = append(list, fmt.Sprint(e.Number, " ", e.Action))
	}
	check(t, db.Close())
	return list
}

// A backup is known for one also where its last lines have gone since, those of strangers
// sooner than others: no line is there twice.
func TestCarryAfterLinesHaveGone(t *testing.T) {
	for _, test := range []struct {
		name string
		gone []uint64
		want string
	}{
		{"the last", []uint64{2}, "[1 a 2 stranger 3 b]"},
		{"all of the backup", []uint64{1, 2}, "[1 a 2 stranger 3 b]"},
	} {
		db, path := open(t, "quire.db")
		l := NewLog(db)
		note(t, l, ada(), "a", "x")
		note(t, l, &Source{Way: ByAPI}, "stranger", "x")
		var copied bytes.Buffer
		_, err := db.Backup(&copied)
		check(t, err)
		to := path + ".copy"
		check(t, writeFile(to, copied.Bytes()))
		check(t, db.Update(func(tx *store.Tx) error {
			for _, n := range test.gone {
				for _, s := range shares() {
					check(t, tx.DeleteRecord(s.bucket, key(n)))
				}
			}
			return nil
		}))
		note(t, l, ada(), "b", "x")
		check(t, db.Close())
		check(t, Carry(to, path))
		got := actionsIn(t, to)
		if fmt.Sprint(got) != test.want {
			t.Errorf("after %s: %q, want %s", test.name, got, test.want)
		}
	}
}

// The log for operators has each line once, when it is stored.
func TestFollow(t *testing.T) {
	db, _ := open(t, "quire.db")
	var out bytes.Buffer
	stop := Follow(db, slog.New(slog.NewTextHandler(&out, nil)))
	l := NewLog(db)
	check(t, l.Note(ada(), Event{Action: "account.update", Target: Target{Type: "account", Name: "bob@example.org"}, Details: map[string]string{"role": "owner"}}))
	check(t, l.Note(&Source{Way: ByAdmin}, Event{Action: "session.begin", Outcome: Refused}))
	stop()
	note(t, l, ada(), "after", "x")
	got := out.String()
	for _, want := range []string{
		`level=INFO msg=audit number=1 action=account.update outcome=done by="admin ada@example.org" way=admin from=192.0.2.7 target="account bob@example.org" details.role=owner`,
		`level=WARN msg=audit number=2 action=session.begin outcome=refused by=public way=admin`,
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "after") {
		t.Error("it is still followed")
	}
}

func writeFile(path string, text []byte) error { return os.WriteFile(path, text, 0o600) }
