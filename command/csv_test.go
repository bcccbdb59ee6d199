package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// csvFile writes a table to a file.
func csvFile(t *testing.T, text string) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "cuisines.csv")
	requireNil(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

const twoCuisines = "documentId,name\naaaaaaaaaaaaaaaaaaaaaaaa,Soup\nbbbbbbbbbbbbbbbbbbbbbbbb,\"Bread, and more\"\n"

// A table can be imported and exported by every name of its type, with and without a
// running server.
func TestTablesInAndOut(t *testing.T) {
	site := newGuide(t)
	file := csvFile(t, twoCuisines)
	if got := succeed(t, "import", "--csv", "--type", "cuisine", file, site); !strings.Contains(got, "2  api::cuisine.cuisine") {
		t.Error(got)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	changed := csvFile(t, strings.Replace(twoCuisines, "Soup", "Soups", 1))
	succeed(t, "import", "--csv", "--type", "api::cuisine.cuisine", "--merge", changed, site)
	out := succeed(t, "export", "--csv", "--type", "cuisines", "--quiet", "-", site)
	p.end()
	if !strings.HasPrefix(out, "documentId,name") || !strings.Contains(out, "\nbbbbbbbbbbbbbbbbbbbbbbbb,\"Bread, and more\"") || !strings.Contains(out, ",Soups") {
		t.Error(out)
	}
	table := filepath.Join(t.TempDir(), "out.csv")
	succeed(t, "export", "--csv", "--type", "cuisine", table, site)
	if read(t, table) != out {
		t.Error("the file is not what standard output was")
	}
}

// A dry run reports errors by line and column, or what would be imported, and changes
// nothing.
func TestDryRunOfAnImport(t *testing.T) {
	site := newGuide(t)
	succeed(t, "import", write(t, bread), site)
	look := func() string { return succeed(t, "export", "--ndjson", "--quiet", "-", site) }
	before := look()
	if got := succeed(t, "import", "--csv", "--type", "cuisine", "--dry-run", csvFile(t, "name\nSoup\nRice\n"), site); !strings.HasSuffix(got, "2  api::cuisine.cuisine\nnothing was imported: this was a dry run\n") {
		t.Error(got)
	}
	var shown transfer
	requireNil(t, json.Unmarshal([]byte(succeed(t, "import", "--json", "--dry-run", write(t, strings.ReplaceAll(soup, "NAME", "Soup")), site)), &shown))
	if !shown.DryRun || len(shown.Taken) != 1 || shown.Taken[0].Count != 1 {
		t.Errorf("%+v", shown)
	}
	for _, test := range []struct{ table, kind, want string }{
		{"name,seats\nSoup,many\nRice,12\nBread,1.2.3\n", "restaurant", "cuisines.csv, line 2: column seats: \"many\" is not a number; write it as in 12 or -1.5\n"},
		{"documentId,name\nbbbbbbbbbbbbbbbbbbbbbbbb,Bread\n", "cuisine", "cuisines.csv, line 2: the site already has the document bbbbbbbbbbbbbbbbbbbbbbbb; a merge changes it"},
		{"name\nx\n", "restaurant", "cuisines.csv, line 2: name must be at least 2 characters"},
	} {
		code, stdout, stderr := command(t, "import", "--csv", "--dry-run", "--type", test.kind, csvFile(t, test.table), site)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, test.want) || !strings.Contains(stderr, "nothing was imported") {
			t.Errorf("%q: exit %d, %s%s", test.table, code, stdout, stderr)
		}
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	succeed(t, "import", "--csv", "--type", "cuisine", "--dry-run", csvFile(t, "name\nSoup\n"), site)
	p.end()
	if after := look(); after != before {
		t.Errorf("the content is %s and was %s", after, before)
	}
}

// A column can name linked documents by a unique attribute.
func TestTableWithLinksByName(t *testing.T) {
	site := newGuide(t)
	succeed(t, "import", write(t, `{"type": "api::restaurant.restaurant", "documentId": "rrrrrrrrrrrrrrrrrrrrrrrr", "data": {"name": "Here", "slug": "here"}}`), site)
	succeed(t, "import", "--csv", "--type", "visit", csvFile(t, "rating,restaurant.slug\n5,here\n4,\n"), site)
	out := succeed(t, "query", "visits?filters[restaurant][slug]=here&fields=rating&pagination[withCount]=true", site)
	if !strings.Contains(out, `"rating":5`) || !strings.Contains(out, `"total":1`) {
		t.Error(out)
	}
	code, _, stderr := command(t, "import", "--csv", "--type", "visit", csvFile(t, "rating,restaurant.slug\n5,there\n"), site)
	if code != exitFailed || !strings.Contains(stderr, `line 2: column restaurant.slug: no api::restaurant.restaurant has the slug "there"`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestTableErrors(t *testing.T) {
	site := newGuide(t)
	file := csvFile(t, twoCuisines)
	for _, test := range []struct{ args, want string }{
		{"import --csv " + file, "--type must be given, too"},
		{"import --type cuisine " + file, "--csv must be given, too"},
		{"import --csv --type cook2 " + file, `there is no content type "cook2"`},
		{"import --csv --type plugin::upload.file " + file, "there is no content type"},
		{"import --csv --type cuisine --replace " + file, "--csv and --replace exclude each other"},
		{"import --csv --type cuisine --skip-errors " + file, "--csv and --skip-errors exclude each other"},
		{"import --csv --type cuisine --separator x " + file, "--separator is , or ; or | or tab"},
		{"import --separator ; " + file, "--separator is for --csv"},
		{"import --csv --type cuisine " + file + "x " + file, "has to be imported alone"},
		{"import --csv --type cuisine " + file + "x", "no such file"},
		{"import --dry-run " + guideArchive, "not for archives"},
		{"export --csv --type nothing x.csv", `there is no content type "nothing"`},
		{"export --csv --ndjson --type cuisine x.csv", "--csv and --ndjson exclude each other"},
		{"export --spreadsheet x.tar.gz", "--spreadsheet is for --csv"},
	} {
		code, stdout, stderr := command(t, append(strings.Fields(test.args), site)...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}
