package clientcrypto

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// blobHead is how a PUBLICKEYBLOB begins: a public key (6), version 2, two
// reserved bytes, the algorithm RSA key exchange (0x0000A400) and "RSA1". Then
// come the bits of the modulus and the exponent, 4 bytes each, and the modulus;
// all numbers are little-endian.
var blobHead = []byte("\x06\x02\x00\x00\x00\xa4\x00\x00RSA1")

// publicKeyBlob writes a key of keyBits as the base64 of a PUBLICKEYBLOB.
func publicKeyBlob(key *rsa.PublicKey) string {
	b := bytes.Clone(blobHead)
	b = binary.LittleEndian.AppendUint32(b, keyBits)
	b = binary.LittleEndian.AppendUint32(b, uint32(key.E))
	modulus := key.N.FillBytes(make([]byte, keySize))
	slices.Reverse(modulus)
	return text64.EncodeToString(append(b, modulus...))
}

// ParsePublicKeyBlob reads the blob of an RSA-2048 key, as a client does.
func ParsePublicKeyBlob(blob string) (*rsa.PublicKey, error) {
	size := len(blobHead) + 8 + keySize
	if len(blob) != text64.EncodedLen(size) {
		return nil, fmt.Errorf("clientcrypto: a public key blob has %d characters, not %d", text64.EncodedLen(size), len(blob))
	}
	b, err := text64.DecodeString(blob)
	if err != nil || len(b) != size {
		return nil, errors.New("clientcrypto: a public key blob is base64")
	}
	rest, ok := bytes.CutPrefix(b, blobHead)
	if !ok || binary.LittleEndian.Uint32(rest) != keyBits {
		return nil, fmt.Errorf("clientcrypto: not the blob of an RSA public key of %d bits", keyBits)
	}
	exponent := binary.LittleEndian.Uint32(rest[4:])
	modulus := rest[8:]
	slices.Reverse(modulus)
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: int(exponent)}
	if key.N.BitLen() != keyBits || exponent < 3 || exponent > 1<<31-1 || exponent%2 == 0 {
		return nil, fmt.Errorf("clientcrypto: the numbers in the blob are not those of an RSA public key of %d bits", keyBits)
	}
	return key, nil
}

// Seal encrypts a JSON object of at most 214 bytes for the key of a blob, with
// OAEP, as a client does.
func Seal(blob string, object []byte) (string, error) {
	key, err := ParsePublicKeyBlob(blob)
	if err != nil {
		return "", err
	}
	block, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key, object, nil)
	if err != nil {
		return "", fmt.Errorf("encrypt %d bytes: %w", len(object), err)
	}
	return text64.EncodeToString(block), nil
}
