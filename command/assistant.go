//go:build !noadmin

package command

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth/people"
)

func newAssistant() *cobra.Command {
	c := &cobra.Command{
		Use:   "assistant",
		Short: "Manage assistants of accounts of the admin",
		Long: `An assistant is a program that works on the content on behalf of an account of the
admin, by the Model Context Protocol at /mcp: it sends its token as
"Authorization: Bearer TOKEN". The data file keeps only a keyed hash of it.

The commands work whether or not a server is running. They print on standard error
who did the work.`,
	}
	return group(c, newAssistantCreate(), newAssistantList(), newAssistantEnd())
}

func newAssistantCreate() *cobra.Command {
	var n people.NewAssistant
	var expires, publish, remove string
	c := onSite(0, &cobra.Command{
		Use:   "create --account ACCOUNT --name NAME [SITE]",
		Short: "Make an assistant of an account, and print its token",
		Long: `Create makes an assistant of an account of the admin, and prints its token, and nothing
else, on standard output. It cannot be shown again.

The assistant never may more than its account. By default it reads, and writes drafts.
With "ask", what it may not do alone waits for a person, see docs/admin.md.`,
		Example: `  quire assistant create --account ana@example.org --name Claude my-site
  quire assistant create --account ana@example.org --name reviewer --read-only --expires 7d my-site
  quire assistant create --account ana@example.org --name editor --publish ask --type api::article.article`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		life, err := parseLifetime(expires)
		if err != nil {
			return err
		}
		n.Days = int((life + 24*time.Hour - 1) / (24 * time.Hour))
		if n.Limits.Publish, err = allowedBy("publish", publish); err != nil {
			return err
		}
		if n.Limits.Delete, err = allowedBy("delete", remove); err != nil {
			return err
		}
		made, err := callAccounts[people.AssistantInfo](c, at, "assistant create", n)
		if err != nil {
			return err
		}
		out := outputOf(c)
		if made.Off {
			out.remark(`assistants are off here; {"mcp": {"enabled": true}} in site.json turns them on`)
		}
		return out.result(made, line("%s", made.Token))
	})
	f := c.Flags()
	f.StringVar(&n.Account, "account", "", "whose assistant it is: the email address or id of an account, `ACCOUNT` (required)")
	f.StringVar(&n.Name, "name", "", "name of the assistant, for people (required)")
	f.StringVar(&expires, "expires", "90d", "how long it works, in whole days, up to 365")
	f.StringVar(&publish, "publish", string(people.No), "whether it may change what is published: no, ask or yes")
	f.StringVar(&remove, "delete", string(people.No), "whether it may delete documents: no, ask or yes")
	f.IntVar(&n.Limits.Most, "most", 0, "`DOCUMENTS` that it may change at once before a person has to agree (default any number)")
	f.StringArrayVar(&n.Limits.Types, "type", nil, "`UID` of a content type that it may use (default all); may be repeated")
	f.BoolVar(&n.Limits.Files, "files", false, "it may upload and describe files")
	f.BoolVar(&n.Limits.ReadOnly, "read-only", false, "it may change nothing")
	c.MarkFlagRequired("account")
	c.MarkFlagRequired("name")
	for _, flag := range []string{"publish", "delete"} {
		c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(allowances, cobra.ShellCompDirectiveNoFileComp))
	}
	return c
}

// allowances are the values of --publish and --delete.
var allowances = []string{string(people.No), string(people.Ask), string(people.Yes)}

func allowedBy(flag, value string) (people.Allowed, error) {
	if !slices.Contains(allowances, value) {
		return "", misused("--%s takes no, ask or yes; not %q", flag, value)
	}
	return people.Allowed(value), nil
}

func newAssistantList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the assistants of all accounts",
		Long: `List prints one line for each assistant that has not ended: its id, its account, its
name, when it ends, when it was last used, and the program that has connected by OAuth.`,
		Example: `  quire assistant list my-site
  quire assistant list --json my-site | jq -r '.[] | select(.lastUsedAt == null) | .id'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "assistant list", struct{}{}, "ID\tACCOUNT\tNAME\tENDS\tLAST USED\tPROGRAM", assistantLine)
	})
}

func assistantLine(a people.AssistantInfo) string {
	return strings.Join([]string{a.ID, a.Account, a.Name, moment(a.Expires), moment(a.Used), a.Client}, "\t")
}

func newAssistantEnd() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "end ASSISTANT [SITE]",
		Short: "End an assistant",
		Long: `End ends an assistant, by its id or, if no other one has it, by its name. From the next
request on its token is refused. What it has written stays.`,
		Example: `  quire assistant end Claude my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return endObject(c, at, "assistant end", args[0])
	})
}
