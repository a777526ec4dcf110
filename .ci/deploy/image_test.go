package deploy

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// image returns the folder with the image's file system, its user, and its program. The script
// container sets these variables, and runs the test as root in namespaces of its own.
func image(t *testing.T) (root string, user int, program string) {
	t.Helper()
	root = os.Getenv("DOJO_IMAGE")
	if root == "" {
		t.Skip("needs the image that the script container makes")
	}
	id, group, _ := strings.Cut(os.Getenv("DOJO_IMAGE_USER"), ":")
	user, err := strconv.Atoi(id)
	if err != nil || id != group {
		t.Fatalf("the image's user is %q", os.Getenv("DOJO_IMAGE_USER"))
	}
	return root, user, os.Getenv("DOJO_IMAGE_ENTRYPOINT")
}

// The addresses of trainers and workers in their network namespaces. The units' comments have the
// trainer's.
const (
	trainerAddress = "192.168.1.10"
	workerAddress  = "192.168.1.11"
)

// A container is a running program. Its root has the files of the image, and only its volumes can
// be written. The trainer has the network namespace of the test, a worker another.
type container struct {
	t         *testing.T
	root      string
	user      string // USER:GROUP
	groups    string // other groups
	env, args []string
	probes    []string // URLs that answer with status 200 when the program is ready

	cmd    *exec.Cmd
	output bytes.Buffer
	ended  chan error
}

