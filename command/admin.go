//go:build !noadmin

package command

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth/people"
)

// adminCommands returns the commands on the admin.
func adminCommands() []*cobra.Command { return []*cobra.Command{newAdmin(), newAssistant()} }

func newAdmin() *cobra.Command {
	c := &cobra.Command{
		Use:   "admin",
		Short: "Manage accounts of the admin",
		Long: `An account of the admin is for somebody who works on the content, at /admin. ACCOUNT is
an email address or an id.

The commands work whether or not a server is running. They print on standard error
who did the work. Changes take effect with the next request.`,
	}
	return group(c, newAdminCreate(), newAdminList(), newAdminReset(), newAdminRemove())
}

func newAdminCreate() *cobra.Command {
	var n people.NewAccount
	var roles []string
	var readPassword bool
	c := onSite(0, &cobra.Command{
		Use:   "create --name NAME --email ADDRESS [SITE]",
		Short: "Create an account of the admin",
		Long: `Create makes an account of the admin, and prints a link for choosing its password. The
link works once, within 72 hours. If no server is running, the link lacks the address of
the server. With --password-stdin, the command reads the password and prints the id of
the account, and nothing else, on standard output.`,
		Example: `  quire admin create --name Ana --email ana@example.org my-site
  quire admin create --name Bob --email bob@example.org --role editor
  quire admin create --name Cyd --email cyd@example.org --password-stdin < password.txt`,
	}, func(c *cobra.Command, at app.Location, args []string) (err error) {
		if readPassword {
			if n.Password, err = readNewPassword(c); err != nil {
				return err
			}
		}
		if n.Roles = roles; len(roles) == 1 {
			n.Role, n.Roles = roles[0], nil
		}
		made, err := callAccounts[people.Info](c, at, "admin create", n)
		if err != nil {
			return err
		}
		return outputOf(c).result(made, line("%s", orElse(made.Link, made.ID)))
	})
	c.Flags().StringVar(&n.Name, "name", "", "name of the person (required)")
	c.Flags().StringVar(&n.Email, "email", "", "email address to sign in with (required)")
	c.Flags().StringSliceVar(&roles, "role", []string{"owner"}, "`ROLE` of the account: owner, developer, editor, author, reader, or the id of one of the site's own; several with commas between them")
	c.Flags().BoolVar(&readPassword, "password-stdin", false, "read the password from standard input; on a terminal it is asked for and not shown")
	c.MarkFlagRequired("name")
	c.MarkFlagRequired("email")
	return c
}

func newAdminList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the accounts of the admin",
		Long: `List prints one line for each account of the admin, oldest first: whether a password
has been chosen, and when the account was last used.`,
		Example: `  quire admin list my-site
  quire admin list --json my-site | jq -r '.[] | select(.role == "owner") | .email'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "admin list", struct{}{}, "ID\tNAME\tEMAIL\tROLE\tACTIVE\tSECOND FACTOR\tLAST USED", adminLine)
	})
}

func adminLine(a people.Info) string {
	return strings.Join([]string{a.ID, a.Name, a.Email, strings.Join(a.Roles, ","), strconv.FormatBool(a.Active), strconv.FormatBool(a.Second), moment(a.LastUse)}, "\t")
}

func newAdminReset() *cobra.Command {
	var second bool
	c := onSite(1, &cobra.Command{
		Use:   "reset [--second-factor] ACCOUNT [SITE]",
		Short: "Print a link with which the password of an account is chosen",
		Long: `Reset prints a link for choosing a new password for an account of the admin, and nothing
else, on standard output. The link works once, within 72 hours. Earlier links stop
working. Using the link ends the sessions of the account. If no server is running, the
link lacks the address of the server. --second-factor also removes the second factor of
the account, immediately.`,
		Example: `  quire admin reset ana@example.org my-site
  quire admin reset --second-factor ana@example.org my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		name := "admin reset"
		if second {
			name = "admin reset all"
		}
		a, err := callAccounts[people.Info](c, at, name, args[0])
		if err != nil {
			return err
		}
		return outputOf(c).result(a, line("%s", a.Link))
	})
	c.Flags().BoolVar(&second, "second-factor", false, "remove the second factor of the account as well")
	return c
}

func newAdminRemove() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:     "remove ACCOUNT [SITE]",
		Short:   "Remove an account of the admin",
		Long:    `Remove removes an account of the admin and ends its sessions. What it has written stays.`,
		Example: `  quire admin remove ana@example.org my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		removed, err := callAccounts[people.Info](c, at, "admin remove", args[0])
		if err != nil {
			return err
		}
		return outputOf(c).report(removed, silent)
	})
}
