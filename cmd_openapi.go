package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"quire/server"
)

func newOpenAPI() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "openapi [SITE]",
		Short: "Print an OpenAPI 3.1 document of every route",
		Long: `Openapi prints an OpenAPI 3.1 document, in JSON, of exactly the routes that the
site serves: parameters, bodies, answers, errors, and who needs a credential as far
as site.json says. A running server answers GET /api/openapi.json with the same, and
shows it as a page at /api/docs.`,
		Example: `  quire openapi > openapi.json
  quire openapi --out openapi.json my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			site, err := place{site: siteArgument(args)}.load()
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := json.Indent(&text, server.OpenAPI(site), "", "  "); err != nil {
				return err
			}
			text.WriteByte('\n')
			return deliver(out, c.OutOrStdout(), text.Bytes())
		},
	}
	c.Flags().StringVar(&out, "out", "", "write to this `FILE` instead of standard output")
	return c
}
