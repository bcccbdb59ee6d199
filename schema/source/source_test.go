package source_test

import (
	"slices"
	"strings"
	"testing"

	"quire/schema/source"
)

// What is wrong is reported where it stands, and reading goes on.
func TestProblemsNameTheirPlace(t *testing.T) {
	var problems source.Problems
	o, ok := source.Parse("site.json", []byte(`{
  "name": 3, "names": ["a", true], "deep": {"api::a.a": {"least": -1, "least": 2}}, "none": null, "more": 1
}`), &problems)
	if !ok {
		t.Fatal(problems.Err())
	}
	o.Only("name", "names", "deep", "none")
	name := o.Text("name")
	names := o.Words("names")
	least := o.Object("deep").Object("api::a.a").Whole("least", 0, 7)
	none := o.Flag("none", true)
	o.Object("absent").RefuseAt("key", "is missing", "write it")
	if name != "" || len(names) != 1 || names[0].Text != "a" || least != 7 || !none {
		t.Errorf("read %q, %v, %d, %t", name, names, least, none)
	}
	var got []string
	for _, p := range problems.List {
		got = append(got, p.Place+" "+p.Message)
	}
	want := []string{
		`more "more" is not a setting`,
		`name must be a text, not a number`,
		`names[1] must be a text, not true or false`,
		`deep["api::a.a"].least occurs twice`,
		`deep["api::a.a"].least must be a whole number from 0`,
		`absent.key is missing`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSyntaxIsReportedByLineAndColumn(t *testing.T) {
	var problems source.Problems
	if _, ok := source.Parse("site.json", []byte("{\n  \"é\": ,\n}"), &problems); ok {
		t.Error("read an object")
	}
	if err := problems.Err(); err == nil || !strings.Contains(err.Error(), "line 2, column 8: is not JSON") {
		t.Errorf("got %v", err)
	}
}

// Some editors write a byte order mark, which nobody can see.
func TestParseByteOrderMark(t *testing.T) {
	var problems source.Problems
	if _, ok := source.Parse("site.json", []byte("\ufeff{}"), &problems); ok {
		t.Error("a byte order mark is read")
	}
	if err := problems.Err(); err == nil || !strings.Contains(err.Error(), "line 1, column 1: begins with a byte order mark\n") {
		t.Error(err)
	}
}
