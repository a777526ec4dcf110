// Package certtest makes certificates for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A Pair is a certificate and its key.
type Pair struct {
	Certificate, Key string // paths of the two files

	parsed  *x509.Certificate
	private *ecdsa.PrivateKey
}

// Make writes a certificate and its key into the folder dir, as the files tls.crt and tls.key. The
// certificate is for localhost and the loopback addresses, for servers and clients, and is valid
// for a year. by signs it. If by is nil, the certificate signs itself and can sign others. change
// changes the certificate before it is signed; it may be nil.
func Make(t testing.TB, dir string, by *Pair, change func(*x509.Certificate)) *Pair {
	t.Helper()
	p := &Pair{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "trainer"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        by == nil, BasicConstraintsValid: true,
	}
	if change != nil {
		change(template)
	}
	var err error
	if p.private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	parent, signer := template, p.private
	if by != nil {
		parent, signer = by.parsed, by.private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &p.private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if p.parsed, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(p.private)
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.Certificate, "CERTIFICATE", der)
	write(t, p.Key, "PRIVATE KEY", secret)
	return p
}

// write writes a file in PEM format.
func write(t testing.TB, path, kind string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
}
