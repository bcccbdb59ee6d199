//go:build cluster

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// NodeState is a node with the state that it reports.
type NodeState struct {
	State
	Writes  bool   `json:"writes"`  // others forward to it
	OnDuty  bool   `json:"onDuty"`  // it has the duties that one node has for all
	Problem string `json:"problem"` // why it does not respond; empty if it does
}

// Nodes returns the state of every node of the cluster, in the order of their names.
func (j *Journal) Nodes(ctx context.Context) (states []NodeState, err error) {
	id, err := j.identify(ctx)
	if err != nil {
		return nil, err
	}
	asking := newTransport(id)
	defer asking.CloseIdleConnections()
	n := &Node{Journal: j, id: id}
	if err := n.look(ctx); err != nil {
		return nil, err
	}
	v := n.seen.Load()
	for name, m := range v.members {
		s := NodeState{State: State{Member: m}, Writes: name == v.writer, OnDuty: name == v.duty}
		if err := askState(ctx, asking, m, &s.State); err != nil {
			s.Problem = err.Error()
		}
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b NodeState) int { return strings.Compare(a.Name, b.Name) })
	return states, nil
}

// maxState limits the state that a node reports, in bytes.
const maxState = 64 << 10

func askState(ctx context.Context, asking *http.Transport, m Member, s *State) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+m.Address+statePath, nil)
	if err != nil {
		return err
	}
	answer, err := asking.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return json.NewDecoder(io.LimitReader(answer.Body, maxState)).Decode(s)
}
