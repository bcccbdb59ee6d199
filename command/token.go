package command

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth"
	"quire/schema/settings"
)

func newToken() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Manage API tokens",
		Long: `An API token lets a program call the API: it sends the token as
"Authorization: Bearer TOKEN". The data file keeps only a keyed hash of it.

The commands work whether or not a server is running. They print on standard error
who did the work.`,
	}
	return group(c, newTokenCreate(), newTokenList(), newTokenRevoke())
}

func newTokenCreate() *cobra.Command {
	var at app.Location
	var spec auth.TokenSpec
	var kind, expires string
	c := &cobra.Command{
		Use:   "create --name NAME --type TYPE [SITE]",
		Short: "Create an API token and print it",
		Long: `Create makes an API token and prints it, and nothing else, on standard output.
It cannot be shown again.

The types are full-access (everything), read-only (reading everything, drafts
included) and custom (the actions named with --permission; "quire routes" lists
them).`,
		Example: `  quire token create --name deploy --type full-access my-site
  quire token create --name preview --type read-only --expires 90d
  quire token create --name form --type custom --permission api::review.review.create`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			at.Site, spec.Kind = siteArgument(args), auth.TokenKind(kind)
			if spec.Lifetime, err = parseLifetime(expires); err != nil {
				return err
			}
			if err := spec.Check(); err != nil {
				return misuse{err}
			}
			token, err := callAccounts[string](c, at, "token create", spec)
			if err != nil {
				return err
			}
			return outputOf(c).result(madeToken{spec.Name, spec.Kind, token}, line("%s", token))
		},
	}
	c.Flags().StringVar(&spec.Name, "name", "", "name of the token, for people (required)")
	c.Flags().StringVar(&kind, "type", "", "full-access, read-only or custom (required)")
	c.Flags().StringArrayVar(&spec.Permissions, "permission", nil, "`ACTION` that a custom token allows, such as api::dish.dish.find; may be repeated")
	c.Flags().StringVar(&expires, "expires", "", "how long the token is valid, such as 90d or 12h (default for ever)")
	c.MarkFlagRequired("name")
	c.MarkFlagRequired("type")
	c.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(
		[]string{string(auth.FullAccess), string(auth.ReadOnly), string(auth.Custom)}, cobra.ShellCompDirectiveNoFileComp))
	dataFlag(c, &at)
	return c
}

// madeToken is a token that was created, as JSON shows it.
type madeToken struct {
	Name  string         `json:"name"`
	Kind  auth.TokenKind `json:"type"`
	Token string         `json:"token"`
}

func newTokenList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the API tokens",
		Long: `List prints one line for each API token: its name, type, when it expires, when it
was last used, and the actions of a custom one. The tokens themselves are not
known to anybody but those who have them.`,
		Example: `  quire token list my-site
  quire token list --json my-site | jq -r '.[] | select(.lastUsedAt == null) | .name'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "token list", struct{}{}, "NAME\tTYPE\tEXPIRES\tLAST USED\tACTIONS", tokenLine)
	})
}

func tokenLine(t auth.TokenInfo) string {
	return strings.Join([]string{t.Name, string(t.Kind), moment(t.Expires), moment(t.Used), strings.Join(t.Permissions, ",")}, "\t")
}

// moment returns a time to the minute, or "never" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02T15:04Z")
}

func newTokenRevoke() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "revoke NAME [SITE]",
		Short: "Revoke an API token",
		Long:  `Revoke deletes the token of that name. From the next request on it is refused.`,
		Example: `  quire token revoke deploy my-site
  quire token revoke preview`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return endObject(c, at, "token revoke", args[0])
	})
}

// parseLifetime parses "90d", "12h" or "1h30m". An empty text means no limit.
func parseLifetime(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	lifetime, err := settings.ParseDuration(text)
	if err != nil || lifetime <= 0 {
		return 0, misused("--expires takes a number of days such as 90d, or hours such as 12h, up to 32767 days; not %q", text)
	}
	return lifetime, nil
}
