//go:build noadmin

package command

import "github.com/spf13/cobra"

// adminCommands returns none, because the program was built without the admin.
func adminCommands() []*cobra.Command { return nil }
