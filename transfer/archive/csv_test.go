package archive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

var comma = archive.CSVOptions{Separator: ','}

// table is the table of a type.
func (s *site) table(t *schema.Type, o archive.CSVOptions) string {
	s.t.Helper()
	var out strings.Builder
	check(s.t, s.open(func(db *store.DB) error {
		_, err := archive.ExportCSV(context.Background(), s.origin(db), t, &out, o, nil)
		return err
	}))
	return out.String()
}

// linesOf are the lines that mean the same as a table. Links are found by the text "one",
// and by "two" in several documents.
func (s *site) linesOf(t *schema.Type, table string, o archive.CSVOptions) (string, error) {
	var out strings.Builder
	find := func(_ *schema.Type, _ *schema.Attribute, text string) ([]string, error) {
		return map[string][]string{"one": {"ana"}, "two": {"ana", "bo"}}[text], nil
	}
	err := archive.LinesOfCSV(context.Background(), "t.csv", strings.NewReader(table), t, o, find, &out)
	return out.String(), err
}

// What a table says is what the site holds: written, read and written again it is the same,
// and so is the content.
func TestCSVGoesThereAndBack(t *testing.T) {
	s := guideSite(t)
	if _, err := s.importLines(archive.Options{Existing: archive.Merge}, awkward); err != nil {
		t.Fatal(err)
	}
	before := s.exportLines()
	for _, o := range []archive.CSVOptions{comma, {Separator: ';', Spreadsheet: true}, {Separator: '\t'}, {Separator: '|', Spreadsheet: true}} {
		t.Run(fmt.Sprintf("%q %t", o.Separator, o.Spreadsheet), func(t *testing.T) {
			s := s.in(t)
			var tables, texts []string
			for one := range s.Served() {
				table := s.table(one, o)
				text, err := s.linesOf(one, table, o)
				check(t, err)
				tables, texts = append(tables, table), append(texts, text)
			}
			_, err := s.importLines(archive.Options{Existing: archive.Replace}, texts...)
			check(t, err)
			if after := s.exportLines(); after != before {
				t.Errorf("the content is\n%s\nand was\n%s", after, before)
			}
			i := 0
			for one := range s.Served() {
				if again := s.table(one, o); again != tables[i] {
					t.Errorf("the table of %s is\n%s\nand was\n%s", one.UID, again, tables[i])
				}
				i++
			}
		})
	}
}

// awkward are documents with texts that are hard to write as cells.
var awkward = lines(
	`{"type":"api::chef.chef","documentId":"quotes","data":{"name":"a \"b\", c; d|e\tf\r\ng","bio":""}}`,
	`{"type":"api::chef.chef","documentId":"formula","data":{"name":"=1+1","bio":"'tis"}}`,
	`{"type":"api::chef.chef","documentId":"minus","data":{"name":"-2","bio":"''"}}`,
	`{"type":"api::chef.chef","documentId":"wide","data":{"name":"＝1+1","bio":"\n=1"}}`,
	`{"type":"api::restaurant.restaurant","documentId":"odd","locale":"en","data":{"name":"  spaces  ","meta":{"a":[1,"\n"]},"chef":"quotes"}}`,
	`{"type":"api::restaurant.restaurant","documentId":"odd","locale":"en","status":"draft","data":{"name":"draft","meta":"text","chef":null}}`,
)

func TestLinesOfCSV(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct{ name, uid, table, want string }{
		{"null and empty", "api::chef.chef", "documentId,name,bio\na,,\"\"\nb,x,\n",
			"\n" + `{"data":{"bio":"","name":null},"documentId":"a","type":"api::chef.chef"}` + "\n" + `{"data":{"bio":null,"name":"x"},"documentId":"b","type":"api::chef.chef"}` + "\n"},
		{"components", "api::restaurant.restaurant", "name,location.street,location.geo.lat\nx,Main,\ny,,\n",
			"\n" + `{"data":{"location":{"geo":null,"street":"Main"},"name":"x"},"type":"api::restaurant.restaurant"}` + "\n" + `{"data":{"location":null,"name":"y"},"type":"api::restaurant.restaurant"}` + "\n"},
		{"lines that a cell ends, a mark and CRLF", "api::chef.chef", "\ufeffname\r\n\r\n\"a\nb\"\r\nc",
			"\n\n" + `{"data":{"name":"a\nb"},"type":"api::chef.chef"}` + "\n\n" + `{"data":{"name":"c"},"type":"api::chef.chef"}` + "\n"},
		{"links", "api::restaurant.restaurant", "chef,categories,locale,status\nana, a | b ,en,draft\n",
			"\n" + `{"data":{"categories":["a","b"],"chef":["ana"]},"locale":"en","status":"draft","type":"api::restaurant.restaurant"}` + "\n"},
		{"links by a unique attribute", "api::restaurant.restaurant", "categories.code\none\n",
			"\n" + `{"data":{"categories":["ana"]},"type":"api::restaurant.restaurant"}` + "\n"},
	} {
		got, err := s.linesOf(s.Type(test.uid), test.table, comma)
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, err, got, test.want)
		}
	}
}

