package clientcrypto

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	keyBits = 2048
	keySize = keyBits / 8
	// longestPlain is the most that a block holds, with PKCS #1 v1.5; OAEP with
	// SHA-1 leaves room for 214 bytes.
	longestPlain = keySize - 11
)

// text64 is the base64 of blobs and of encrypted requests.
var text64 = base64.StdEncoding.Strict()

// ErrSealed: a text that this key pair does not open, for whatever reason.
var ErrSealed = errors.New("clientcrypto: the encrypted request cannot be opened")

// KeyPair is the RSA-2048 key pair of a title. It is safe for concurrent use.
type KeyPair struct {
	private *rsa.PrivateKey
	blob    string
	decoy   []byte // secret that made-up texts come from
}

// NewKeyPair makes a key pair; that takes some tenths of a second.
func NewKeyPair() (*KeyPair, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("make a key pair: %w", err)
	}
	return newKeyPair(private)
}

// ParseKeyPair reads what [KeyPair.Marshal] wrote.
func ParseKeyPair(der []byte) (*KeyPair, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read a key pair: %w", err)
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok || private.N.BitLen() != keyBits {
		return nil, fmt.Errorf("read a key pair: it is not an RSA key of %d bits", keyBits)
	}
	return newKeyPair(private)
}

func newKeyPair(private *rsa.PrivateKey) (*KeyPair, error) {
	decoy, err := hkdf.Extract(sha256.New, private.D.Bytes(), []byte("ludgate made-up plaintext"))
	if err != nil {
		return nil, fmt.Errorf("derive from a key pair: %w", err)
	}
	return &KeyPair{private: private, blob: publicKeyBlob(&private.PublicKey), decoy: decoy}, nil
}

// Marshal gives the key pair as PKCS #8 DER, for storage in a secret.Box.
func (k *KeyPair) Marshal() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return nil, fmt.Errorf("write a key pair: %w", err)
	}
	return der, nil
}

// PublicKeyBlob is the public key as clients get it: base64 (368 characters) of a
// PUBLICKEYBLOB (P-5.R4).
func (k *KeyPair) PublicKeyBlob() string { return k.blob }

// Open gives the JSON object that a client encrypted: text is base64 with padding
// of one RSA block. It tries OAEP with SHA-1, then, where allowed, PKCS #1 v1.5.
// The object has no doubled member and is UTF-8; which members it may have is for
// the caller to check. The only error is ErrSealed.
func (k *KeyPair) Open(text string, allowPKCS1v15 bool) ([]byte, error) {
	if len(text) != text64.EncodedLen(keySize) {
		return nil, ErrSealed
	}
	block, err := text64.DecodeString(text)
	if err != nil || len(block) != keySize {
		return nil, ErrSealed
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), nil, k.private, block, nil)
	if err != nil {
		if !allowPKCS1v15 {
			return nil, ErrSealed
		}
		plain = k.openPKCS1v15(block)
	}
	if !isObject(plain) {
		return nil, ErrSealed
	}
	return plain, nil
}

// openPKCS1v15 decrypts a block, or makes up what a block with a wrong padding
// decrypts to. The made-up text exists before anything is known of the padding.
func (k *KeyPair) openPKCS1v15(block []byte) []byte {
	decoy, err := hkdf.Expand(sha256.New, k.decoy, string(block), 1+longestPlain)
	if err != nil {
		return nil // not with these lengths
	}
	n := int(decoy[0]) % (1 + longestPlain)
	//lint:ignore SA1019 a title allows it for old clients, and the result does not show whether the padding was right
	plain, err := rsa.DecryptPKCS1v15(nil, k.private, block)
	if err != nil {
		plain = decoy[1 : 1+n]
	}
	return plain
}

// isObject reports whether b is one JSON object without doubled members.
func isObject(b []byte) bool {
	v := jsontext.Value(b)
	return v.Kind() == jsontext.KindBeginObject && v.IsValid()
}
