package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
)

// monitoring is what an operator wants to see of a server.
type monitoring struct {
	logging
	metrics   string        // address to show metrics at, empty for none of their own
	stopDelay time.Duration // how long to go on serving after the signal to stop
}

func monitoringFlags(c *cobra.Command, m *monitoring) {
	logFlags(c, &m.logging)
	c.Flags().StringVar(&m.metrics, "metrics", "", "show metrics to everybody at this address, `HOST:PORT`; /metrics of the API needs a token")
	c.Flags().DurationVar(&m.stopDelay, "stop-delay", 0, "go on serving for so long after the signal to stop, while /_ready says 503 already; such as 10s")
}

// listenMetrics takes hold of the address for metrics, nil if there is none.
func (a *app) listenMetrics() (net.Listener, error) {
	if a.monitoring.metrics == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", a.monitoring.metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	return l, nil
}

// serveMetrics shows metrics until ctx is done.
func (a *app) serveMetrics(ctx context.Context, l net.Listener) {
	if err := a.server.ServeMetrics(ctx, l); err != nil {
		a.log.Error("metrics cannot be reached any more", "error", err)
	}
}
