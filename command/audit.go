package command

import (
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/content/audit"
	"quire/schema/settings"
)

func newAudit() *cobra.Command {
	var q audit.Query
	var since string
	c := onSite(0, &cobra.Command{
		Use:   "audit [SITE]",
		Short: "Print who did what, as JSON lines",
		Long: `Audit prints the audit log of a site as JSON lines, oldest first: each action in the
admin, and each change of permissions and access. It works whether or not a server is
running.`,
		Example: `  quire audit my-site
  quire audit --since 7d --action account my-site
  quire audit --by ada@example.com my-site | jq -r '[.at, .action, .target.name] | @tsv'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		if since != "" {
			d, err := settings.ParseDuration(since)
			if err != nil || d < 0 {
				return misused("--since takes a length of time, such as 30d or 12h")
			}
			q.Since = time.Now().Add(-d)
		}
		who, err := at.AuditLines(c.Context(), q, func(line []byte) error {
			_, err := c.OutOrStdout().Write(append(line, '\n'))
			return err
		})
		if err == nil {
			outputOf(c).doneBy(who)
		}
		return err
	})
	c.Flags().StringVar(&since, "since", "", "only the last `TIME`, such as 30d or 12h")
	c.Flags().StringVar(&q.By, "by", "", "only of those whose name or id has this `TEXT` in it")
	c.Flags().StringVar(&q.Action, "action", "", "only actions that begin with `TEXT`, such as account or content.publish")
	c.Flags().StringVar(&q.Target, "target", "", "only what was done to something with this `TEXT` in its type, id or name")
	return c
}
