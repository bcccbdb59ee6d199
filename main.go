// Quire is a headless content API in one binary: a folder of Strapi 5 schemas in,
// the REST API out, over one data file.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "quire:", err)
		return 1
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "quire",
		Short: "A content API in one binary and one data file",
		Long: `Quire serves the content API of Strapi 5 from a folder of schema files and one
data file. There is nothing else to install or to run.

Most commands take the site folder as their last argument; without one it is
the current folder.`,
		Example: `  quire demo                    try it with a starter site
  quire new my-site             start a site of your own
  quire serve my-site           serve it`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		newDemo(),
		newNew(),
		newServe(),
		newStatus(),
		newHealth(),
		newCheck(),
		newRoutes(),
		newToken(),
		newUser(),
		newRole(),
		newImport(),
		newExport(),
		newBackup(),
		newRestore(),
		newCompact(),
		newMigrate(),
		newTypes(),
		newOpenAPI(),
		newVersion(),
	)
	return root
}
