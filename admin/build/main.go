package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	web := flag.String("web", "../web", "the folder of the front end")
	check := flag.Bool("check", false, "fail if dist differs from what is built, or is over budget")
	watch := flag.Bool("watch", false, "build for development, and again after each change")
	test := flag.Bool("test", false, "build the unit tests")
	flag.Parse()
	if err := run(*web, *check, *watch, *test); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(web string, check, watch, test bool) error {
	web, err := filepath.Abs(web)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(web, "node_modules")); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s has no node_modules: run npm ci --ignore-scripts there", web)
	}
	switch {
	case test:
		return buildTests(web)
	case watch:
		return watchSources(web)
	}
	built, err := bundle(web)
	if err != nil {
		return err
	}
	files, err := distribution(web, built)
	if err != nil {
		return err
	}
	dist := filepath.Join(web, "dist")
	if !check {
		return replaceFolder(dist, files)
	}
	if err := compareFolder(dist, files); err != nil {
		return err
	}
	return checkBudgets(built)
}
