package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

func newRoutes() *cobra.Command {
	return &cobra.Command{
		Use:   "routes [SITE]",
		Short: "List every route, its action and who may call it",
		Long: `Routes prints one line for each route of the site: its method and path, the
action it performs, the roles of site.json that may call it, and the types of API
token that can: custom ones if they were given the action.`,
		Example: `  quire routes
  quire routes my-site | grep public`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			site, err := place{site: siteArgument(args)}.load()
			if err != nil {
				return err
			}
			return printRoutes(c.OutOrStdout(), site)
		},
	}
}

func printRoutes(w io.Writer, site *schema.Site) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "METHOD\tPATH\tACTION\tROLES\tTOKENS")
	for _, r := range server.Routes(site) {
		action, roles, tokens := "-", "anyone", "-"
		if !r.Open {
			action = r.Permission.String()
			roles = orNone(r.Roles(site))
			tokens = orNone(auth.Kinds(r.Permission))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Method, r.Path, action, roles, tokens)
	}
	return table.Flush()
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}
