//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	binary  string
	against string        // an older program to compare with; empty for none
	site    string        // whose schemas are used
	sizes   []int         // restaurants
	span    time.Duration // of each measurement
	runs    int           // the median of them is shown

	updates int    // of restaurants, at random
	plot    string // file of the curve
}

// fewest is the minimum number of restaurants with which every read finds some.
const fewest = 3000

func readOptions() (o options, err error) {
	sizes := flag.String("sizes", "10000,100000,1000000", "how many restaurants, from the fewest to the most")
	flag.StringVar(&o.site, "site", "testdata/site", "`folder` of the site whose schemas are used")
	flag.DurationVar(&o.span, "span", time.Second, "how long each measurement takes")
	flag.IntVar(&o.runs, "runs", 3, "measurements of each read, of which the median is shown")
	flag.IntVar(&o.updates, "updates", 100_000, "how many restaurants are updated, chosen at random")
	flag.StringVar(&o.against, "against", "", "an older `program`: only compares the reads of the two, in turn")
	flag.StringVar(&o.plot, "plot", "growth.svg", "`file` for the curve")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./test/growth [flags] BINARY")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || o.runs < 1 {
		flag.Usage()
		return o, fmt.Errorf("it takes one program to measure, and at least one run")
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < fewest || len(o.sizes) > 0 && n <= o.sizes[len(o.sizes)-1] {
			return o, fmt.Errorf("-sizes %s: numbers of %d or more that ascend are needed", *sizes, fewest)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.binary, err = filepath.Abs(flag.Arg(0)); err == nil && o.against != "" {
		o.against, err = filepath.Abs(o.against)
	}
	return o, err
}

func run() error {
	o, err := readOptions()
	if err != nil {
		return err
	}
	if o.against != "" {
		return compareAll(o)
	}
	var all []*figures
	for _, n := range o.sizes {
		f, err := measure(o, n)
		if err != nil {
			return fmt.Errorf("%d restaurants: %w", n, err)
		}
		all = append(all, f)
	}
	fmt.Print(tables(all))
	return os.WriteFile(o.plot, []byte(plot(all)), 0o644)
}

func compareAll(o options) error {
	for _, n := range o.sizes {
		pairs, err := compare(o, n)
		if err != nil {
			return fmt.Errorf("%d restaurants: %w", n, err)
		}
		fmt.Println(comparison(n, pairs))
	}
	return nil
}

// say prints the progress of the work.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
