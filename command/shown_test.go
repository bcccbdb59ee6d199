package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notRun are the beginnings of commands that are not run here, with the reasons. Their
// command lines are checked anyway.
var notRun = []struct{ begins, reason string }{
	{"cluster ", "needs etcd; test/cluster runs it"},
	{"serve --domain", "needs a public name; app/listen tests it"},
	{"serve --listen 127.0.0.1:8443", "needs a certificate; tls_test.go has one"},
	{"serve --listen 10.", "needs that address"},
	{"media move", "needs an object store; test/objects runs it"},
	{"restore --download --from", "needs another server; pull_test.go has one"},
	{"restore --replace --from", "needs another server; pull_test.go has one"},
	{"restore --list", "needs a stream; past_test.go has one"},
	{"restore --replace --at", "needs a stream; past_test.go has one"},
	{"serve --at", "needs a stream; past_test.go has one"},
	{"restore --data new", "goes on to an object store and etcd"},
	{"webhook resend", "needs a delivery; the tests of webhooks have one"},
	{"query --as public restaurants/", "names a document of the reader"},
	{"token create --name me --type full-access --data /var/lib", "needs the folders of a service"},
	{"status --data /var/lib", "needs the folders of a service"},
	{"serve --follow", "needs a leader"},
	{"promote", "needs a follower"},
	{"diff --at", "needs changes from before a moment; diff_test.go has them"},
	{"push", "needs two sites that were the same; push_test.go has them"},
	{"token create --name edge --type custom --permission plugin::quire.backups.read --data /var/lib", "needs the folders of a service"},
}

// TestEveryShownCommandWorks runs each command of quire that a page shows, in the order
// of the page, on the sites of the page.
func TestEveryShownCommandWorks(t *testing.T) {
	guide, ran := guideSite(t), 0
	repository, err := filepath.Abs("..")
	requireNil(t, err)
	for _, page := range pagesWithCommands(t) {
		t.Run(page, func(t *testing.T) {
			if page == "docs/cluster.md" && len(clusterCommands()) == 0 {
				t.Skip("needs the tag cluster")
			}
			commands := shownIn(t, page)
			if len(commands) == 0 {
				return
			}
			for _, s := range commands {
				checkLine(t, s)
			}
			enterSites(t, page, guide, repository)
			for _, s := range commands {
				if !isNotRun(s) {
					runShown(t, s)
					ran++
				}
			}
		})
	}
	if ran < 50 {
		t.Errorf("%d commands ran: where are the others?", ran)
	}
}

// pagesWithCommands returns the pages for users, as paths from the top of the repository.
func pagesWithCommands(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"README.md", "docs/*.md", "deploy/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, path := range found {
			pages = append(pages, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		}
	}
	return pages
}

// checkLine requires that the command exists, with the flags and the number of arguments
// on the page.
func checkLine(t *testing.T, s shown) {
	t.Helper()
	c, rest, err := newRoot().Find(s.args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if help, _ := c.Flags().GetBool("help"); help {
		return
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err == nil {
		err = c.ValidateRequiredFlags()
	}
	if err != nil {
		t.Errorf("%s:%d: %s: %v", s.page, s.line, s, err)
	}
}

// isNotRun reports whether a command is one of notRun.
func isNotRun(s shown) bool {
	line := strings.Join(s.args, " ") + " "
	for _, n := range notRun {
		if strings.HasPrefix(line, n.begins) {
			return true
		}
	}
	return false
}

// runShown runs a command. A server is started, and stopped once it serves.
func runShown(t *testing.T, s shown) {
	t.Helper()
	for _, pair := range s.env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	if prepare := beforeShown[s.page+": "+strings.Join(s.args, " ")]; prepare != nil {
		prepare(t)
	}
	wants := wantedExit[s.page+": "+strings.Join(s.args, " ")]
	if s.args[0] == "serve" && wants == 0 {
		args := slices.DeleteFunc(slices.Clone(s.args), func(arg string) bool { return arg == "--watch" })
		begin(t, append(args, "--listen", "127.0.0.1:0")...).end()
		return
	}
	if s.args[0] == "demo" {
		begin(t, append(slices.Clone(s.args), "--listen", "127.0.0.1:0")...).end()
		return
	}
	if code, stdout, stderr := command(t, s.args...); code != wants {
		t.Errorf("%s:%d: %s: exit %d, want %d\n%s%s", s.page, s.line, s, code, wants, stdout, stderr)
	}
}
