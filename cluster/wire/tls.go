package wire

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"dojo.example/internal/regular"

	"github.com/nats-io/nats.go"
)

// maxPEM is the maximum size of a certificate file or a key file, in bytes.
const maxPEM = 1 << 20

// ServerTLS returns the TLS configuration of an embedded server. certificate and key are the paths
// of two files in PEM format.
func ServerTLS(certificate, key string) (*tls.Config, error) {
	public, err := regular.ReadText(certificate, maxPEM)
	private, unread := regular.ReadText(key, maxPEM)
	err = cmp.Or(err, unread)
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.X509KeyPair(public, private)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", certificate, key, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// ClientTLS returns the TLS configuration for connecting to a server. authority is the path of a
// PEM file. It contains the certificate of the server, or of the authority that signed that
// certificate. If authority is "", ClientTLS returns nil; then connections work only if the system
// trusts the server's certificate.
func ClientTLS(authority string) (*tls.Config, error) {
	if authority == "" {
		return nil, nil
	}
	text, err := regular.ReadText(authority, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("certificate: %s contains no certificate in PEM format", authority)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

// Encryption returns the options that encrypt connections to servers. The addresses in servers are
// separated by commas. If given is not nil, it is the configuration to use. Otherwise, connections
// to other machines are encrypted unless insecure is true, and the system must trust the server's
// certificate.
func Encryption(given *tls.Config, servers string, insecure bool) []nats.Option {
	switch {
	case given != nil:
		return []nats.Option{nats.Secure(given)}
	case insecure || onLoopback(servers):
		return nil
	}
	return []nats.Option{nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12})}
}

// TLSProblem reports whether err says that a connection is not encrypted or not trusted. In that
// case, retrying does not help. why tells the user what is wrong and what to do.
func TLSProblem(err error) (why string, ok bool) {
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fmt.Sprintf("its certificate is not trusted: %v (use --tls-ca FILE to trust the certificate in a file)", bad.Err), true
	}
	if errors.Is(err, nats.ErrSecureConnWanted) {
		return "it does not encrypt: give it a certificate (for a trainer: --tls-cert and --tls-key), or allow plain text with --insecure", true
	}
	return "", false
}
