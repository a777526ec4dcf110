package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/nats-io/nats.go"
)

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
		return fmt.Sprintf("its certificate is not trusted: %v (use --tls-ca FILE to trust the certificate in a file; the server's must name the host in subjectAltName)", bad.Err), true
	}
	if errors.Is(err, nats.ErrSecureConnWanted) {
		return "it does not encrypt: give it a certificate (for a trainer: --tls-cert and --tls-key), or allow plain text with --insecure", true
	}
	// crypto/tls has no error value for an alert that the server sends.
	if alert := (*net.OpError)(nil); errors.As(err, &alert) && alert.Op == "remote error" {
		return fmt.Sprintf("it rejects the certificate of this side, or wants one: %v (give a certificate with --tls-cert FILE and --tls-key FILE)", alert.Err), true
	}
	return "", false
}
