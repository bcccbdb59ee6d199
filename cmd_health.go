package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quire/server"
)

func newHealth() *cobra.Command {
	var p place
	c := &cobra.Command{
		Use:   "health [SITE]",
		Short: "Succeed if a server of the site runs and is ready",
		Long: `Health asks the running server through its socket what /_ready would answer. It
succeeds if content is served and writes are taken. Otherwise it fails and says
why. It is for whoever watches the process, such as a container's HEALTHCHECK.`,
		Example: `  quire health my-site
  quire health --data /var/lib/quire /srv/site || systemctl restart quire`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			if _, err := server.Ask(c.Context(), p.socket(), "ready", nil); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "ready")
			return nil
		},
	}
	dataFlag(c, &p)
	return c
}
