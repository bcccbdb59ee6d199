// Quire is a headless CMS in one binary: a folder of Strapi 5 schemas in, the REST
// API out, over one data file.
package main

import (
	"os"

	"quire/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
