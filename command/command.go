package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
)

// Main runs the command line and returns the exit status. An interrupt, SIGTERM, or the stop
// of a Windows service ends the command.
func Main(args []string) int {
	return start(func(ctx context.Context, stdout, stderr io.Writer) int {
		return run(ctx, args, stdout, stderr)
	})
}

// commandLine runs a command until it is done or ctx is done. It returns the exit status.
type commandLine func(ctx context.Context, stdout, stderr io.Writer) int

// asProcess runs a command line until it is done or a signal ends it. A second signal, after
// the time of patience, ends the program at once.
func asProcess(c commandLine) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, stop) })
	return c(ctx, os.Stdout, os.Stderr)
}

// patience is how long after the first signal another one has no effect, because some parents
// send each signal twice.
const patience = time.Second

// run executes the command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = failure{errors.New("stopped before it was done")}
	}
	return reportTo(stderr, c, err)
}

// Root returns all commands, for programs that describe them.
func Root() *cobra.Command { return newRoot() }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "quire COMMAND",
		Short: "A content API in one binary and one data file",
		Long: `Quire serves the content API of Strapi 5 from a folder of schema files and one
data file. There is nothing else to install or to run.

The site folder is the last argument of every command. Without one it is the
current folder.`,
		Example: `  quire demo                    try it with a starter site
  quire new my-site             start a site of your own
  quire serve my-site           serve it`,
		Version:       app.Version(),
		SilenceErrors: true,

		DisableFlagsInUseLine: true,
		SilenceUsage:          true,
	}
	root.PersistentFlags().Bool(jsonFlag, false, "print JSON on standard output")
	root.PersistentFlags().Bool(quietFlag, false, "print no progress and no reports; only errors, and what the command is there to print")
	root.AddCommand(commands()...)
	root.AddCommand(adminCommands()...)
	root.AddCommand(clusterCommands()...)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1))
	markFailures(root)
	completeArguments(root)
	return root
}

// commands returns the commands of the program. The help sorts them.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newDemo(),
		newNew(),
		newAdopt(),
		newServe(),
		newPromote(),
		newStatus(),
		newHealth(),
		newCheck(),
		newRoutes(),
		newQuery(),
		newMCP(),
		newUndo(),
		newPush(),
		newConsole(),
		newDiff(),
		newToken(),
		newUser(),
		newWebhook(),
		newHook(),
		newRole(),
		newAudit(),
		newImport(),
		newExport(),
		newBackup(),
		newRestore(),
		newCompact(),
		group(&cobra.Command{
			Use:   "media",
			Short: "Move the files of a site between the folder and a bucket",
		}, newMediaMove()),
		newMigrate(),
		newTypes(),
		newGraphQLSchema(),
		newOpenAPI(),
		newCompletion(),
		&cobra.Command{
			Use:     "version",
			Short:   "Print which version of Quire this is",
			Example: "  quire version",
			Args:    cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				return outputOf(c).result(map[string]string{"version": app.Version()}, line("%s", app.Version()))
			},
		},
	}
}
