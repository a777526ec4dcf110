package deploy

import (
	"strings"
	"testing"
)

// The checks of this package find mistakes: each row makes one in a file of deploy/.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"kubernetes.yaml", "replicas: 1", "replica: 1", `unknown field "spec.replica"`},
		{"kubernetes.yaml", "replicas: 1", "Replicas: 1", `unknown field "spec.Replicas"`},
		{"kubernetes.yaml", "replicas: 1", "replicas: 1\n  replicas: 1", `"replicas" already set`},
		{"kubernetes.yaml", "replicas: 1", "replicas: 2", "does not have one replica"},
		{"kubernetes.yaml", "apps/v1", "apps/v1beta1", "unknown kind"},
		{"kubernetes.yaml", "cpu: \"2\", memory: 1Gi", "cpu: \"2\", memory: 3Gi", "requests more memory than its limit"},
		{"kubernetes.yaml", "memory: 2Gi}", "memory: 2GB}", "quantities must match"},
		{"kubernetes.yaml", "serviceName: dojo-trainer", "serviceName: dojo", "no headless service"},
		{"kubernetes.yaml", "metadata: {labels: {app: dojo-worker}}", "metadata: {labels: {app: worker}}", "selects the pods of []"},
		{"kubernetes.yaml", "too\n  selector: {app: dojo-trainer}", "too\n  selector: {app: dojo}", "does not select the pods"},
		{"kubernetes.yaml", "dojo-trainer:4222", "dojo-trainer:4223", "the service has no such port"},
		{"kubernetes.yaml", "dojo-trainer:4222", "trainer:4222", "no service of this file"},
		{"kubernetes.yaml", "--listen, \"0.0.0.0:4222\"", "--listen, \"0.0.0.0:4223\"", "no flag opens it"},
		{"kubernetes.yaml", "--listen, \"0.0.0.0:4222\"", "--listen, \"127.0.0.1:4222\"", "no flag opens it"},
		{"kubernetes.yaml", "/runs/onitama", "/run/onitama", "is in no volume"},
		{"kubernetes.yaml", "mountPath: /runs", "mountPath: /runs, readOnly: true", "cannot be written"},
		{"kubernetes.yaml", "/tls/tls.key", "/tls/key.pem", "is no key of a secret"},
		{"kubernetes.yaml", "secretName: dojo-trainer", "secretName: dojo-tls", "no command in the first comment creates the secret"},
		{"kubernetes.yaml", "items: [{key: cert.pem", "items: [{key: ca.pem", `has no key "ca.pem"`},
		{"kubernetes.yaml", "name: dojo, key: token", "name: dojo, key: tokens", `has no key "tokens"`},
		{"kubernetes.yaml", "drop: [ALL]", "drop: [CHOWN]", "keeps capabilities"},
		{"kubernetes.yaml", "runAsUser: 65532", "runAsUser: 65533", "does not run as user"},
		{"kubernetes.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "can write to its root"},
		{"kubernetes.yaml", "- from: [{podSelector: {matchLabels: {app: dojo-worker}}}]", "- from: [{podSelector: {matchLabels: {app: dojo-trainer}}}]", "no NetworkPolicy allows"},
		{"kubernetes.yaml", "- from: [{podSelector: {matchLabels: {app: dojo-worker}}}]", "- from: [{podSelector: {matchLabels: {app: worker}}}]", "pods that do not exist"},
		{"kubernetes.yaml", "startupProbe: {httpGet: {path: /healthz, port: metrics}", "startupProbe: {httpGet: {path: /healthz, port: nats}", "which is not open for HTTP"},
		{"kubernetes.yaml", "readinessProbe: {httpGet: {path: /readyz", "readinessProbe: {httpGet: {path: /healthz", `want "/readyz"`},
		{"kubernetes.yaml", "--stay, ", "", "it needs --stay"},
		{"kubernetes.yaml", "ports: [{port: metrics}]", "ports: [{port: pages}]", "has a rule for port pages"},
		{"kubernetes.yaml", "maxUnavailable: 25%", "minimumAvailable: 25%", "unknown field"},

		{"kubernetes-job.yaml", "claimName: dojo-runs", "claimName: runs", `there is no claim "runs"`},
		{"kubernetes-job.yaml", "args: [train, onitama,", "args: [train, onitama, --stay,", "never ends"},
		{"kubernetes-job.yaml", "restartPolicy: OnFailure", "restartPolicy: Always", "restart policy"},

		{"compose.yaml", "read_only: true", "readonly: true", "readonly"},
		{"compose.yaml", "read_only: true", "read_only: false", "can write to its root"},
		{"compose.yaml", "mem_limit: 2g", "mem_limit: 2 giga", "invalid"},
		{"compose.yaml", "\"trainer:4222\"", "\"trainer:4223\"", "no --listen of a service"},
		{"compose.yaml", "depends_on: [trainer]", "depends_on: [trainers]", "trainers"},
		{"compose.yaml", "secrets: [token, cert, key]", "secrets: [token, cert]", "--tls-key /run/secrets/key is no secret"},
		{"compose.yaml", "file: ./key.pem", "file: ./tls.pem", "which no comment mentions"},
		{"compose.yaml", "\"4222:4222\"", "\"4222:4322\"", "no flag opens it"},
		{"compose.yaml", "127.0.0.1:9464:9464", "9464:9464", "to other machines"},
		{"compose.yaml", "worker, --join, \"trainer:4222\", --metrics, \"0.0.0.0:9464\"", "worker, --join, \"trainer:4222\", --metrics, \"0.0.0.0:9465\"", "prometheus.yml has the target worker:9464"},
		{"compose.yaml", "/etc/prometheus/alerts.yml", "/etc/alerts.yml", "does not mount alerts.yml"},
		{"compose.yaml", "443:443", "443:8443", "no flag opens it"},
		{"compose.yaml", "--base-path, /dojo,", "--base-path, /pages,", "nginx.conf has"},
		{"compose.yaml", "runs:/runs", "runs:/data", "in none of its volumes"},
		{"compose.yaml", "deploy/Containerfile", "Containerfile", "is not built from this repository"},

		{"dojo-trainer.service", "LoadCredential=token", "LoadCredential=tokens", "it loads the credentials"},
		{"dojo-trainer.service", "StateDirectory=dojo\n", "StateDirectory=dojo-runs\n", "is not in the unit's folder"},
		{"dojo-trainer.service", "RestartPreventExitStatus=2", "RestartPreventExitStatus=1", "restarts after a wrong command line"},
		{"dojo-worker.service", "#   DOJO_TRAINER=", "#   TRAINER=", "no comment says how to set"},
	} {
		text := read(t, c.file)
		if !strings.Contains(text, c.old) {
			t.Errorf("%s does not contain %q", c.file, c.old)
			continue
		}
		text = strings.Replace(text, c.old, c.new, 1)
		var found problems
		switch {
		case strings.HasSuffix(c.file, ".service"):
			found = inspectUnit(text)
		case c.file == "compose.yaml":
			found = inspectCompose(t, text)
		default:
			found = inspect(text, user(t))
		}
		if all := strings.Join(found, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s with %q instead of %q: problems %q, want %q", c.file, c.new, c.old, all, c.want)
		}
	}
}
