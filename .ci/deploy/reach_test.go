package deploy

import (
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func (m *manifest) checkService(s *corev1.Service, p *problems) {
	found := m.selected(&metav1.LabelSelector{MatchLabels: s.Spec.Selector})
	if len(found) != 1 || len(s.Spec.Selector) == 0 {
		p.add("Service %s does not select the pods of one workload", s.Name)
		return
	}
	for _, port := range s.Spec.Ports {
		target := port.TargetPort
		if target == (intstr.IntOrString{}) {
			target = intstr.FromInt32(port.Port)
		}
		if listening(found[0].template.Spec.Containers[0].Args)[portOf(found[0].template.Spec.Containers[0], target)] == "" {
			p.add("Service %s: port %d leads to a port that %v does not open", s.Name, port.Port, found[0])
		}
	}
}

// checkJoin checks that a worker's --join leads to a trainer of this file: it names a service and
// a port of the service, and no network policy keeps the worker away.
func (m *manifest) checkJoin(w workload, c corev1.Container, p *problems) {
	join := flagValue(c.Args, "--join")
	if join == "" {
		return
	}
	host, port, err := net.SplitHostPort(join)
	service, _ := m.find("Service", host).(*corev1.Service)
	if err != nil || service == nil {
		p.add("%v joins %q, which is no service of this file", w, join)
		return
	}
	i := slices.IndexFunc(service.Spec.Ports, func(own corev1.ServicePort) bool { return strconv.Itoa(int(own.Port)) == port })
	found := m.selected(&metav1.LabelSelector{MatchLabels: service.Spec.Selector})
	if i < 0 || len(found) == 0 {
		p.add("%v joins %q, but the service has no such port", w, join)
		return
	}
	target := found[0].template.Spec.Containers[0]
	number := int(service.Spec.Ports[i].Port)
	if t := service.Spec.Ports[i].TargetPort; t != (intstr.IntOrString{}) {
		number = portOf(target, t)
	}
	if flag := listening(target.Args)[number]; flag != "--listen" {
		p.add("%v joins port %d of %v, which is not its --listen", w, number, found[0])
	}
	if !m.allowed(w, found[0], number) {
		p.add("no NetworkPolicy allows %v to join %v at port %d", w, found[0], number)
	}
}

// allowed reports whether pods may connect to a port of other pods. Pods that no policy selects
// accept all connections.
func (m *manifest) allowed(from, to workload, port int) bool {
	selected := false
	for _, o := range m.objects {
		policy, ok := o.any.(*networkingv1.NetworkPolicy)
		if !ok || !matches(&policy.Spec.PodSelector, to) {
			continue
		}
		selected = true
		for _, rule := range policy.Spec.Ingress {
			peer := len(rule.From) == 0 || slices.ContainsFunc(rule.From, func(peer networkingv1.NetworkPolicyPeer) bool {
				return peer.NamespaceSelector == nil && peer.IPBlock == nil && matches(peer.PodSelector, from)
			})
			if peer && slices.ContainsFunc(rule.Ports, func(own networkingv1.NetworkPolicyPort) bool {
				return portOf(to.template.Spec.Containers[0], *own.Port) == port
			}) {
				return true
			}
		}
	}
	return !selected
}

func matches(selector *metav1.LabelSelector, w workload) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(w.template.Labels))
}

// checkPolicy checks that a network policy is for pods of this file, that its rules are for ports
// which the pods open, and that the labels in its rules are those of pods of this file, unless the
// rule is for pods of other namespaces.
func (m *manifest) checkPolicy(n *networkingv1.NetworkPolicy, p *problems) {
	if len(n.Spec.Egress) > 0 || slices.Contains(n.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
		p.add("NetworkPolicy %s: this test does not know rules for outgoing connections", n.Name)
	}
	targets := m.selected(&n.Spec.PodSelector)
	if len(targets) == 0 {
		p.add("NetworkPolicy %s selects no pods", n.Name)
	}
	for _, rule := range n.Spec.Ingress {
		for _, peer := range rule.From {
			if peer.NamespaceSelector == nil && peer.PodSelector != nil && len(m.selected(peer.PodSelector)) == 0 {
				p.add("NetworkPolicy %s has a rule for pods that do not exist", n.Name)
			}
		}
		if len(rule.Ports) == 0 {
			p.add("NetworkPolicy %s has a rule for all ports", n.Name)
		}
		for _, port := range rule.Ports {
			for _, w := range targets {
				if c := w.template.Spec.Containers[0]; port.Port == nil || listening(c.Args)[portOf(c, *port.Port)] == "" {
					p.add("NetworkPolicy %s has a rule for port %v, which %v does not open", n.Name, port.Port, w)
				}
			}
		}
	}
}
