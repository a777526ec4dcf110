// Package certificate makes TLS configurations from files in PEM format.
//
// It checks a certificate before using it: its validity, its key and, for servers, its names. While
// the program runs, the package reads a certificate again when its files change, so renewing a
// certificate needs no restart. Each new connection uses the newest certificate that passed the
// checks. If new files are bad, the package logs why and keeps using the old certificate.
package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"dojo.example/internal/regular"
)

const (
	maxPEM        = 1 << 20             // maximum size of a file, in bytes
	checkInterval = time.Second         // shortest time between two checks for changed files
	soon          = 14 * 24 * time.Hour // remaining validity that causes a warning
)

// Server returns the TLS configuration of a server. certificate and key are the paths of two files.
// The first may also contain the certificates of the authorities that signed the server's own.
//
// The configuration cannot be extended: connections use only the certificate and the protocol
// versions that Server sets, even if the caller sets other fields.
func Server(certificate, key string, log *slog.Logger) (*tls.Config, error) {
	return newPair(certificate, key, log).server()
}

// Client returns the TLS configuration of a client. authority is the path of a file with the
// certificate of the server, or of the authority that signed it. If authority is "", connections
// work only if the system trusts the server's certificate. certificate and key are the paths of the
// client's own certificate and its key, or both "" if the client has none. If all paths are "",
// Client returns nil.
//
// The file authority is read only once. The client's own certificate is read again if it changes.
func Client(authority, certificate, key string, log *slog.Logger) (*tls.Config, error) {
	if authority == "" && certificate == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		text, err := regular.ReadText(authority, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificate: %s contains no certificate in PEM format", authority)
		}
	}
	if certificate != "" {
		p := newPair(certificate, key, log)
		p.client = true
		if err := p.open(); err != nil {
			return nil, err
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &p.latest().Certificates[0], nil
		}
	}
	return config, nil
}

// Expires returns when the certificate expires that the next connection with config gets. config is
// a result of Server, or one of Client with a client's own certificate. Like a connection, Expires
// reads the files again if they have changed.
func Expires(config *tls.Config) time.Time {
	if own := config.GetClientCertificate; own != nil {
		c, _ := own(nil) // returns no error
		return c.Leaf.NotAfter
	}
	latest, _ := config.GetConfigForClient(nil) // returns no error
	return latest.Certificates[0].Leaf.NotAfter
}

// load reads a certificate with its key, and checks both.
func (p *pair) load() (tls.Certificate, error) {
	public, err := regular.ReadText(p.certificate, maxPEM)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate: %w", err)
	}
	private, err := regular.ReadText(p.key, maxPEM)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("key: %w", err)
	}
	pair, err := tls.X509KeyPair(public, private)
	switch {
	case err == nil:
		return pair, p.check(pair.Leaf)
	case strings.Contains(err.Error(), "does not match public key"): // crypto/tls has no error value for this
		err = fmt.Errorf("key %s is not the key of certificate %s", p.key, p.certificate)
	case strings.Contains(string(private), "ENCRYPTED"):
		err = fmt.Errorf("key %s is encrypted with a password; remove the password with: openssl pkey", p.key)
	default:
		err = fmt.Errorf("certificate %s with key %s: %w", p.certificate, p.key, err)
	}
	return tls.Certificate{}, err
}

// check returns an error if the other side of a connection would reject the certificate.
func (p *pair) check(c *x509.Certificate) error {
	now := p.now()
	var why string
	switch {
	case now.After(c.NotAfter):
		why = "expired on " + day(c.NotAfter)
	case now.Before(c.NotBefore):
		why = fmt.Sprintf("is not valid before %s; today is %s by the clock of this machine", day(c.NotBefore), day(now))
	case p.client || len(c.DNSNames)+len(c.IPAddresses) > 0:
		return nil
	case c.Subject.CommonName != "":
		why = "has only a common name, which clients ignore; make one with subjectAltName"
	default:
		why = "has no host name; make one with subjectAltName"
	}
	return errors.New("certificate " + p.certificate + " " + why)
}

// day returns the date of a time in UTC.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
