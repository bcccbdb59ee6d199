//go:build linux

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "searchers:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	serve string        // the library that this process serves; empty to compare all
	only  string        // engines that are compared, with commas between them; empty for all
	span  time.Duration // of each measurement of speed
	show  bool          // prints what each engine finds for the judged searches
	kept  bool          // requests are repeated as they are, so that responses may be kept
}

func run() error {
	var o options
	flag.StringVar(&o.serve, "serve", "", "serves a `library`, bleve or fts5, on the texts of a file; for the program itself")
	flag.StringVar(&o.only, "only", "", "`engines` that are compared, such as quire,bleve")
	flag.DurationVar(&o.span, "span", 10*time.Second, "how long the speed of each is measured")
	flag.BoolVar(&o.show, "show", false, "print what each finds for the judged searches")
	flag.BoolVar(&o.kept, "kept", false, "repeat the same requests, whose responses Quire keeps; without it, each request is another one for the same")
	flag.Parse()
	if o.serve != "" {
		return serveLibrary(o.serve, flag.Arg(0))
	}
	if flag.NArg() != 1 {
		return fmt.Errorf("it takes one program of Quire to measure")
	}
	quire, err := filepath.Abs(flag.Arg(0))
	if err != nil {
		return err
	}
	return compare(o, quire)
}

// compare measures all engines on the same texts.
func compare(o options, quire string) error {
	folder, err := os.MkdirTemp("", "quire-searchers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "texts.ndjson")
	texts, err := readCorpus(file)
	if err != nil {
		return err
	}
	tasks := makeTasks(texts)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	engines := []engine{
		{"Quire", func() (*server, error) { return startQuire(quire, folder, texts) }},
		{"Bleve", func() (*server, error) { return start(exec.Command(self, "-serve", "bleve", file)) }},
		{"SQLite FTS5", func() (*server, error) { return start(exec.Command(self, "-serve", "fts5", file)) }},
		{"MiniSearch", func() (*server, error) { return start(exec.Command("node", "minisearch.mjs", file)) }},
		{"Orama", func() (*server, error) { return start(exec.Command("node", "orama.mjs", file)) }},
	}
	var all []*figures
	for _, e := range engines {
		if o.only != "" && !strings.Contains(","+o.only+",", ","+strings.ToLower(strings.Fields(e.name)[0])+",") {
			continue
		}
		f, err := e.measure(o, tasks)
		if err != nil {
			fmt.Print(table(all))
			return fmt.Errorf("%s: %w", e.name, err)
		}
		all = append(all, f)
	}
	fmt.Print(table(all))
	return nil
}

// text is one that is searched.
type text struct {
	Locale string `json:"locale"`
	Number int    `json:"number"`
	Title  string `json:"title"`
	Text   string `json:"text"`
}

// readCorpus writes the texts to a file, and returns them.
func readCorpus(file string) (texts []text, err error) {
	c := exec.Command("node", "corpus.mjs")
	c.Stderr = os.Stderr
	lines, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("the texts: %w; has npm ci been run?", err)
	}
	for line := range strings.Lines(string(lines)) {
		var one text
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, err
		}
		texts = append(texts, one)
	}
	return texts, os.WriteFile(file, lines, 0o600)
}

// figures are what was measured of one engine.
type figures struct {
	name     string
	built    time.Duration
	resident int64              // bytes after all searches
	recall   map[string]float64 // by locale and the number of errors
	order    map[string]float64 // by locale
	rate     map[string]float64 // by kind of load
	tail     map[string]time.Duration
	work     map[string]time.Duration // of the processors, for one request
}

// table returns the figures as Markdown.
func table(all []*figures) string {
	var b strings.Builder
	row := func(name string, cell func(f *figures) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, f := range all {
			fmt.Fprintf(&b, " %s |", cell(f))
		}
		b.WriteString("\n")
	}
	row("", func(f *figures) string { return f.name })
	b.WriteString("|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, locale := range []string{"en", "de"} {
		for errors, says := range []string{"as written", "one error", "two errors"} {
			row(fmt.Sprintf("found in the first ten, %s, %s", locale, says), func(f *figures) string { return percent(f.recall[kindOf(locale, errors)]) })
		}
		row(fmt.Sprintf("order of ten judged searches, %s", locale), func(f *figures) string { return fmt.Sprintf("%.2f", f.order[locale]) })
	}
	for _, load := range loads {
		row(load.name+", a second and p99", func(f *figures) string {
			if f.rate[load.name] == 0 {
				return "–"
			}
			return fmt.Sprintf("%.0f, %.1f ms", f.rate[load.name], float64(f.tail[load.name].Microseconds())/1000)
		})
	}
	for _, load := range loads {
		row(load.name+", processor time of each", func(f *figures) string {
			if f.rate[load.name] == 0 {
				return "–"
			}
			return f.work[load.name].Round(10 * time.Microsecond).String()
		})
	}
	row("resident after them", func(f *figures) string { return fmt.Sprintf("%d MiB", f.resident>>20) })
	row("time to build", func(f *figures) string { return fmt.Sprintf("%.1f s", f.built.Seconds()) })
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// say prints the progress of the work.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
