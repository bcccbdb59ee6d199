package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// watchSources builds into admin/web/.dev, readable and with source maps, after each
// change of a source until it is interrupted.
func watchSources(web string) error {
	o := options(web)
	o.Outdir = ".dev"
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = false, false, false
	o.Sourcemap = api.SourceMapLinked
	o.LogLevel = api.LogLevelInfo
	o.Write = true
	building, failed := api.Context(o)
	if failed != nil {
		return errors.New("the sources cannot be watched")
	}
	defer building.Dispose()
	if err := building.Watch(api.WatchOptions{}); err != nil {
		return err
	}
	fmt.Println("quire serve --admin-dev", filepath.Join(web, ".dev"))
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
	return nil
}

// buildTests bundles each unit test of admin/web/test for Node.
func buildTests(web string) error {
	tests, err := filepath.Glob(filepath.Join(web, "test", "*.test.ts*"))
	if err != nil {
		return err
	}
	out := filepath.Join(web, "test", ".built")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:   web,
		EntryPoints:     tests,
		Outdir:          out,
		OutExtension:    map[string]string{".js": ".mjs"},
		Bundle:          true,
		Format:          api.FormatESModule,
		Platform:        api.PlatformNode,
		Target:          api.ES2022,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		Sourcemap:       api.SourceMapInline,
		LogLevel:        api.LogLevelWarning,
		Write:           true,
	})
	if len(result.Errors) > 0 {
		return errors.New("the tests do not build")
	}
	return nil
}
