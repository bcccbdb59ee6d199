package deploy

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// readCompose reads the file as `docker compose -f deploy/compose.cluster.yaml` does.
func readCompose(t *testing.T) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{"../../deploy/compose.cluster.yaml"})
	check(t, err)
	p, err := o.LoadProject(context.Background())
	check(t, err)
	return p
}

// composed is what one service runs.
func composed(t *testing.T, s types.ServiceConfig) container {
	c := container{host: s.Name, image: s.Image, args: s.Command, env: map[string]string{}, mounts: map[string]string{}}
	if s.Image == quireImage {
		c.env = imageEnv(t)
	}
	for name, value := range s.Environment {
		if value != nil {
			c.env[name] = *value
		}
	}
	for _, v := range s.Volumes {
		c.folders = append(c.folders, v.Target)
		c.mounts[v.Target] = filepath.Base(v.Source)
	}
	for _, target := range s.Tmpfs {
		target, _, _ = strings.Cut(target, ":")
		c.folders = append(c.folders, target)
	}
	return c
}

// TestComposeIsConfined: no program of the file may write but to its volumes, or has rights
// of its own.
func TestComposeIsConfined(t *testing.T) {
	p := readCompose(t)
	built := []string{}
	for _, s := range p.Services {
		if s.Build != nil {
			built = append(built, s.Image)
		}
	}
	for name, s := range p.Services {
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s is not confined", name)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %d beyond this machine", name, port.Target)
			}
		}
		if !slices.Contains(built, s.Image) {
			t.Errorf("the image of %s is not built here", name)
		}
		knowsEnv(t, slices.Collect(maps.Keys(s.Environment)))
	}
	balancer := text(t, "deploy/Caddyfile")
	for name, s := range p.Services {
		if strings.HasPrefix(name, "node-") && !strings.Contains(balancer, fmt.Sprintf("%s:%d", name, s.Ports[0].Target)) {
			t.Errorf("the balancer does not know %s", name)
		}
	}
}

// TestComposeComesUp starts what the file names, writes, stores a file, and does without a
// node.
func TestComposeComesUp(t *testing.T) {
	p := readCompose(t)
	m := newMachine(t, slices.Sorted(maps.Keys(p.Services)))
	start := func(name, says string) *process {
		t.Helper()
		return m.start(composed(t, p.Services[name]), says)
	}
	m.gateway(composed(t, p.Services["files"]))
	members := []*process{}
	for _, name := range []string{"etcd-a", "etcd-b", "etcd-c"} {
		members = append(members, start(name, "answers at"))
	}
	for _, one := range members { // each of which waits for another
		one.await()
	}
	begin := composed(t, p.Services["init"])
	m.succeed(begin, begin.args, "etcd holds 0 values")
	m.succeed(begin, begin.args, "already; it stays as it is")
	s := &site{t: t, machine: m}
	for _, name := range []string{"node-a", "node-b", "node-c"} {
		n := start(name, "Quire listens at")
		n.health = p.Services[name].HealthCheck.Test
		s.nodes = append(s.nodes, n)
	}
	s.begin(1337)
	for _, n := range s.nodes {
		if n.health[0] != "CMD" || n.health[1] != "/quire" {
			t.Fatalf("%s is asked for its health by %q", n.host, n.health)
		}
		m.succeed(n.container, n.health[2:], "ready")
	}
	s.isServed()
	s.storesFiles()
	s.troubled = true
	s.nodes[0].kill()
	s.nodes = s.nodes[1:]
	s.isServed()
	s.stop()
}
