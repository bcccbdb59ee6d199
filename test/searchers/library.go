//go:build linux

package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/de"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "modernc.org/sqlite"
)

// finder returns the first ten texts that a search finds.
type finder func(q string) ([]text, error)

// serveLibrary serves what a library of Go finds in the texts of a file.
func serveLibrary(name, file string) error {
	add := map[string]func(folder string, texts []text, locale string) (finder, error){"bleve": addBleve, "fts5": addFTS5}[name]
	if add == nil {
		return fmt.Errorf("%q is not bleve or fts5", name)
	}
	folder := filepath.Dir(file)
	byLocale, err := readTexts(file)
	if err != nil {
		return err
	}
	begun := time.Now()
	find := map[string]finder{}
	for locale, texts := range byLocale {
		if find[locale], err = add(filepath.Join(folder, name+"-"+locale), texts, locale); err != nil {
			return err
		}
	}
	byLocale = nil
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("ready", listener.Addr(), time.Since(begun).Milliseconds())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		found, err := find[q.Get("locale")](q.Get("q"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, _ := json.Marshal(map[string]any{"data": found}) // of texts and numbers, which cannot fail
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
}

func readTexts(file string) (byLocale map[string][]text, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	byLocale = map[string][]text{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one text
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, err
		}
		byLocale[one.Locale] = append(byLocale[one.Locale], one)
	}
	return byLocale, lines.Err()
}

// addBleve indexes texts with the analyzer of their language.
func addBleve(folder string, texts []text, locale string) (finder, error) {
	field := bleve.NewTextFieldMapping()
	field.Analyzer = locale
	number := bleve.NewNumericFieldMapping()
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping = bleve.NewDocumentStaticMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("title", field)
	mapping.DefaultMapping.AddFieldMappingsAt("text", field)
	mapping.DefaultMapping.AddFieldMappingsAt("number", number)
	index, err := bleve.New(folder, mapping)
	if err != nil {
		return nil, err
	}
	for len(texts) > 0 {
		n := min(len(texts), 10_000)
		batch := index.NewBatch()
		for _, one := range texts[:n] {
			if err := batch.Index(fmt.Sprint(one.Number), map[string]any{"title": one.Title, "text": one.Text, "number": one.Number}); err != nil {
				return nil, err
			}
		}
		if err := index.Batch(batch); err != nil {
			return nil, err
		}
		texts = texts[n:]
	}
	return func(q string) ([]text, error) {
		title, body := bleve.NewMatchQuery(q), bleve.NewMatchQuery(q)
		title.SetField("title")
		title.SetBoost(2)
		title.SetAutoFuzziness(true)
		body.SetField("text")
		body.SetAutoFuzziness(true)
		request := bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(title, body), 10, 0, false)
		request.Fields = []string{"number", "title"}
		result, err := index.Search(request)
		if err != nil {
			return nil, err
		}
		found := []text{}
		for _, hit := range result.Hits {
			found = append(found, text{Number: int(hit.Fields["number"].(float64)), Title: hit.Fields["title"].(string)})
		}
		return found, nil
	}, nil
}

// addFTS5 indexes texts in a table of SQLite. It stems English only.
func addFTS5(folder string, texts []text, locale string) (finder, error) {
	db, err := sql.Open("sqlite", folder+".db")
	if err != nil {
		return nil, err
	}
	tokenizer := "porter unicode61 remove_diacritics 2"
	if locale != "en" {
		tokenizer = "unicode61 remove_diacritics 2"
	}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE texts USING fts5(number UNINDEXED, title, text, tokenize = '` + tokenizer + `')`); err != nil {
		return nil, err
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	for _, one := range texts {
		if _, err := tx.Exec(`INSERT INTO texts VALUES (?, ?, ?)`, one.Number, one.Title, one.Text); err != nil {
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	find, err := db.Prepare(`SELECT number, title FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 0, 2, 1) LIMIT 10`)
	if err != nil {
		return nil, err
	}
	return func(q string) (found []text, err error) {
		words := wordsOf(q)
		for _, operator := range []string{" AND ", " OR "} {
			rows, err := find.Query(`"` + strings.Join(words, `"`+operator+`"`) + `"`)
			if err != nil {
				return nil, err
			}
			found = []text{}
			for rows.Next() {
				var one text
				if err := rows.Scan(&one.Number, &one.Title); err != nil {
					return nil, err
				}
				found = append(found, one)
			}
			if err := rows.Err(); err != nil || len(found) > 0 {
				return found, err
			}
		}
		return found, nil
	}, nil
}
