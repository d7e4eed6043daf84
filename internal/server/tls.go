package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"ludgate/internal/secret"
)

// Lifetimes of the local authority and of the certificate it makes at each start.
const (
	caLifetime   = 10 * 365 * 24 * time.Hour
	leafLifetime = 90 * 24 * time.Hour
)

// CAFile is the local authority's certificate in a data directory, the file that
// clients are told to trust.
func CAFile(data string) string { return filepath.Join(data, "ca", "ca.pem") }

// localCertificate makes a certificate for loopback and the given names, signed
// by the local authority of the data directory, which is made at first start.
func localCertificate(data string, names []string, now time.Time) (*tls.Certificate, error) {
	ca, caKey, err := loadCA(data, now)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(leafLifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     append([]string{"localhost", "*.localhost"}, names...),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der, ca.Raw}, PrivateKey: key}, nil
}

// loadCA reads the local authority, making it when it is missing or about to
// expire.
func loadCA(data string, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	keyFile := filepath.Join(data, "ca", "ca-key.pem")
	pair, err := tls.LoadX509KeyPair(CAFile(data), keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return createCA(data, keyFile, now)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read local certificate authority in %s: %w", filepath.Dir(keyFile), err)
	}
	ca, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return nil, nil, fmt.Errorf("read local certificate authority: %w", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, nil, fmt.Errorf("%s does not hold an ECDSA key", keyFile)
	}
	if now.Add(leafLifetime).After(ca.NotAfter) {
		return createCA(data, keyFile, now)
	}
	return ca, key, nil
}

func createCA(data, keyFile string, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	host, _ := os.Hostname() // only to tell several authorities apart
	tmpl := &x509.Certificate{
		SerialNumber:          serial(),
		Subject:               pkix.Name{Organization: []string{"Ludgate"}, CommonName: "Ludgate local authority " + host},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(caLifetime),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		return nil, nil, fmt.Errorf("make local certificate authority: %w", err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	if err := secret.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})); err != nil {
		return nil, nil, err
	}
	if err := secret.WriteFile(CAFile(data), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})); err != nil {
		return nil, nil, err
	}
	ca, err := x509.ParseCertificate(der)
	return ca, key, err
}

// serial makes a certificate serial number of 127 random bits.
func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return n
}
