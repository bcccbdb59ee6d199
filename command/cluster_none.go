//go:build !cluster

package command

import (
	"github.com/spf13/cobra"

	"quire/app"
)

// Without the tag cluster, the program serves a site by itself, and has no commands or
// flags for clusters.

func nodeFlags(*cobra.Command, *app.Joining) {}

func compareFlags(*cobra.Command, *app.Joining) {}

func completeJoining(*app.Joining) error { return nil }

func clusterCommands() []*cobra.Command { return nil }
