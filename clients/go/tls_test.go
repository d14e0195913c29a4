package hs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate makes one for the name localhost, signed by itself, and its file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err = os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestTLSLooksAtCertificateAndName(t *testing.T) {
	own, file := certificate(t)
	f := newFakeOn(t, rows, func(o *fake) {
		o.listener = tls.NewListener(o.listener, &tls.Config{Certificates: []tls.Certificate{own}})
	})
	for _, c := range []struct {
		mode, ca, name string
		good           bool
	}{
		{"require", "", "", true},
		{"verify", file, "localhost", true},
		{"verify", file, "", false}, // The certificate does not name 127.0.0.1.
		{"verify", "", "localhost", false},
	} {
		client := f.client(func(o *Options) { o.TLS, o.TLSCA, o.TLSName, o.Retries = c.mode, c.ca, c.name, 0 })
		users := client.Table("test.user")
		for i := 0; i < 2; i++ { // The second one on the connection of the first.
			row, err := users.Get(background, 1)
			var broken *ConnectionError
			if c.good && (err != nil || row["name"] != "one") || !c.good && !errors.As(err, &broken) {
				t.Errorf("%+v: %v, %v", c, row, err)
			}
		}
		if idle := len(client.read.idle); c.good && idle != 1 {
			t.Errorf("%+v: %d connections", c, idle)
		}
	}
}
