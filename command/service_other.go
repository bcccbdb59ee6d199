//go:build !windows

package command

// start runs a command line. On this system, a service is an ordinary process.
func start(c commandLine) int { return asProcess(c) }
