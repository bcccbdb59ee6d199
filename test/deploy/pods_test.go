package deploy

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// deployed is what one pod runs. Its name is expanded as Kubernetes does.
func deployed(t *testing.T, m *machine, host, name string, pod corev1.PodSpec) container {
	t.Helper()
	spec := pod.Containers[0]
	c := container{host: host, image: spec.Image, env: imageEnv(t)}
	knowsEnv(t, envNames(spec))
	said := []string{}
	for _, e := range spec.Env {
		value := e.Value
		if e.ValueFrom != nil {
			value = map[string]string{"metadata.name": name, "status.podIP": m.addresses[host]}[e.ValueFrom.FieldRef.FieldPath]
		}
		c.env[e.Name] = value
		said = append(said, "$("+e.Name+")", value)
	}
	for _, from := range spec.EnvFrom {
		if from.SecretRef.Name != "quire-environment" {
			t.Errorf("%s has the secret %s", name, from.SecretRef.Name)
		}
		c.env["AWS_ACCESS_KEY_ID"], c.env["AWS_SECRET_ACCESS_KEY"] = "quire", "change-this-secret"
	}
	for _, arg := range spec.Args {
		c.args = append(c.args, strings.NewReplacer(said...).Replace(arg))
	}
	for _, v := range spec.VolumeMounts {
		c.folders = append(c.folders, v.MountPath)
		if v.Name == "tls" {
			m.copyCertificates(filepath.Join(m.root, host) + v.MountPath)
		}
	}
	return c
}

// makeCertificates runs the commands of deploy/README.md. The members have addresses here
// where they have names in a cluster.
func (m *machine) makeCertificates() {
	m.t.Helper()
	block := regexp.MustCompile("(?s)```sh\n(openssl req -x509.*?)```").FindStringSubmatch(text(m.t, "deploy/README.md"))
	if block == nil {
		m.t.Fatal("deploy/README.md does not say how certificates are made")
	}
	commands, _, found := strings.Cut(block[1], "kubectl")
	for host, address := range m.addresses {
		if strings.HasPrefix(host, "quire-etcd") {
			if !strings.Contains(commands, "DNS:"+host+",") {
				m.t.Errorf("the certificate of deploy/README.md is not for %s", host)
			}
			commands = strings.ReplaceAll(commands, "DNS:"+host+",", "IP:"+address+",")
		}
	}
	c := exec.Command("sh", "-ec", commands)
	c.Dir = filepath.Join(m.root, "tls")
	err := os.Mkdir(c.Dir, 0o700)
	if err == nil {
		var out []byte
		if out, err = c.CombinedOutput(); err != nil {
			m.t.Logf("%s", out)
		}
	}
	if err != nil || !found {
		m.t.Fatal(err, found)
	}
}

func (m *machine) copyCertificates(to string) {
	m.t.Helper()
	check(m.t, os.CopyFS(to, os.DirFS(filepath.Join(m.root, "tls"))))
}

// probe does what a kubelet does.
func (m *machine) probe(c container, spec corev1.Container, p *corev1.Probe) {
	m.t.Helper()
	handler := p.HTTPGet
	name := ""
	if handler != nil {
		name = handler.Port.String()
	} else {
		name = p.TCPSocket.Port.String()
	}
	for _, port := range spec.Ports {
		if port.Name != name {
			continue
		}
		address := fmt.Sprintf("%s:%d", m.addresses[c.host], port.ContainerPort)
		m.awaitListener(address)
		if handler == nil {
			return
		}
		answer, err := http.Get("http://" + address + handler.Path)
		check(m.t, err)
		_ = answer.Body.Close()
		if answer.StatusCode/100 != 2 {
			m.t.Errorf("%s: %s is %d", c.host, handler.Path, answer.StatusCode)
		}
		return
	}
	m.t.Errorf("%s has no port %q", c.host, name)
}

// TestManifestComesUp starts the pods of the file, with TLS, writes, and does without a node
// and without a member.
func TestManifestComesUp(t *testing.T) {
	file := readManifest(t)
	hosts := []string{"files", "init"}
	for i := range *file.etcd.Spec.Replicas {
		hosts = append(hosts, fmt.Sprintf("quire-etcd-%d.quire-etcd", i))
	}
	for i := range *file.nodes.Spec.Replicas {
		hosts = append(hosts, fmt.Sprintf("node-%d", i))
	}
	m := newMachine(t, hosts)
	m.makeCertificates()
	members, s := []*process{}, &site{t: t, machine: m}
	for _, host := range hosts[2:5] {
		name, _, _ := strings.Cut(host, ".")
		members = append(members, m.start(deployed(t, m, host, name, file.etcd.Spec.Template.Spec), "answers at"))
	}
	for _, one := range members {
		one.await()
		spec := file.etcd.Spec.Template.Spec.Containers[0]
		m.probe(one.container, spec, spec.ReadinessProbe)
	}
	begin := deployed(t, m, "init", "init", file.init.Spec.Template.Spec)
	m.succeed(begin, begin.args, "etcd holds 0 values")
	m.succeed(begin, begin.args, "already; it stays as it is")
	for _, host := range hosts[5:] {
		s.nodes = append(s.nodes, m.start(deployed(t, m, host, host, file.nodes.Spec.Template.Spec), "Quire listens at"))
	}
	s.begin(1337)
	spec := file.nodes.Spec.Template.Spec.Containers[0]
	for _, n := range s.nodes {
		for _, p := range []*corev1.Probe{spec.StartupProbe, spec.ReadinessProbe, spec.LivenessProbe} {
			m.probe(n.container, spec, p)
		}
		if conn, err := net.Dial("tcp", m.addresses[n.host]+":1338"); err != nil {
			t.Error(err)
		} else {
			_ = conn.Close()
		}
	}
	s.isServed()
	s.troubled = true
	members[0].kill()
	s.nodes[0].kill()
	s.nodes = s.nodes[1:]
	s.isServed()
}
