package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra/doc"

	"quire/command"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/manual DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	date, err := dateOf(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	root := command.Root()
	root.DisableAutoGenTag = true
	man, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	if err := errors.Join(os.MkdirAll(man, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	header := &doc.GenManHeader{Title: "QUIRE", Section: "1", Date: &date, Source: "Quire " + os.Getenv("QUIRE_VERSION"), Manual: "Quire"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	// Write the scripts by which shells complete commands. They ask the program for what
	// depends on a site.
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(completions, "quire.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "_quire")),
		root.GenFishCompletionFile(filepath.Join(completions, "quire.fish"), true),
	)
}

func dateOf(seconds string) (time.Time, error) {
	if seconds == "" {
		return time.Now(), nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q is not a number of seconds", seconds)
	}
	return time.Unix(n, 0).UTC(), nil
}
