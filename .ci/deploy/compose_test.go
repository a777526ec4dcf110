package deploy

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/yaml"
)

// compose.yaml loads as Compose loads it, and everything that a service names exists.
func TestCompose(t *testing.T) {
	for _, problem := range inspectCompose(t, read(t, "compose.yaml")) {
		t.Error(problem)
	}
}

// inspectCompose returns what is wrong with a Compose file in deploy/.
func inspectCompose(t *testing.T, text string) (p problems) {
	project, err := load(t, text)
	if err != nil {
		return problems{err.Error()}
	}
	var made []string // the files that the user makes
	for _, c := range regexp.MustCompile(`(?m)^#.*sudo chown \d+ (.*?) &&`).FindAllStringSubmatch(text, -1) {
		made = append(made, strings.Fields(c[1])...)
	}
	for name, secret := range project.Secrets {
		if !slices.Contains(made, strings.TrimPrefix(secret.File, "./")) {
			p.add("the secret %s is in %s, which no comment mentions", name, secret.File)
		}
	}
	checkScraped(read(t, "prometheus.yml"), project, &p)
	for name, s := range project.Services {
		checkOwnFiles(name, s, made, &p)
		switch image, _, _ := strings.Cut(s.Image, ":"); image {
		case "dojo":
		case "nginx":
			checkPorts(name, s, nginxPorts(read(t, "nginx.conf")), &p)
			continue
		case "prom/prometheus":
			checkPorts(name, s, map[int]string{9090: "--web.listen-address"}, &p) // the port without a flag
			continue
		default:
			p.add("%s has the image %q, which this test does not know", name, s.Image)
		}
		checkPorts(name, s, listening(s.Command), &p)
		checkMounts(name, s, &p)
		checkRestrictions(name, s, &p)
		if join := flagValue(s.Command, "--join"); join != "" {
			checkComposeJoin(name, s, project, &p)
		}
		if s.Command[0] == "serve" {
			checkProxied(name, s.Command, read(t, "nginx.conf"), &p)
		}
	}
	built := project.Services["trainer"].Build
	if built == nil || !exists(filepath.Join(folder, built.Context, built.Dockerfile)) || !exists(filepath.Join(folder, built.Context, "go.mod")) {
		p.add("the trainer's image is not built from this repository: %+v", built)
	}
	return p
}

// load returns a project with the services of all profiles.
func load(t *testing.T, text string) (*types.Project, error) {
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  folder,
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
	}, func(o *loader.Options) {
		o.SetProjectName("dojo", true)
		o.Profiles = []string{"*"}
		o.ResolvePaths = false
	})
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// checkOwnFiles checks that the files which a service mounts are in deploy/, or made by the user.
func checkOwnFiles(name string, s types.ServiceConfig, made []string, p *problems) {
	for _, v := range s.Volumes {
		if v.Type == types.VolumeTypeBind && !exists(filepath.Join(folder, v.Source)) && !slices.Contains(made, strings.TrimPrefix(v.Source, "./")) {
			p.add("%s mounts %s, which does not exist", name, v.Source)
		}
	}
}

// checkPorts checks that the published ports are ports that the program opens, with the flag in open.
// Other machines may reach only workers' ports and nginx.
func checkPorts(name string, s types.ServiceConfig, open map[int]string, p *problems) {
	for _, port := range s.Ports {
		if open[int(port.Target)] == "" {
			p.add("%s publishes the port %d, but no flag opens it", name, port.Target)
		}
		if flag := open[int(port.Target)]; port.HostIP != "127.0.0.1" && flag != "--listen" && flag != "listen" {
			p.add("%s publishes the port %d to other machines", name, port.Target)
		}
	}
}