// A table that is wrong says where, by line and column, and no more than a few times.
func TestCSVRefuses(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct{ uid, table, want string }{
		{"api::chef.chef", "", "t.csv is empty"},
		{"api::chef.chef", "\xff\xfen\x00", "it is in UTF-16"},
		{"api::chef.chef", "name\n\xfc\n", "t.csv, line 2: it is not UTF-8"},
		{"api::chef.chef", "name\na\x00\n", "t.csv, line 2: there is a NUL"},
		{"api::chef.chef", "name;bio\na;b\n", "set the separator with --separator"},
		{"api::chef.chef", "name,nam\n", `t.csv, line 1: column "nam": api::chef.chef has no attribute "nam"`},
		{"api::chef.chef", "name,name\n", `column "name": it occurs twice`},
		{"api::chef.chef", "name,locale\n", "api::chef.chef has no locale"},
		{"api::chef.chef", "name,updatedAt\n", "updatedAt is set by Quire"},
		{"api::chef.chef", "name,bio\na\n", "line 2: the row has 1 cells, and the header 2"},
		{"api::chef.chef", "name\na,b\n", "line 2: the row has more than the 1 cells of the header"},
		{"api::chef.chef", "name\n\"a\n", "line 2: the last cell has no closing quote"},
		{"api::chef.chef", "name\n\"a\"b\n", "follows the closing quote"},
		{"api::chef.chef", "name\na\"b\n", "in a cell that does not begin with one"},
		{"api::chef.chef", "name\na\rb\n", "a carriage return without a line feed"},
		{"api::review.review", "note\n\n7\nx7\n1.\n", "t.csv, line 4: column note: \"x7\" is not a number; write it as in 12 or -1.5\nt.csv, line 5: column note: \"1.\""},
		{"api::restaurant.restaurant", "location,location.street\n", `the column "location" says the same`},
		{"api::restaurant.restaurant", "opening_hours.day\n", "is one column with JSON"},
		{"api::restaurant.restaurant", "chef.name\n", "api::chef.chef has no unique attribute"},
		{"api::restaurant.restaurant", "meta\n{\n", "column meta: \"{\" is not JSON"},
		{"api::restaurant.restaurant", "categories.code\nnone\ntwo\n", "column categories.code: no api::category.category has the code \"none\"\nt.csv, line 3: column categories.code: several documents"},
		{"api::review.review", "note\n" + strings.Repeat("x\n", 100), "line 21: column note: \"x\" is not a number; write it as in 12 or -1.5\nand maybe more\nnothing was imported"},
		{"api::chef.chef", strings.Repeat(",", 5000), "the row has more than the 4096 cells"},
	} {
		got, err := s.linesOf(s.Type(test.uid), test.table, comma)
		if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
			t.Errorf("%.60q: %v, want %q; lines %q", test.table, err, test.want, got)
		}
	}
}

// Errors of the import name the line of the table, too.
func TestCSVLinesAreNumbered(t *testing.T) {
	s := newSite(t)
	text, err := s.linesOf(s.Type("api::category.category"), "name,code\n\"a\nb\",1\nc,1\n", comma)
	check(t, err)
	_, err = s.importLines(archive.Options{}, text)
	if problems := new(archive.Problems); !errors.As(err, &problems) || !strings.Contains(err.Error(), "line 4: code: This attribute must be unique") {
		t.Error(err)
	}
}

// With an apostrophe before it, no cell is a formula.
func TestCSVForSpreadsheets(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, awkward[:strings.Index(awkward, `{"type":"api::restaurant`)])
	check(t, err)
	chef := s.Type("api::chef.chef")
	plain, safe := s.table(chef, comma), s.table(chef, archive.CSVOptions{Separator: ',', Spreadsheet: true})
	if !strings.Contains(plain, ",=1+1,'tis") || strings.Contains(plain, "\r\nformula") {
		t.Error(plain)
	}
	rows := strings.Split(safe, "\r\n")
	if !strings.HasPrefix(safe, "\ufeffdocumentId,") || !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, "formula,published,'=1+1,''tis") }) || !strings.Contains(safe, "wide,published,'＝1+1,\"'\n=1\"") {
		t.Error(safe)
	}
}

// FuzzCSV reads tables that may be anything: what is read is lines of JSON, as many as there
// are rows, and reading what was written gives the same.
func FuzzCSV(f *testing.F) {
	f.Add("name,bio\na,\"\"\n", byte(','), false)
	f.Add("\ufeffdocumentId;name;bio\r\na;\"x\"\"y\";'=1\r\n", byte(';'), true)
	f.Add("name\n\"a\nb\"\n\nc", byte('|'), false)
	f.Add("name\tstatus\na\tdraft\n", byte('\t'), true)
	f.Add("name,bio,documentId\n\"\",\"\",[\"a\"]\n", byte(','), false)
	s := newSite(f)
	chef := s.Type("api::chef.chef")
	f.Fuzz(func(t *testing.T, table string, separator byte, spreadsheet bool) {
		o := archive.CSVOptions{Separator: ",;|\t"[separator%4], Spreadsheet: spreadsheet}
		text, err := s.linesOf(chef, table, o)
		if err != nil {
			if text != "" && len(text) < 64<<10 {
				t.Errorf("%v, and lines %q", err, text)
			}
			return
		}
		if n := strings.Count(text, "\n"); n > strings.Count(table, "\n")+1 {
			t.Errorf("%d lines of %q", n, table)
		}
		for line := range strings.Lines(text) {
			if line != "\n" && !strings.HasPrefix(line, `{"data":{`) {
				t.Errorf("the line %q", line)
			}
		}
		fresh := newSite(t)
		if _, err := fresh.importLines(archive.Options{SkipErrors: true}, text); err != nil {
			t.Fatal(err)
		}
		once := fresh.table(chef, o)
		back, err := s.linesOf(chef, once, o)
		check(t, err)
		if _, err := fresh.importLines(archive.Options{Existing: archive.Replace}, back); err != nil {
			t.Fatal(err)
		}
		if again := fresh.table(chef, o); again != once {
			t.Errorf("the table is\n%s\nand was\n%s", again, once)
		}
	})
}
