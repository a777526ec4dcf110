package deploy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

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
		t.Errorf("%v\n%s", err, c.said())
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
		"--generations", "1", "--set", "selfplay.games=32", "--set", "mcts.simulations=8",
		"--set", "gate.games=2", "--set", "gate.simulations=8",
	}
	stays, _ := pair(t, "kubernetes.yaml", secrets)
	c, _ := pair(t, "kubernetes-job.yaml", secrets)
	c.args = append(c.args, little...)
	c.start()
	c.complete()
	c.args, c.probes = append(stays.args, little...), stays.probes
	c.run()
	c.until("the trainer says that it stays", func() bool { return bytes.Contains(c.said(), []byte("staying until")) })
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
