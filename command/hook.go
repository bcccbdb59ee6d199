package command

import (
	"github.com/spf13/cobra"

	"quire/app"
)

func newHook() *cobra.Command {
	c := &cobra.Command{
		Use:   "hook",
		Short: "Print the secret that hooks check",
		Long: `A hook is a process that a running server asks before it writes content. Hooks are in
site.json. The command works whether or not a server is running. It prints on standard
error who did the work.`,
	}
	return group(c, newHookSecret())
}

func newHookSecret() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "secret [SITE]",
		Short: "Print the secret that hooks check",
		Long: `Secret prints the secret, and nothing else, on standard output. A hook needs it to check
that a request comes from this site. It is the first of HOOKS_SECRET in the environment
or, without that, the secret that belongs to the data file.`,
		Example: `  export HOOKS_SECRET=$(quire hook secret my-site)`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		secret, err := callAccounts[string](c, at, "hook secret", struct{}{})
		if err != nil {
			return err
		}
		return outputOf(c).result(map[string]string{"secret": secret}, line("%s", secret))
	})
}