// newContainer makes a folder next to the image, with links to its files.
func newContainer(t *testing.T, args []string) *container {
	t.Helper()
	from, user, _ := image(t)
	root, err := os.MkdirTemp(filepath.Dir(from), "container-")
	if err != nil {
		t.Fatal(err)
	}
	c := &container{t: t, root: root, args: args, user: fmt.Sprintf("%d:%d", user, user), ended: make(chan error, 1)}
	if out, err := exec.Command("cp", "-al", from+"/.", root).CombinedOutput(); err != nil {
		t.Fatalf("copy the image: %v, %s", err, out)
	}
	c.file("/etc/hosts", []byte(trainerAddress+" trainer dojo-trainer\n"), 0, 0o644)
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// file writes a file of the container, as the given user and group.
func (c *container) file(name string, content []byte, owner int, mode os.FileMode) {
	c.t.Helper()
	file := filepath.Join(c.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(file, content, mode); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Chown(file, owner, owner); err != nil {
		c.t.Fatal(err)
	}
}

// volume mounts an empty folder that the group can write.
func (c *container) volume(name string, group int, mode os.FileMode) {
	c.t.Helper()
	folder := filepath.Join(c.root, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := syscall.Mount("none", folder, "tmpfs", 0, ""); err != nil {
		c.t.Fatalf("mount %s: %v", name, err)
	}
	if err := os.Chown(folder, 0, group); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Chmod(folder, mode); err != nil {
		c.t.Fatal(err)
	}
}

// share mounts a volume of another container, read-only.
func (c *container) share(name string, from *container) {
	c.t.Helper()
	folder := filepath.Join(c.root, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := syscall.Mount(filepath.Join(from.root, name), folder, "", syscall.MS_BIND, ""); err != nil {
		c.t.Fatal(err)
	}
	if err := syscall.Mount("none", folder, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
		c.t.Fatal(err)
	}
}

// start makes the root read-only and runs the program.
func (c *container) start() {
	c.t.Helper()
	for _, err := range []error{
		syscall.Mount("proc", filepath.Join(c.root, "proc"), "proc", syscall.MS_RDONLY, ""),
		syscall.Mount(c.root, c.root, "", syscall.MS_BIND|syscall.MS_REC, ""),
		syscall.Mount("none", c.root, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""),
	} {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	c.run()
}

// run starts the program. It may run again when it has ended.
func (c *container) run() {
	c.t.Helper()
	_, _, program := image(c.t)
	c.cmd = exec.Command("chroot", append([]string{"--userspec=" + c.user, "--groups=" + c.groups, c.root, program}, c.args...)...)
	if c.args[0] == "worker" {
		c.cmd.Args = append([]string{"nsenter", "--net=" + os.Getenv("DOJO_WORKER_NETWORK"), c.cmd.Path}, c.cmd.Args[1:]...)
		c.cmd.Path, c.cmd.Err = exec.LookPath("nsenter")
	}
	c.cmd.Env = append([]string{"HOME=/"}, c.env...)
	c.cmd.Stdout, c.cmd.Stderr = &c.output, &c.output
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() { c.ended <- c.cmd.Wait() }()
}

// until waits until a condition holds. It fails if the program ends before, or after a minute.
func (c *container) until(what string, holds func() bool) {
	c.t.Helper()
	for limit := time.After(time.Minute); !holds(); {
		select {
		case err := <-c.ended:
			c.t.Fatalf("%s: dojo %q ended: %v\n%s", what, c.args, err, c.output.Bytes())
		case <-limit:
			_ = c.cmd.Process.Kill()
			<-c.ended
			c.t.Fatalf("%s: not after a minute; dojo %q wrote:\n%s", what, c.args, c.output.Bytes())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop sends SIGTERM, and fails if the program does not end by it.
func (c *container) stop() {
	c.t.Helper()
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-c.ended:
		if state := c.cmd.ProcessState.Sys().(syscall.WaitStatus); state.Signal() != syscall.SIGTERM {
			c.t.Errorf("after SIGTERM, dojo %q ended: %v\n%s", c.args, err, c.output.Bytes())
		}
	case <-time.After(time.Minute):
		_ = c.cmd.Process.Kill()
		c.t.Fatalf("SIGTERM does not end dojo %q in a minute:\n%s", c.args, c.output.Bytes())
	}
}

// complete waits for the end of the program, whose status must be 0.
func (c *container) complete() {
	c.t.Helper()
	if err := <-c.ended; err != nil {
		c.t.Fatalf("dojo %q: %v\n%s", c.args, err, c.output.Bytes())
	}
}

// isReady reports whether all probes succeed. Without probes, a trainer's port must be open.
func (c *container) isReady() bool {
	for _, url := range c.probes {
		answer, err := http.Get(url)
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, answer.Body) // the status decides
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return false
		}
	}
	if len(c.probes) == 0 {
		_, port, _ := net.SplitHostPort(flagValue(c.args, "--listen"))
		conn, err := net.Dial("tcp", net.JoinHostPort(trainerAddress, port))
		if err != nil {
			return false
		}
		_ = conn.Close()
	}
	return true
}

// newSecrets returns what the user makes before the first start: a token and a certificate,
// under the names that the files in deploy/ give them.
func newSecrets(t *testing.T) map[string][]byte {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	names := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(30 * 24 * time.Hour),
		DNSNames: []string{"trainer", "dojo-trainer"}, IPAddresses: []net.IP{net.ParseIP(trainerAddress)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, names, names, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
	return map[string][]byte{
		"token": []byte(rand.Text() + "\n"), "pages-token": []byte(rand.Text() + "\n"), "cert": cert, "key": key,
		"cert.pem": cert, "key.pem": key, corev1.TLSCertKey: cert, corev1.TLSPrivateKeyKey: key,
	}
}

// trainWith starts a trainer and a worker, waits until the worker has joined, and stops both.
func trainWith(t *testing.T, trainer, worker *container) {
	t.Helper()
	trainer.start()
	trainer.until("the trainer is ready", trainer.isReady)
	worker.start()
	workers := filepath.Join(trainer.root, flagValue(trainer.args, "--run"), "cluster", "workers.json")
	worker.until("the worker joins", func() bool {
		list, _ := os.ReadFile(workers) // it does not exist before the first worker
		return bytes.Contains(list, []byte(`"seen":`))
	})
	if len(worker.probes) > 0 {
		worker.until("the worker is ready", worker.isReady)
	}
	worker.stop()
	trainer.stop()
}

// show starts dojo serve with the run of a trainer, waits until the proxy gets the page with the runs,
// and stops it.
func show(t *testing.T, c, trainer *container) {
	t.Helper()
	c.share(filepath.Dir(flagValue(trainer.args, "--run")), trainer)
	c.start()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+flagValue(c.args, "--listen")+flagValue(c.args, "--base-path")+"/api/runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = flagValue(c.args, "--host")
	c.until("the proxy gets the runs", func() bool {
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false // it does not listen yet
		}
		defer answer.Body.Close()
		runs, err := io.ReadAll(answer.Body)
		return err == nil && answer.StatusCode == http.StatusOK && bytes.Contains(runs, []byte(filepath.Base(flagValue(trainer.args, "--run"))))
	})
	c.stop()
}

// The image's program trains a run, with a root file system that cannot be written.
func TestImage(t *testing.T) {
	_, user, _ := image(t)
	c := newContainer(t, []string{"train", "tictactoe", "--run", "/runs/tictactoe", "--generations", "2"})
	c.volume("/runs", user, 0o775)
	c.start()
	c.complete()
	if _, err := os.Stat(filepath.Join(c.root, "runs/tictactoe/generations/000001.json")); err != nil {
		t.Errorf("%v\n%s", err, c.output.Bytes())
	}
}

// The trainer and the worker of each Kubernetes file start in the image with their volumes, their
// probes succeed, and the worker joins.
func TestImageInKubernetes(t *testing.T) {
	image(t)
	secrets := newSecrets(t)
	for _, name := range kubernetesFiles {
		trainer, worker := pair(t, name, secrets)
		trainWith(t, trainer, worker)
	}
}

// When the run is complete, the trainer of the job ends with status 0, and the trainer of the
// StatefulSet stays.
func TestImageCompletes(t *testing.T) {
	image(t)
	secrets := newSecrets(t)
	little := []string{
		"--generations", "1", "--set", "selfplay.games=16", "--set", "mcts.simulations=8",
		"--set", "gate.games=2", "--set", "gate.simulations=8",
	}
	stays, _ := pair(t, "kubernetes.yaml", secrets)
	c, _ := pair(t, "kubernetes-job.yaml", secrets)
	c.args = append(c.args, little...)
	c.start()
	c.complete()
	c.args, c.probes = append(stays.args, little...), stays.probes
	c.run()
	c.until("the trainer of a complete run is ready", c.isReady)
	c.stop()
}

// pair prepares the trainer and the worker of a Kubernetes file.
func pair(t *testing.T, name string, secrets map[string][]byte) (trainer, worker *container) {
	t.Helper()
	m, err := decode(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range m.pods {
		if c := m.container(t, w, secrets); c.args[0] == "train" {
			trainer = c
		} else {
			worker = c
		}
	}
	return trainer, worker
}

// container prepares the container of a workload as Kubernetes does: fsGroup may read the files of
// secrets and write to claims.
func (m *manifest) container(t *testing.T, w workload, secrets map[string][]byte) *container {
	t.Helper()
	spec := w.template.Spec
	own := spec.Containers[0]
	c := newContainer(t, own.Args)
	c.user = fmt.Sprintf("%d:%d", *spec.SecurityContext.RunAsUser, *spec.SecurityContext.RunAsGroup)
	mode, group := os.FileMode(0o644), 0
	if id := spec.SecurityContext.FSGroup; id != nil {
		mode, group = 0o640, int(*id)
		c.groups = strconv.Itoa(group)
	}
	for _, e := range own.Env {
		value := e.Value
		if e.ValueFrom != nil {
			value = strings.TrimSpace(string(secrets[e.ValueFrom.SecretKeyRef.Key]))
		}
		c.env = append(c.env, e.Name+"="+value)
	}
	for _, mount := range own.VolumeMounts {
		switch v := volume(spec, mount.Name); {
		case v == nil, v.PersistentVolumeClaim != nil:
			c.volume(mount.MountPath, group, 0o775)
		case v.EmptyDir != nil:
			c.volume(mount.MountPath, 0, 0o777)
		default:
			for _, file := range m.files(v.Secret) {
				c.file(filepath.Join(mount.MountPath, file), secrets[file], group, mode)
			}
		}
	}
	address := trainerAddress
	if own.Args[0] == "worker" {
		address = workerAddress
	}
	for _, probe := range []*corev1.Probe{own.StartupProbe, own.LivenessProbe, own.ReadinessProbe} {
		if probe != nil && probe.HTTPGet != nil {
			c.probes = append(c.probes, fmt.Sprintf("http://%s:%d%s", address, portOf(own, probe.HTTPGet.Port), probe.HTTPGet.Path))
		}
	}
	return c
}

// The trainer and the worker of compose.yaml start in the image, the worker joins, and the pages show
// the run.
func TestImageInCompose(t *testing.T) {
	_, user, _ := image(t)
	secrets := newSecrets(t)
	project, err := load(t, read(t, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	service := func(name string) *container {
		s := project.Services[name]
		c := newContainer(t, s.Command)
		for _, secret := range s.Secrets {
			c.file("/run/secrets/"+secret.Source, secrets[secret.Source], user, 0o400)
		}
		for _, v := range s.Volumes {
			if !v.ReadOnly {
				c.volume(v.Target, user, 0o775) // a new volume gets the owner of the image's folder
			}
		}
		return c
	}
	trainer := service("trainer")
	trainWith(t, trainer, service("worker"))
	show(t, service("pages"), trainer)
}

// The command lines of the units work with the variables in their comments, with their credentials
// and in their folder.
func TestImageWithUnits(t *testing.T) {
	_, user, _ := image(t)
	secrets := newSecrets(t)
	unit := func(name string) *container {
		text := read(t, name)
		c := newContainer(t, unitCommand(text))
		for _, credential := range regexp.MustCompile(`(?m)^LoadCredential=(\S+):`).FindAllStringSubmatch(text, -1) {
			c.file("/run/credentials/"+credential[1], secrets[credential[1]], user, 0o400)
		}
		if c.args[0] != "serve" {
			c.volume("/var/lib/"+regexp.MustCompile(`(?m)^StateDirectory=(\S+)$`).FindStringSubmatch(text)[1], user, 0o775)
		}
		return c
	}
	trainer := unit("dojo-trainer.service")
	trainWith(t, trainer, unit("dojo-worker.service"))
	show(t, unit("dojo-serve.service"), trainer)
}
