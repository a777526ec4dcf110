package deploy

import (
	"path"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var kubernetesFiles = []string{"kubernetes.yaml", "kubernetes-job.yaml"}

// The Kubernetes files decode strictly, and everything that a part of them names exists.
func TestKubernetes(t *testing.T) {
	for _, name := range kubernetesFiles {
		for _, problem := range inspect(read(t, name), user(t)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// inspect returns what is wrong with a Kubernetes file. The image runs as the given user.
func inspect(text string, user int64) (p problems) {
	m, err := decode(text)
	if err != nil {
		return problems{err.Error()}
	}
	m.checkNames(&p)
	for _, w := range m.pods {
		m.checkWorkload(w, &p)
		for _, c := range w.template.Spec.Containers {
			checkSecurity(w, c, user, &p)
			m.checkContainer(w, c, &p)
			checkProbes(w, c, &p)
			m.checkFiles(w, c, &p)
			m.checkJoin(w, c, &p)
		}
	}
	for _, o := range m.objects {
		switch v := o.any.(type) {
		case *corev1.Service:
			m.checkService(v, &p)
		case *policyv1.PodDisruptionBudget:
			if len(m.selected(v.Spec.Selector)) != 1 {
				p.add("PodDisruptionBudget %s does not select the pods of one workload", o.meta.Name)
			}
		case *networkingv1.NetworkPolicy:
			m.checkPolicy(v, &p)
		}
	}
	return p
}

func (m *manifest) checkWorkload(w workload, p *problems) {
	if w.selector != nil {
		if found := m.selected(w.selector); len(found) != 1 || found[0].object != w.object {
			p.add("%v selects the pods of %v", w, found)
		}
	}
	switch v := w.any.(type) {
	case *appsv1.StatefulSet:
		service, _ := m.find("Service", v.Spec.ServiceName).(*corev1.Service)
		if service == nil || service.Spec.ClusterIP != corev1.ClusterIPNone || !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(w.template.Labels)) {
			p.add("%v has the service %q, which is no headless service for its pods", w, v.Spec.ServiceName)
		}
		if v.Spec.Replicas == nil || *v.Spec.Replicas != 1 {
			p.add("%v does not have one replica", w)
		}
		if !stays(w) {
			p.add("%v restarts its trainer again and again when the run is complete: it needs --stay", w)
		}
	case *batchv1.Job:
		if policy := w.template.Spec.RestartPolicy; policy != corev1.RestartPolicyOnFailure || v.Spec.BackoffLimit == nil {
			p.add("%v has the restart policy %q or no limit of restarts", w, policy)
		}
		if stays(w) {
			p.add("%v never ends, because of --stay", w)
		}
	}
	if len(w.template.Spec.Containers) != 1 {
		p.add("%v has %d containers", w, len(w.template.Spec.Containers))
	}
	for _, v := range w.template.Spec.Volumes {
		switch {
		case v.Secret != nil:
			keys, ok := m.secrets[v.Secret.SecretName]
			if !ok {
				p.add("%v: no command in the first comment creates the secret %q", w, v.Secret.SecretName)
			}
			for _, item := range v.Secret.Items {
				if !slices.Contains(keys, item.Key) {
					p.add("%v: the secret %s has no key %q", w, v.Secret.SecretName, item.Key)
				}
			}
		case v.PersistentVolumeClaim != nil:
			if m.find("PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName) == nil {
				p.add("%v: there is no claim %q", w, v.PersistentVolumeClaim.ClaimName)
			}
		case v.EmptyDir == nil:
			p.add("%v: the volume %s has a kind that this test does not know", w, v.Name)
		}
	}
}

// stays reports whether a trainer stays up when its run is complete.
func stays(w workload) bool { return slices.Contains(w.template.Spec.Containers[0].Args, "--stay") }

// checkSecurity reports settings that the restricted Pod Security Standard of Kubernetes refuses,
// and a root file system that can be written.
func checkSecurity(w workload, c corev1.Container, user int64, p *problems) {
	pod, own := w.template.Spec.SecurityContext, c.SecurityContext
	if pod == nil || pod.RunAsNonRoot == nil || !*pod.RunAsNonRoot || pod.RunAsUser == nil || *pod.RunAsUser != user ||
		pod.RunAsGroup == nil || *pod.RunAsGroup != user {
		p.add("%v does not run as user and group %d of the image", w, user)
	}
	if pod == nil || pod.SeccompProfile == nil || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		p.add("%v does not have the seccomp profile RuntimeDefault", w)
	}
	if automount := w.template.Spec.AutomountServiceAccountToken; automount == nil || *automount {
		p.add("%v mounts a token for the API server", w)
	}
	if own == nil || own.AllowPrivilegeEscalation == nil || *own.AllowPrivilegeEscalation {
		p.add("%v may gain privileges", w)
	}
	if own == nil || own.Capabilities == nil || !slices.Equal(own.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(own.Capabilities.Add) > 0 {
		p.add("%v keeps capabilities", w)
	}
	if own == nil || own.ReadOnlyRootFilesystem == nil || !*own.ReadOnlyRootFilesystem {
		p.add("%v can write to its root file system", w)
	}
}

// checkContainer compares ports with the command line, and checks resources and variables.
func (m *manifest) checkContainer(w workload, c corev1.Container, p *problems) {
	open := listening(c.Args)
	for _, port := range c.Ports {
		if open[int(port.ContainerPort)] == "" {
			p.add("%v has the port %d, but no flag opens it", w, port.ContainerPort)
		}
	}
	for port, flag := range open {
		if !slices.ContainsFunc(c.Ports, func(own corev1.ContainerPort) bool { return int(own.ContainerPort) == port }) {
			p.add("%v does not list the port %d of %s", w, port, flag)
		}
	}
	for name, request := range c.Resources.Requests {
		if limit, ok := c.Resources.Limits[name]; ok && request.Cmp(limit) > 0 {
			p.add("%v requests more %s than its limit", w, name)
		}
	}
	if _, ok := c.Resources.Limits[corev1.ResourceMemory]; !ok || len(c.Resources.Requests) != 2 {
		p.add("%v lacks a memory limit, or a request of processors or memory", w)
	}
	for _, e := range c.Env {
		if e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil {
			continue
		}
		if ref := e.ValueFrom.SecretKeyRef; !slices.Contains(m.secrets[ref.Name], ref.Key) {
			p.add("%v: the secret %s has no key %q", w, ref.Name, ref.Key)
		}
	}
}

// checkProbes compares the ports and paths of probes with the command line.
func checkProbes(w workload, c corev1.Container, p *problems) {
	open := listening(c.Args)
	probe := func(kind string, probe *corev1.Probe, want string) {
		switch {
		case probe == nil:
			return
		case probe.HTTPGet != nil:
			port := portOf(c, probe.HTTPGet.Port)
			if flag := open[port]; flag != "--metrics" && flag != "--serve" {
				p.add("%v: the %s probe uses port %s, which is not open for HTTP", w, kind, probe.HTTPGet.Port.String())
			}
			if probe.HTTPGet.Path != want {
				p.add("%v: the %s probe asks for %q, want %q", w, kind, probe.HTTPGet.Path, want)
			}
		case probe.TCPSocket != nil:
			if open[portOf(c, probe.TCPSocket.Port)] == "" {
				p.add("%v: the %s probe uses port %s, which is not open", w, kind, probe.TCPSocket.Port.String())
			}
		default:
			p.add("%v: the image has no program for the %s probe", w, kind)
		}
	}
	probe("startup", c.StartupProbe, "/healthz")
	probe("liveness", c.LivenessProbe, "/healthz")
	probe("readiness", c.ReadinessProbe, "/readyz")
}

// portOf returns the number of a port that may be given by its name, or 0.
func portOf(c corev1.Container, port intstr.IntOrString) int {
	if port.Type == intstr.Int {
		return port.IntValue()
	}
	for _, own := range c.Ports {
		if own.Name == port.StrVal {
			return int(own.ContainerPort)
		}
	}
	return 0
}

// checkFiles checks that each path in the command line is in a volume: a file that the program
// reads is a key of a secret, and a folder to which it writes is not read-only.
func (m *manifest) checkFiles(w workload, c corev1.Container, p *problems) {
	spec := w.template.Spec
	for _, mount := range c.VolumeMounts {
		claimed := slices.ContainsFunc(w.claims, func(claim corev1.PersistentVolumeClaim) bool { return claim.Name == mount.Name })
		if !claimed && volume(spec, mount.Name) == nil {
			p.add("%v mounts the volume %q, which does not exist", w, mount.Name)
		}
	}
	for _, v := range spec.Volumes {
		if !slices.ContainsFunc(c.VolumeMounts, func(mount corev1.VolumeMount) bool { return mount.Name == v.Name }) {
			p.add("%v does not mount its volume %s", w, v.Name)
		}
	}
	for flag, written := range fileFlags {
		file := flagValue(c.Args, flag)
		if file == "" {
			continue
		}
		i := slices.IndexFunc(c.VolumeMounts, func(mount corev1.VolumeMount) bool { return within(file, mount.MountPath) })
		if i < 0 {
			p.add("%v: %s %s is in no volume", w, flag, file)
			continue
		}
		mount := c.VolumeMounts[i]
		v := volume(spec, mount.Name)
		secret := v != nil && v.Secret != nil
		if written && (secret || mount.ReadOnly) {
			p.add("%v: %s %s is in a volume that cannot be written", w, flag, file)
		}
		if !written && (!secret || !slices.Contains(m.files(v.Secret), strings.TrimPrefix(file, path.Clean(mount.MountPath)+"/"))) {
			p.add("%v: %s %s is no key of a secret", w, flag, file)
		}
	}
}

// volume returns the volume of a pod with the given name, or nil.
func volume(spec corev1.PodSpec, name string) *corev1.Volume {
	for i := range spec.Volumes {
		if spec.Volumes[i].Name == name {
			return &spec.Volumes[i]
		}
	}
	return nil
}

// files returns the names of the files in a volume with a secret.
func (m *manifest) files(v *corev1.SecretVolumeSource) (names []string) {
	if v.Items == nil {
		return m.secrets[v.SecretName]
	}
	for _, item := range v.Items {
		names = append(names, item.Path)
	}
	return names
}
