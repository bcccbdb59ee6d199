package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// beforeSite are the arguments of each command before the site folder, and the flags that
// it needs.
var beforeSite = map[string]string{
	"admin create":         "--name Ana --email ana@example.org",
	"admin list":           "",
	"admin remove":         "ana@example.org",
	"admin reset":          "ana@example.org",
	"assistant create":     "--account ana@example.org --name Claude",
	"assistant list":       "",
	"assistant end":        "Claude",
	"audit":                "",
	"backup":               "new.tar.zst",
	"check":                "",
	"compact":              "",
	"console":              "",
	"diff":                 "lines.ndjson",
	"export":               "new.tar.gz",
	"health":               "",
	"hook secret":          "",
	"import":               "lines.ndjson",
	"mcp":                  "",
	"media move":           "--to folder",
	"migrate convert":      "",
	"migrate drop":         "api::dish.dish name",
	"migrate format":       "",
	"migrate localization": "",
	"migrate plan":         "",
	"migrate rename":       "api::dish.dish title name",
	"migrate rename-type":  "api::dish.dish api::meal.meal",
	"openapi":              "",
	"promote":              "",
	"push":                 ".",
	"query":                "cuisines",
	"restore":              "old.tar.zst",
	"role list":            "",
	"role show":            "public",
	"routes":               "",
	"serve":                "--listen 127.0.0.1:0",
	"status":               "",
	"token create":         "--name a --type read-only",
	"token list":           "",
	"token revoke":         "a",
	"types":                "",
	"graphql-schema":       "",
	"undo":                 "--by token:a --since 1h",
	"user block":           "ana",
	"user create":          "--username ana --email ana@example.org",
	"user delete":          "ana",
	"user list":            "",
	"user reset-link":      "ana",
	"user set-role":        "ana public",
	"user sign-out":        "ana",
	"user unblock":         "ana",
	"webhook deliveries":   "deploy",
	"webhook list":         "",
	"webhook resend":       "deploy 7",
	"webhook secret":       "deploy",
	"webhook test":         "deploy",
}

// withoutSite are the commands that need no site folder, or create one.
var withoutSite = []string{"adopt", "cluster drop", "cluster member", "cluster remove", "cluster status", "completion", "demo", "new", "version"}

// Every command takes the site folder as its last argument, shows that in its usage, and
// names a missing folder.
func TestSiteIsTheLastArgument(t *testing.T) {
	lines := write(t, "")
	t.Chdir(filepath.Dir(lines)) // a folder without other files
	for _, c := range commandsWithSite(newRoot()) {
		name := strings.TrimPrefix(c.CommandPath(), "quire ")
		if !strings.HasSuffix(c.Use, " [SITE]") {
			t.Errorf("the usage of quire %s does not end in [SITE]: %s", name, c.Use)
		}
		if strings.HasPrefix(name, "cluster ") {
			continue // it asks etcd first
		}
		before, known := beforeSite[name]
		if !known {
			t.Errorf("quire %s is not among the commands that take a site", name)
			continue
		}
		args := append(strings.Fields(name+" "+before), filepath.Join("no", "such-site"))
		code, stdout, stderr := command(t, args...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, filepath.Join("no", "such-site")) {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q", strings.Join(args, " "), code, stdout, stderr)
		}
	}
}

// commandsWithSite returns the commands that work on a site folder.
func commandsWithSite(c *cobra.Command) (list []*cobra.Command) {
	for _, child := range c.Commands() {
		list = append(list, commandsWithSite(child)...)
	}
	name := strings.TrimPrefix(c.CommandPath(), "quire ")
	for _, other := range withoutSite {
		if name == other || strings.HasPrefix(name, other+" ") {
			return list
		}
	}
	if !c.HasSubCommands() {
		list = append(list, c)
	}
	return list
}

// Commands with files take them before the site. They also take them after it, as in
// earlier versions.
func TestFilesStandBeforeTheSite(t *testing.T) {
	site, folder := newGuide(t), t.TempDir()
	lines := write(t, `{"type": "api::cuisine.cuisine", "documentId": "k4hxw0ou2mv3ta9c1b8dzqeg", "data": {"name": "Soup"}}`)
	succeed(t, "import", lines, site)
	succeed(t, "import", "--merge", site, lines)
	for i, args := range [][]string{
		{"export", filepath.Join(folder, "0.tar.gz"), site},
		{"export", site, filepath.Join(folder, "1.tar.gz")},
		{"export", "--ndjson", site, "-"},
		{"export", "--ndjson", "-", site},
		{"backup", filepath.Join(folder, "0.tar.zst"), site},
		{"backup", site, filepath.Join(folder, "1.tar.zst")},
	} {
		if code, _, stderr := command(t, args...); code != 0 {
			t.Errorf("%d: %s", i, stderr)
		}
	}
	t.Chdir(site)
	succeed(t, "backup", filepath.Join(folder, "2.tar.zst"))
	succeed(t, "restore", "--replace", filepath.Join(folder, "2.tar.zst"))
	if got := succeed(t, "status", "--json"); !strings.Contains(got, `"type": "api::cuisine.cuisine",`) {
		t.Error(got)
	}
}
