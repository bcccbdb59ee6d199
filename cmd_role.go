package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quire/auth"
)

func newRole() *cobra.Command {
	c := &cobra.Command{
		Use:   "role",
		Short: "Show roles and what they may do",
		Long: `A role is what users may do; callers without a credential have the role public.
Roles that site.json sets are changed there, others through the API.

The commands work whether a server is running or not, and say on standard error
which of the two was the case.`,
	}
	c.AddCommand(newRoleList(), newRoleShow())
	return c
}

func newRoleList() *cobra.Command {
	var p place
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the roles",
		Long: `List prints one line for each role: its type, its name, where it is set, how many
users have it and how many actions it allows.`,
		Example: `  quire role list my-site
  quire role list --json my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			roles, err := operate[[]auth.RoleInfo](c, p, "role list", struct{}{})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), roles)
			}
			return printTable(c.OutOrStdout(), "TYPE\tNAME\tSET IN\tUSERS\tACTIONS", roles, roleLine)
		},
	}
	jsonFlag(c, &asJSON)
	dataFlag(c, &p)
	return c
}

func roleLine(r auth.RoleInfo) string {
	where := "data file"
	if r.InSite {
		where = "site.json"
	}
	return strings.Join([]string{r.Type, r.Name, where, strconv.Itoa(r.Users), strconv.Itoa(len(r.Permissions))}, "\t")
}

func newRoleShow() *cobra.Command {
	var p place
	c := &cobra.Command{
		Use:   "show TYPE [SITE]",
		Short: "List what a role may do",
		Long:  `Show prints every action that the role allows, one a line.`,
		Example: `  quire role show public my-site
  quire role show editor | grep -c delete`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args[1:])
			role, err := operate[auth.RoleInfo](c, p, "role show", args[0])
			for _, permission := range role.Permissions {
				fmt.Fprintln(c.OutOrStdout(), permission)
			}
			return err
		},
	}
	dataFlag(c, &p)
	return c
}
