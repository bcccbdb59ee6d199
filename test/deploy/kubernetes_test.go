package deploy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// manifest is what deploy/kubernetes.yaml has, by kind.
type manifest struct {
	etcd     appsv1.StatefulSet
	nodes    appsv1.Deployment
	init     batchv1.Job
	services []corev1.Service
	budgets  []policyv1.PodDisruptionBudget
	policy   networkingv1.NetworkPolicy
}

// readManifest reads the file as an API server that takes no field it does not know.
func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	for _, document := range strings.Split(text(t, "deploy/kubernetes.yaml"), "\n---\n") {
		asJSON, err := yaml.YAMLToJSONStrict([]byte(document))
		check(t, err)
		var kind metav1.TypeMeta
		check(t, kjson.UnmarshalCaseSensitivePreserveInts(asJSON, &kind))
		var into any
		switch kind.APIVersion + " " + kind.Kind {
		case "apps/v1 StatefulSet":
			into = &m.etcd
		case "apps/v1 Deployment":
			into = &m.nodes
		case "batch/v1 Job":
			into = &m.init
		case "networking.k8s.io/v1 NetworkPolicy":
			into = &m.policy
		case "v1 Service":
			m.services = append(m.services, corev1.Service{})
			into = &m.services[len(m.services)-1]
		case "policy/v1 PodDisruptionBudget":
			m.budgets = append(m.budgets, policyv1.PodDisruptionBudget{})
			into = &m.budgets[len(m.budgets)-1]
		default:
			t.Fatalf("the file has %+v, which no test knows", kind)
		}
		if strict, err := kjson.UnmarshalStrict(asJSON, into); err != nil || len(strict) > 0 {
			t.Errorf("%s: %v %v", kind.Kind, err, strict)
		}
	}
	return m
}

// pods are the templates of the file, by what makes them.
func (m *manifest) pods() map[string]*corev1.PodTemplateSpec {
	return map[string]*corev1.PodTemplateSpec{"etcd": &m.etcd.Spec.Template, "nodes": &m.nodes.Spec.Template, "init": &m.init.Spec.Template}
}

// TestPodsAreConfined: no container may write but to its volumes, has rights of its own, or
// takes what it likes.
func TestPodsAreConfined(t *testing.T) {
	m := readManifest(t)
	for name, pod := range m.pods() {
		s := pod.Spec
		if p := s.SecurityContext; p == nil || !is(p.RunAsNonRoot, true) || p.SeccompProfile == nil || p.FSGroup == nil {
			t.Errorf("pods of %s may run as root, or cannot write to their volumes", name)
		}
		if !is(s.AutomountServiceAccountToken, false) || !is(s.EnableServiceLinks, false) {
			t.Errorf("pods of %s know more of Kubernetes than they need", name)
		}
		for _, c := range append(slices.Clone(s.InitContainers), s.Containers...) {
			p := c.SecurityContext
			if p == nil || !is(p.ReadOnlyRootFilesystem, true) || !is(p.AllowPrivilegeEscalation, false) || p.Capabilities == nil || !slices.Contains(p.Capabilities.Drop, "ALL") {
				t.Errorf("%s of %s is not confined", c.Name, name)
			}
			if c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s of %s has no bounds", c.Name, name)
			}
			for _, v := range c.VolumeMounts {
				if !m.hasVolume(s, v.Name) {
					t.Errorf("%s of %s mounts %s, which is no volume", c.Name, name, v.Name)
				}
			}
		}
	}
}

func is(value *bool, wanted bool) bool { return value != nil && *value == wanted }

func (m *manifest) hasVolume(s corev1.PodSpec, name string) bool {
	return slices.ContainsFunc(s.Volumes, func(v corev1.Volume) bool { return v.Name == name }) ||
		slices.ContainsFunc(m.etcd.Spec.VolumeClaimTemplates, func(v corev1.PersistentVolumeClaim) bool { return v.Name == name })
}

// TestSelectorsFindPods: what selects pods selects those of the file.
func TestSelectorsFindPods(t *testing.T) {
	m := readManifest(t)
	selectors := map[string]*metav1.LabelSelector{"the StatefulSet": m.etcd.Spec.Selector, "the Deployment": m.nodes.Spec.Selector, "the policy": &m.policy.Spec.PodSelector}
	for _, b := range m.budgets {
		selectors["the budget of "+b.Name] = b.Spec.Selector
		if b.Spec.MaxUnavailable == nil || *b.Spec.MaxUnavailable != intstr.FromInt32(1) {
			t.Errorf("the budget of %s is not one", b.Name)
		}
	}
	for i, rule := range m.policy.Spec.Ingress {
		for j, from := range rule.From {
			selectors[fmt.Sprintf("rule %d.%d of the policy", i, j)] = from.PodSelector
		}
	}
	for _, c := range m.nodes.Spec.Template.Spec.TopologySpreadConstraints {
		selectors["the spread over "+c.TopologyKey] = c.LabelSelector
	}
	for _, s := range m.services {
		selectors["the service "+s.Name] = &metav1.LabelSelector{MatchLabels: s.Spec.Selector}
	}
	for what, selector := range selectors {
		chosen, err := metav1.LabelSelectorAsSelector(selector)
		check(t, err)
		found := 0
		for _, pod := range m.pods() {
			if chosen.Matches(labels.Set(pod.Labels)) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s selects pods of %d kinds", what, found)
		}
	}
}

// TestNodesStopInOrder: Kubernetes waits until a node has answered what is under way.
func TestNodesStopInOrder(t *testing.T) {
	m := readManifest(t)
	pod := m.nodes.Spec.Template.Spec
	var delay time.Duration
	for _, arg := range pod.Containers[0].Args {
		if text, ok := strings.CutPrefix(arg, "--stop-delay="); ok {
			delay, _ = time.ParseDuration(text)
		}
	}
	ready := pod.Containers[0].ReadinessProbe
	notices := time.Duration(ready.PeriodSeconds*max(ready.FailureThreshold, 3)) * time.Second
	if delay < time.Duration(ready.PeriodSeconds)*time.Second || delay < notices {
		t.Errorf("nodes go on for %s, and who is not ready is noticed after %s", delay, notices)
	}
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < delay+30*time.Second {
		t.Errorf("nodes are killed after %s", grace)
	}
}

// envNames are the variables that a container has.
func envNames(c corev1.Container) (names []string) {
	for _, e := range c.Env {
		if !bytes.Contains([]byte(strings.Join(c.Args, " ")), []byte("$("+e.Name+")")) {
			names = append(names, e.Name)
		}
	}
	return names
}
