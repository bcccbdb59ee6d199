package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth/users"
)

func newRole() *cobra.Command {
	c := &cobra.Command{
		Use:   "role",
		Short: "Show roles and what they may do",
		Long: `A role is what users may do; callers without a credential have the role public.
Roles that site.json sets are changed there, others through the API.

The commands work whether or not a server is running. They print on standard error
who did the work.`,
	}
	return group(c, newRoleList(), newRoleShow())
}

func newRoleList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the roles",
		Long: `List prints one line for each role: its type, its name, where it is set, how many
users have it and how many actions it allows.`,
		Example: `  quire role list my-site
  quire role list --json my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "role list", struct{}{}, "TYPE\tNAME\tSET IN\tUSERS\tACTIONS", roleLine)
	})
}

func roleLine(r users.RoleInfo) string {
	where := "data file"
	if r.InSite {
		where = "site.json"
	}
	return strings.Join([]string{r.Type, r.Name, where, strconv.Itoa(r.Users), strconv.Itoa(len(r.Permissions))}, "\t")
}

func newRoleShow() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "show TYPE [SITE]",
		Short: "List what a role may do",
		Long:  `Show prints every action that the role allows, one a line.`,
		Example: `  quire role show public my-site
  quire role show editor | grep -c delete`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		role, err := callAccounts[users.RoleInfo](c, at, "role show", args[0])
		if err != nil {
			return err
		}
		return outputOf(c).result(role, func(w io.Writer) error {
			for _, permission := range role.Permissions {
				fmt.Fprintln(w, permission)
			}
			return nil
		})
	})
}

// callAccounts runs a command on users, roles, tokens or webhooks. It reports on standard error
// who did: the running server or this process.
func callAccounts[R any](c *cobra.Command, at app.Location, command string, args any) (result R, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return result, err
	}
	begins := at.Data != "" && !at.HasData() // the name may be mistyped
	answer, who, err := at.Call(c.Context(), command, raw)
	if err != nil {
		return result, err
	}
	outputOf(c).doneBy(who)
	if begins {
		outputOf(c).remark("there was no data file %s; it was made", at.DataFile())
	}
	return result, json.Unmarshal(answer, &result)
}

// listObjects prints what a command lists, in columns.
func listObjects[T any](c *cobra.Command, at app.Location, command string, args any, heading string, line func(T) string) error {
	list, err := callAccounts[[]T](c, at, command, args)
	if err != nil {
		return err
	}
	return outputOf(c).result(noNil(list), table(heading, list, line))
}

// endObject runs a command that ends or removes one object, by its name.
func endObject(c *cobra.Command, at app.Location, command, name string) error {
	if _, err := callAccounts[struct{}](c, at, command, name); err != nil {
		return err
	}
	return outputOf(c).report(namedObject{name}, silent)
}
