package deploy

import (
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
	output string // the file to which the program writes
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
	c := &container{t: t, root: root, args: args, output: root + ".log", user: fmt.Sprintf("%d:%d", user, user), ended: make(chan error, 1)}
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
	output, err := os.Create(c.output)
	if err != nil {
		c.t.Fatal(err)
	}
	defer output.Close()
	c.cmd.Stdout, c.cmd.Stderr = output, output
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() { c.ended <- c.cmd.Wait() }()
}

// said returns what the program has written so far.
func (c *container) said() []byte {
	c.t.Helper()
	text, err := os.ReadFile(c.output)
	if err != nil {
		c.t.Fatal(err)
	}
	return text
}

// until waits until a condition holds. It fails if the program ends before, or after a minute.
func (c *container) until(what string, holds func() bool) {
	c.t.Helper()
	for limit := time.After(time.Minute); !holds(); {
		select {
		case err := <-c.ended:
			c.t.Fatalf("%s: dojo %q ended: %v\n%s", what, c.args, err, c.said())
		case <-limit:
			_ = c.cmd.Process.Kill()
			<-c.ended
			c.t.Fatalf("%s: not after a minute; dojo %q wrote:\n%s", what, c.args, c.said())
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
			c.t.Errorf("after SIGTERM, dojo %q ended: %v\n%s", c.args, err, c.said())
		}
	case <-time.After(time.Minute):
		_ = c.cmd.Process.Kill()
		c.t.Fatalf("SIGTERM does not end dojo %q in a minute:\n%s", c.args, c.said())
	}
}

// complete waits for the end of the program, whose status must be 0.
func (c *container) complete() {
	c.t.Helper()
	if err := <-c.ended; err != nil {
		c.t.Fatalf("dojo %q: %v\n%s", c.args, err, c.said())
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
