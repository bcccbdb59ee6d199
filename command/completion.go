package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are the shells that completion supports.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion() *cobra.Command {
	var bare bool
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands in a shell",
		Long: `Completion prints a script for bash, zsh, fish or powershell. It completes commands,
flags, site folders and, of the site that is named or the current folder, names of types,
attributes, tokens, users, roles, webhooks and backups.

Load it in each shell, or write it to the folder of completions:

  bash: source <(quire completion bash)
        quire completion bash > /etc/bash_completion.d/quire
  zsh:  quire completion zsh > "${fpath[1]}/_quire"
  fish: quire completion fish > ~/.config/fish/completions/quire.fish
  powershell: quire completion powershell | Out-String | Invoke-Expression`,
		Example: `  source <(quire completion bash)
  quire completion fish > ~/.config/fish/completions/quire.fish`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return misused("there is no script for %q; choose one of %s", args[0], strings.Join(shells, ", "))
			}
			var script strings.Builder
			if err := writeCompletion(c.Root(), args[0], !bare, &script); err != nil {
				return err
			}
			shown := map[string]string{"shell": args[0], "script": script.String()}
			return outputOf(c).result(shown, func(w io.Writer) error {
				_, err := io.WriteString(w, script.String())
				return err
			})
		},
	}
	c.Flags().BoolVar(&bare, "no-descriptions", false, "complete without the descriptions of commands and flags")
	return c
}

// writeCompletion writes the script of a shell.
func writeCompletion(root *cobra.Command, shell string, described bool, w io.Writer) error {
	switch {
	case shell == "bash":
		return root.GenBashCompletionV2(w, described)
	case shell == "zsh" && described:
		return root.GenZshCompletion(w)
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(w)
	case shell == "fish":
		return root.GenFishCompletion(w, described)
	case described:
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenPowerShellCompletion(w)
}

// completing is what is known when an argument is completed.
type completing struct {
	*cobra.Command
	args []string // before the one to complete
	site string
}

// completer lists the possible values of an argument.
type completer func(c completing) []string

// argumentsOf are the completers of the arguments of commands, before the site folder. Other
// arguments are files or free text.
var argumentsOf = map[string][]completer{
	"token revoke":        {tokenNames},
	"assistant end":       {assistantIDs},
	"user reset-link":     {userNames},
	"user set-role":       {userNames, roleTypes},
	"user sign-out":       {userNames},
	"user block":          {userNames},
	"user unblock":        {userNames},
	"user delete":         {userNames},
	"role show":           {roleTypes},
	"webhook test":        {webhookNames},
	"webhook deliveries":  {webhookNames},
	"webhook resend":      {webhookNames, deliveryIDs},
	"webhook secret":      {webhookNames},
	"migrate rename":      {typeUIDs, nil, attributeNames},
	"migrate drop":        {typeUIDs},
	"migrate rename-type": {nil, typeUIDs},
	"query":               {routePaths},
	"restore":             {backupFiles},
	"diff":                {backupFiles},
}

// flagValues are the completers of the values of flags, by the names of the flags.
var flagValues = map[string]completer{
	"as":         queryCallers,
	"role":       roleTypes,
	"permission": actionNames,
	"only":       typeUIDs,
	"drop":       typeUIDs,
}

// completeArguments makes every command complete its arguments, and the site folder after
// them.
func completeArguments(c *cobra.Command) {
	for _, below := range c.Commands() {
		completeArguments(below)
	}
	if c.HasSubCommands() || c.ValidArgs != nil {
		return
	}
	list := argumentsOf[strings.TrimPrefix(c.CommandPath(), "quire ")]
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(list) || list[len(args)] == nil {
			return nil, afterArguments(c, len(args) >= len(list))
		}
		return beginning(list[len(args)](completing{c, args, "."}), begin), cobra.ShellCompDirectiveDefault
	}
	for name, complete := range flagValues {
		if c.Flags().Lookup(name) != nil && c.CommandPath() != "quire admin create" {
			_ = c.RegisterFlagCompletionFunc(name, completeFlag(complete))
		}
	}
	if c.Flags().Lookup("csv") != nil {
		_ = c.RegisterFlagCompletionFunc("type", completeFlag(tableTypes))
	}
}

// afterArguments returns what the shell completes itself: folders where the argument may be
// the site, and files where the command accepts files.
func afterArguments(c *cobra.Command, atSite bool) cobra.ShellCompDirective {
	if atSite && !strings.Contains(c.Use, "FILE") {
		return cobra.ShellCompDirectiveFilterDirs
	}
	return cobra.ShellCompDirectiveDefault
}

// completeFlag completes the value of a flag, for the site that the arguments name.
func completeFlag(complete completer) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
		site := "."
		if n := len(args); n > 0 && kindAt(args[n-1]) == aFolder {
			site = args[n-1]
		}
		return beginning(complete(completing{c, args, site}), begin), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginning returns the texts of a list that begin with another text, up to mostCompletions.
func beginning(list []string, begin string) (some []string) {
	for _, text := range list {
		if strings.HasPrefix(text, begin) && len(some) < mostCompletions {
			some = append(some, text)
		}
	}
	return some
}

// mostCompletions is the maximum number of offered values.
const mostCompletions = 1000

// described returns a name and its description, in the form that shells show.
func described(name, description string) string {
	return fmt.Sprintf("%s\t%s", name, description)
}
