// Package deploy tests the files in deploy/ that other programs read: the manifests for Kubernetes,
// compose.yaml, and the units for systemd. It decodes each file as strictly as its reader does, and
// then compares the parts of a file that must agree, for example a probe's port with the port in
// the command line. It is a module of its own, so that the program does not depend on Kubernetes.
package deploy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy"

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// problems collects what is wrong with a file.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// manifest holds the objects of a Kubernetes file.
type manifest struct {
	objects []object
	pods    []workload
	secrets map[string][]string // the keys of the secrets that the file's first comment creates
}

type object struct {
	kind string
	meta *metav1.ObjectMeta
	any  any // a pointer to a type of k8s.io/api
}

// workload is an object that runs pods.
type workload struct {
	object
	selector *metav1.LabelSelector // nil in a Job
	template corev1.PodTemplateSpec
	claims   []corev1.PersistentVolumeClaim
}

func (w workload) String() string { return w.kind + " " + w.meta.Name }

// decode returns the objects in a Kubernetes file. Like the API server with strict validation, it
// refuses unknown and repeated fields.
func decode(text string) (*manifest, error) {
	m := &manifest{secrets: commentedSecrets(text)}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		if err := m.decode(document); err != nil {
			return nil, err
		}
	}
}

func (m *manifest) decode(document []byte) error {
	content, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return err
	}
	var t metav1.TypeMeta
	if err := json.UnmarshalCaseSensitivePreserveInts(content, &t); err != nil {
		return err
	}
	o := object{kind: t.Kind}
	switch t.APIVersion + " " + t.Kind {
	case "v1 Service":
		s := new(corev1.Service)
		o.any, o.meta = s, &s.ObjectMeta
	case "v1 PersistentVolumeClaim":
		c := new(corev1.PersistentVolumeClaim)
		o.any, o.meta = c, &c.ObjectMeta
	case "apps/v1 StatefulSet":
		s := new(appsv1.StatefulSet)
		o.any, o.meta = s, &s.ObjectMeta
	case "apps/v1 Deployment":
		d := new(appsv1.Deployment)
		o.any, o.meta = d, &d.ObjectMeta
	case "batch/v1 Job":
		j := new(batchv1.Job)
		o.any, o.meta = j, &j.ObjectMeta
	case "policy/v1 PodDisruptionBudget":
		b := new(policyv1.PodDisruptionBudget)
		o.any, o.meta = b, &b.ObjectMeta
	case "networking.k8s.io/v1 NetworkPolicy":
		n := new(networkingv1.NetworkPolicy)
		o.any, o.meta = n, &n.ObjectMeta
	default:
		return fmt.Errorf("unknown kind %q of %q", t.Kind, t.APIVersion)
	}
	strict, err := json.UnmarshalStrict(content, o.any)
	if err := errors.Join(append(strict, err)...); err != nil {
		return fmt.Errorf("%s: %w", t.Kind, err)
	}
	m.objects = append(m.objects, o)
	switch v := o.any.(type) {
	case *appsv1.StatefulSet:
		m.pods = append(m.pods, workload{o, v.Spec.Selector, v.Spec.Template, v.Spec.VolumeClaimTemplates})
	case *appsv1.Deployment:
		m.pods = append(m.pods, workload{o, v.Spec.Selector, v.Spec.Template, nil})
	case *batchv1.Job:
		m.pods = append(m.pods, workload{o, nil, v.Spec.Template, nil})
	}
	return nil
}

// commentedSecrets returns the keys of each secret that "kubectl create secret" makes in a comment.
func commentedSecrets(text string) map[string][]string {
	secrets := map[string][]string{}
	for _, c := range regexp.MustCompile(`(?m)^#.*kubectl create secret (generic|tls) (\S+)(.*)$`).FindAllStringSubmatch(text, -1) {
		if c[1] == "tls" {
			secrets[c[2]] = []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey}
			continue
		}
		for _, file := range regexp.MustCompile(`--from-file=(\S+)`).FindAllStringSubmatch(c[3], -1) {
			key, _, _ := strings.Cut(file[1], "=")
			secrets[c[2]] = append(secrets[c[2]], path.Base(key))
		}
	}
	return secrets
}

// find returns the object with the given kind and name, or nil.
func (m *manifest) find(kind, name string) any {
	for _, o := range m.objects {
		if o.kind == kind && o.meta.Name == name {
			return o.any
		}
	}
	return nil
}

// selected returns the workloads whose pods have the labels of a selector.
func (m *manifest) selected(selector *metav1.LabelSelector) (found []workload) {
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil
	}
	for _, w := range m.pods {
		if s.Matches(labels.Set(w.template.Labels)) {
			found = append(found, w)
		}
	}
	return found
}

// checkNames reports names that the API server refuses or that occur twice.
func (m *manifest) checkNames(p *problems) {
	seen := map[string]bool{}
	for _, o := range m.objects {
		for _, fault := range validation.IsDNS1123Label(o.meta.Name) {
			p.add("%s %q: %s", o.kind, o.meta.Name, fault)
		}
		if id := o.kind + " " + o.meta.Name; seen[id] {
			p.add("%s occurs twice", id)
		} else {
			seen[id] = true
		}
	}
}

// flagValue returns the value of a flag in a command line, or "".
func flagValue(args []string, flag string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// listening returns the ports that a command line opens for other machines, and the flag of each.
func listening(args []string) map[int]string {
	ports := map[int]string{}
	for _, flag := range []string{"--listen", "--metrics", "--serve"} {
		host, port, err := net.SplitHostPort(flagValue(args, flag))
		if ip := net.ParseIP(host); err != nil || ip != nil && ip.IsLoopback() {
			continue
		}
		if n, err := strconv.Atoi(port); err == nil {
			ports[n] = flag
		}
	}
	return ports
}

// fileFlags are the flags whose values are paths. The program writes to those that are true.
var fileFlags = map[string]bool{
	"--run": true, "--key": true, "--tls-cert": false, "--tls-key": false, "--tls-ca": false, "--token-file": false,
	"--serve-token-file": false, "--nats-creds": false, "--nats-nkey": false,
}

// within reports whether a path is a folder or lies in it.
func within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// user returns the user and group in the last USER instruction of the Containerfile.
func user(t *testing.T) int64 {
	t.Helper()
	all := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindAllStringSubmatch(read(t, "Containerfile"), -1)
	if len(all) != 1 || all[0][1] != all[0][2] {
		t.Fatalf("the Containerfile has the users %q, want one", all)
	}
	id, _ := strconv.ParseInt(all[0][1], 10, 64)
	return id
}

// same reports whether two lists have the same elements in any order.
func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
