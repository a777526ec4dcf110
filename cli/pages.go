package cli

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"dojo.example/cluster/wire"
	"dojo.example/internal/certificate"
	"dojo.example/serve"

	"github.com/spf13/cobra"
)

// pageFlags are the flags of verbs that serve pages.
type pageFlags struct {
	hosts     []string // host names of the pages, in addition to those of this machine
	basePath  string   // path of the pages
	proxies   []string // addresses of proxies
	tokenFile string   // path of the file with the token of the pages; "" for a random token

	// paths of the certificate and its key; registerTLS adds their flags
	tlsCert, tlsKey string

	names []string // names of the flags that register added

	// values of flags, which check sets
	trusted []netip.Prefix
	token   string
}

// register adds the flags. tokenFile is the name of the flag for the file with the token.
func (f *pageFlags) register(cmd *cobra.Command, tokenFile string) {
	f.names = []string{"host", "base-path", "trusted-proxy", tokenFile}
	cmd.Flags().StringSliceVar(&f.hosts, "host", nil, "also answer requests for this host name, e.g. a proxy's; without a port (repeatable)")
	cmd.Flags().StringVar(&f.basePath, "base-path", "", "serve the pages below this path, e.g. /dojo, for a proxy that passes on only this path")
	cmd.Flags().StringSliceVar(&f.proxies, "trusted-proxy", nil, "believe X-Forwarded-Host and X-Forwarded-Proto from this address or range, e.g. 10.0.0.0/8 (repeatable)")
	cmd.Flags().StringVar(&f.tokenFile, tokenFile, "", "read the token that the pages need to compute from this file (default: a random one, unless only this machine can reach the pages)")
}

// registerTLS adds the flags of the certificate.
func (f *pageFlags) registerTLS(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tlsCert, "tls-cert", "", "encrypt the connections with the certificate in this file; needs --tls-key")
	cmd.Flags().StringVar(&f.tlsKey, "tls-key", "", "the file with the private key of --tls-cert")
}

// given returns the name of a flag that the user gave, or "".
func (f *pageFlags) given(cmd *cobra.Command) string {
	for _, name := range f.names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// check returns an error if a value has the wrong form, or if the file with the token cannot be
// read.
func (f *pageFlags) check() (err error) {
	for _, host := range f.hosts {
		if err := serve.CheckHost(host); err != nil {
			return usagef("--host: %w", err)
		}
	}
	if err := serve.CheckBasePath(f.basePath); err != nil {
		return usagef("--base-path: %w", err)
	}
	for _, text := range f.proxies {
		proxy, err := serve.ParseProxy(text)
		if err != nil {
			return usagef("--trusted-proxy: %w", err)
		}
		f.trusted = append(f.trusted, proxy)
	}
	if (f.tlsCert == "") != (f.tlsKey == "") {
		return usagef("--tls-cert and --tls-key need each other: give both or neither")
	}
	if f.tokenFile == "" {
		return nil
	}
	if f.token, err = (tokenSource{File: f.tokenFile}).read(); err != nil {
		return err
	}
	if err := serve.CheckToken(f.token); err != nil {
		return fmt.Errorf("token: the file %s: %w", f.tokenFile, err)
	}
	return nil
}

// apply sets the options that the flags stand for. The caller has called check.
func (f *pageFlags) apply(opt *serve.Options, log *slog.Logger) (err error) {
	opt.Hosts, opt.BasePath, opt.Trusted, opt.Token = f.hosts, f.basePath, f.trusted, f.token
	if f.tlsCert != "" {
		opt.TLS, err = certificate.Server(f.tlsCert, f.tlsKey, log)
	}
	return err
}

// advice returns a line that tells the user how browsers get the token of the pages at the given
// address, or "" if they need none.
func (f *pageFlags) advice(url string) string {
	switch {
	case strings.Contains(url, "#token="):
		return "on other machines, open this address with this machine's name or IP address in it, and with the same #token"
	case f.tokenFile != "":
		return fmt.Sprintf("to play and analyse, append #token= and the token in %s to the address", f.tokenFile)
	}
	return ""
}

// hostPort returns an error if the value of a flag is not of the form HOST:PORT.
func hostPort(flag, address string) error {
	if err := wire.CheckListen(address); err != nil {
		return usagef("%s %w", flag, err)
	}
	return nil
}
