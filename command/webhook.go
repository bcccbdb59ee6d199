package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/notify/webhook"
)

func newWebhook() *cobra.Command {
	c := &cobra.Command{
		Use:   "webhook",
		Short: "Show webhooks, and test them",
		Long: `A webhook sends the changes of the content to an address. Webhooks are in site.json, or
are made over the API. WEBHOOK is the name or the id of a webhook.

The commands work whether or not a server is running. They print on standard error
who did the work. Only a running server sends changes.`,
	}
	return group(c, newWebhookList(), newWebhookTest(), newWebhookDeliveries(), newWebhookResend(), newWebhookSecret())
}

func newWebhookList() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "list [SITE]",
		Short: "List the webhooks, and how much waits for each",
		Long: `List prints one line for each webhook: its name, whether it is enabled, how many
deliveries wait for another attempt and how many were set aside after three days,
and its address.`,
		Example: `  quire webhook list my-site
  quire webhook list --json my-site | jq -r '.[] | select(.setAside > 0) | .name'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "webhook list", webhook.Target{}, "NAME\tIN\tENABLED\tWAITING\tSET ASIDE\tADDRESS", webhookLine)
	})
}

func webhookLine(h webhook.Info) string {
	in, enabled := "data", "yes"
	if h.Managed {
		in = "site.json"
	}
	if !h.Enabled {
		enabled = "no"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s", h.Name, in, enabled, h.Waiting, h.SetAside, h.URL)
}

func newWebhookTest() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "test WEBHOOK [SITE]",
		Short: "Send a test event to a webhook",
		Long: `Test sends the event trigger-test once and prints the response of the receiver. It fails
if the receiver does not accept the event.`,
		Example: `  quire webhook test deploy my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		trial, err := callAccounts[webhook.Trial](c, at, "webhook test", webhook.Target{Hook: args[0]})
		switch {
		case err != nil:
			return err
		case !trial.Delivered:
			return errors.Join(outputOf(c).report(trial, silent), fmt.Errorf("not delivered: %s", trial.Error))
		}
		return outputOf(c).report(trial, line("delivered: %d in %d ms", trial.Status, trial.Took))
	})
}

func newWebhookDeliveries() *cobra.Command {
	return onSite(1, &cobra.Command{
		Use:   "deliveries WEBHOOK [SITE]",
		Short: "List the deliveries that have not arrived",
		Long: `Deliveries prints one line for each change that has not arrived: its id, whether it
waits for another attempt or was set aside, how often it was tried, when it is
tried next, the event, and why the last attempt failed.`,
		Example: `  quire webhook deliveries deploy my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return listObjects(c, at, "webhook deliveries", webhook.Target{Hook: args[0]}, "ID\tSTATE\tTRIES\tNEXT\tEVENT\tDOCUMENT\tERROR", deliveryLine)
	})
}

func deliveryLine(d webhook.Delivery) string {
	return strings.Join([]string{d.ID, string(d.State), fmt.Sprint(d.Tries), moment(d.NextAt), d.Event, d.Type + " " + d.DocumentID, d.Error}, "\t")
}

func newWebhookResend() *cobra.Command {
	var at app.Location
	var all bool
	c := &cobra.Command{
		Use:   "resend WEBHOOK (DELIVERY | --all) [SITE]",
		Short: "Send deliveries again",
		Long: `Resend sends a delivery now. The delivery may be waiting, may have been set aside, or may
have arrived, if it is among the last attempts. With --all, the command sends all that
were set aside. It prints the number of deliveries. The server tries them for another
three days.`,
		Example: `  quire webhook resend deploy --all my-site
  quire webhook resend deploy msg_7hq2m0x5kzv1c9w8r4tybnd3_1207 my-site`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(c *cobra.Command, args []string) error {
			to, rest := webhook.Target{Hook: args[0]}, args[1:]
			if !all {
				if len(rest) == 0 {
					return misused("name a delivery, or use --all")
				}
				to.Delivery, rest = rest[0], rest[1:]
			}
			if len(rest) > 1 {
				return misused("too many arguments")
			}
			at.Site = siteArgument(rest)
			n, err := callAccounts[int](c, at, "webhook resend", to)
			if err != nil {
				return err
			}
			return outputOf(c).report(map[string]int{"sent": n}, line("%d", n))
		},
	}
	c.Flags().BoolVar(&all, "all", false, "send all that were set aside")
	dataFlag(c, &at)
	return c
}

func newWebhookSecret() *cobra.Command {
	var rotate bool
	c := onSite(1, &cobra.Command{
		Use:   "secret WEBHOOK [SITE]",
		Short: "Print the secret that signs the deliveries of a webhook",
		Long: `Secret prints the secret, and nothing else, on standard output. The receiver needs it to
check signatures. With --rotate, the command creates a new secret first. Deliveries are
then signed with both for a day.`,
		Example: `  quire webhook secret deploy my-site
  quire webhook secret --rotate deploy my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		secret, err := callAccounts[string](c, at, "webhook secret", webhook.Target{Hook: args[0], Rotate: rotate})
		if err != nil {
			return err
		}
		return outputOf(c).result(map[string]string{"secret": secret}, line("%s", secret))
	})
	c.Flags().BoolVar(&rotate, "rotate", false, "make another secret first")
	return c
}

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
