//go:build !windows

package command

// start runs a command line. On this system a service is a process like any other.
func start(c commandLine) int { return asProcess(c) }