// checkMounts checks that each path in the command line is a secret of the service, if the program
// reads it, or in a volume.
func checkMounts(name string, s types.ServiceConfig, p *problems) {
	for flag, written := range fileFlags {
		file := flagValue(s.Command, flag)
		if file == "" {
			continue
		}
		secret := slices.ContainsFunc(s.Secrets, func(secret types.ServiceSecretConfig) bool {
			return file == "/run/secrets/"+secret.Source && secret.Target == "" || file == secret.Target
		})
		volume := slices.ContainsFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return within(file, v.Target) && !v.ReadOnly })
		if written && !volume || !written && !secret {
			p.add("%s: %s %s is no secret of the service and in none of its volumes", name, flag, file)
		}
	}
}

// checkRestrictions reports rights that the program does not need.
func checkRestrictions(name string, s types.ServiceConfig, p *problems) {
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		p.add("%s can write to its root file system, keeps capabilities, or may gain privileges", name)
	}
	if s.MemLimit == 0 {
		p.add("%s has no memory limit", name)
	}
	if s.Restart == "" {
		p.add("%s has no restart policy", name)
	}
	if s.HealthCheck != nil {
		p.add("%s has a health check, but its image has no program for it", name)
	}
}

// checkComposeJoin checks that a worker joins a service that it depends on, at its --listen.
func checkComposeJoin(name string, s types.ServiceConfig, project *types.Project, p *problems) {
	join := flagValue(s.Command, "--join")
	host, port, err := net.SplitHostPort(join)
	number, _ := strconv.Atoi(port)
	if _, ok := s.DependsOn[host]; err != nil || !ok || listening(project.Services[host].Command)[number] != "--listen" {
		p.add("%s joins %s, which is no --listen of a service that it depends on", name, join)
	}
}

// checkProxied checks that the pages are where nginx looks for them, under its name and its path.
func checkProxied(name string, args []string, nginx string, p *problems) {
	for flag, pattern := range map[string]string{
		"--listen": `proxy_pass http://([^;/]+);`, "--host": `server_name (\S+);`, "--base-path": `location (/\w+)/ `,
	} {
		want := regexp.MustCompile(pattern).FindStringSubmatch(nginx)
		if value := flagValue(args, flag); want == nil || value != want[1] {
			p.add("%s: %s is %q, but nginx.conf has %q", name, flag, value, want)
		}
	}
}

// nginxPorts returns the ports in the listen directives of a configuration.
func nginxPorts(conf string) map[int]string {
	ports := map[int]string{}
	for _, listen := range regexp.MustCompile(`(?m)^\s*listen (?:\[::\]:)?(\d+)[ ;]`).FindAllStringSubmatch(conf, -1) {
		port, _ := strconv.Atoi(listen[1]) // digits
		ports[port] = "listen"
	}
	return ports
}

// checkScraped checks that Prometheus finds services at their --metrics ports, and its rules in its
// container.
func checkScraped(config string, project *types.Project, p *problems) {
	var c struct {
		Rules   []string `json:"rule_files"`
		Scrapes []struct {
			Static []struct{ Targets []string } `json:"static_configs"`
			DNS    []struct {
				Names []string
				Port  int
			} `json:"dns_sd_configs"`
		} `json:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(config), &c); err != nil {
		p.add("prometheus.yml: %v", err)
		return
	}
	var targets []string
	for _, s := range c.Scrapes {
		for _, static := range s.Static {
			targets = append(targets, static.Targets...)
		}
		for _, dns := range s.DNS {
			for _, name := range dns.Names {
				targets = append(targets, net.JoinHostPort(name, strconv.Itoa(dns.Port)))
			}
		}
	}
	if len(targets) != 2 {
		p.add("prometheus.yml has the targets %q, want the trainer and the workers", targets)
	}
	for _, target := range targets {
		host, port, _ := net.SplitHostPort(target) // without a port, no flag has it
		number, _ := strconv.Atoi(port)
		if listening(project.Services[host].Command)[number] != "--metrics" {
			p.add("prometheus.yml has the target %s, which is no --metrics of a service", target)
		}
	}
	for _, file := range append(c.Rules, "prometheus.yml") {
		if !slices.ContainsFunc(project.Services["prometheus"].Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Target == "/etc/prometheus/"+file && filepath.Base(v.Source) == file
		}) {
			p.add("the service prometheus does not mount %s", file)
		}
	}
}
