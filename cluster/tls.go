package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"dojo/internal/regular"

	"github.com/nats-io/nats.go"
)

// maxPEM is the most bytes of a file with a certificate or a key.
const maxPEM = 1 << 20

// ServerTLS returns the TLS configuration of an embedded server from a certificate and its
// key, both files in PEM.
func ServerTLS(certificate, key string) (*tls.Config, error) {
	public, err := regular.Read(certificate, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	secret, err := regular.Read(key, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("key of the certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(public, secret)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", certificate, key, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// ClientTLS returns the TLS configuration of connections to a server. authority is a file in
// PEM with the server's certificate, or with that of the authority that signed it.
func ClientTLS(authority string) (*tls.Config, error) {
	text, err := regular.Read(authority, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("certificate: %s holds none in PEM", authority)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

// tlsProblem reports whether err says that a connection is not encrypted or not trusted, so
// that trying again would not help, and explains it.
func tlsProblem(err error) (why string, ok bool) {
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fmt.Sprintf("its certificate is not trusted: %v (--tls-ca names a file with the one to trust)", bad.Err), true
	}
	if errors.Is(err, nats.ErrSecureConnWanted) {
		return "it does not encrypt, and --tls-ca asks for it", true
	}
	return "", false
}
