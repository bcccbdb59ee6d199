package command

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth"
	"quire/auth/users"
)

func newUser() *cobra.Command {
	c := &cobra.Command{
		Use:   "user",
		Short: "Manage users",
		Long: `A user signs in at /api/auth/local and may do what the role of the user allows. USER is
an email address, a username, an id or a documentId.

The commands work whether or not a server is running. They print on standard error
who did the work. Changes take effect with the next request.`,
	}
	return group(c, newUserCreate(), newUserList(), newUserResetLink(), newUserSetRole(), newUserSignOut(),
		newUserChange("block", "Block a user", "Block ends the user's sessions and lets the user sign in no more."),
		newUserChange("unblock", "Let a blocked user sign in again", "Unblock lets a blocked user sign in again. Former sessions stay ended."),
		newUserChange("delete", "Delete a user", "Delete removes the user. What the user has written stays."),
	)
}

func newUserCreate() *cobra.Command {
	var user users.NewUser
	var readPassword bool
	c := onSite(0, &cobra.Command{
		Use:   "create --username NAME --email ADDRESS [SITE]",
		Short: "Create a user and print the id",
		Long: `Create makes a user and prints the numeric id of the user, and nothing else, on standard
output. The address counts as confirmed.

Without a password, nobody can sign in as the user yet. "quire user reset-link" prints a
link with which the user chooses one.`,
		Example: `  quire user create --username ana --email ana@example.org my-site
  quire user create --username bob --email bob@example.org --role editor
  quire user create --username cyd --email cyd@example.org --password-stdin < password.txt`,
	}, func(c *cobra.Command, at app.Location, args []string) (err error) {
		if readPassword {
			if user.Password, err = readNewPassword(c); err != nil {
				return err
			}
		}
		made, err := callAccounts[users.UserInfo](c, at, "user create", user)
		if err != nil {
			return err
		}
		return outputOf(c).result(made, line("%d", made.ID))
	})
	c.Flags().StringVar(&user.Username, "username", "", "name to sign in with (required)")
	c.Flags().StringVar(&user.Email, "email", "", "email address (required)")
	c.Flags().StringVar(&user.Role, "role", auth.AuthenticatedRole, "`TYPE` of the user's role, as quire role list prints it")
	c.Flags().BoolVar(&readPassword, "password-stdin", false, "read the password from the first line of standard input")
	c.MarkFlagRequired("username")
	c.MarkFlagRequired("email")
	return c
}

func newUserList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the users",
		Long:  `List prints one line for each user, oldest first.`,
		Example: `  quire user list my-site
  quire user list --json my-site | jq -r '.[] | select(.blocked) | .email'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "user list", struct{}{}, "ID\tUSERNAME\tEMAIL\tROLE\tCONFIRMED\tBLOCKED", userLine)
	})
}

func userLine(u users.UserInfo) string {
	return strings.Join([]string{
		strconv.FormatUint(u.ID, 10), u.Username, u.Email, u.Role, strconv.FormatBool(u.Confirmed), strconv.FormatBool(u.Blocked),
	}, "\t")
}

func newUserResetLink() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "reset-link USER [SITE]",
		Short: "Print a link with which a user chooses a new password",
		Long: `Reset-link prints the link that a user would get by mail, and nothing else, on standard
output. The link works once, within an hour. Earlier links stop working.

The link leads to the page that auth.reset.url of site.json names. Without that setting,
the command prints only the code, for POST /api/auth/reset-password.`,
		Example: `  quire user reset-link ana@example.org my-site
  quire user reset-link 7`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		way, err := callAccounts[users.ResetLink](c, at, "user reset-link", users.UserRef{User: args[0]})
		if err != nil {
			return err
		}
		return outputOf(c).result(way, line("%s", way.Link))
	})
}

func newUserSetRole() *cobra.Command {
	return onSite(2, &cobra.Command{
		Use:     "set-role USER TYPE [SITE]",
		Short:   "Give a user another role",
		Long:    `Set-role gives a user the role of that type; "quire role list" prints the types.`,
		Example: `  quire user set-role ana@example.org editor my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return changeUser(c, at, "user set-role", users.UserRef{User: args[0], Role: args[1]})
	})
}

func newUserSignOut() *cobra.Command {
	var at app.Location
	var all bool
	c := &cobra.Command{
		Use:   "sign-out USER [SITE]",
		Short: "End the sessions of a user, or of all users",
		Long: `Sign-out ends every session of a user: the server refuses their JWTs from the next
request on.

With --all, it ends the sessions of all users: it creates a new secret for signing JWTs.
If the secret comes from JWT_SECRET in the environment, change it there instead.`,
		Example: `  quire user sign-out ana@example.org my-site
  quire user sign-out --all my-site`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if all {
				at.Site = siteArgument(args)
				if _, err := callAccounts[struct{}](c, at, "sign-out all", struct{}{}); err != nil {
					return err
				}
				return outputOf(c).report(namedObject{"all"}, silent)
			}
			if len(args) == 0 {
				return misused("name the user whose sessions are to end, or --all")
			}
			at.Site = siteArgument(args[1:])
			return changeUser(c, at, "user sign-out", users.UserRef{User: args[0]})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end the sessions of all users")
	dataFlag(c, &at)
	return c
}

// newUserChange makes a command whose only argument is a user.
func newUserChange(name, short, long string) *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:     name + " USER [SITE]",
		Short:   short,
		Long:    long,
		Example: "  quire user " + name + " ana@example.org my-site\n  quire user " + name + " 7",
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return changeUser(c, at, "user "+name, users.UserRef{User: args[0]})
	})
}

// changeUser changes a user. It prints no text.
func changeUser(c *cobra.Command, at app.Location, command string, user users.UserRef) error {
	changed, err := callAccounts[users.UserInfo](c, at, command, user)
	if err != nil {
		return err
	}
	return outputOf(c).report(changed, silent)
}
