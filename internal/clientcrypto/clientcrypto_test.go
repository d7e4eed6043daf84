package clientcrypto

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"hash"
	"strings"
	"sync"
	"testing"
	"time"
)

// pair is a key pair that all tests share, because making one is slow.
var pair = sync.OnceValue(func() *KeyPair {
	k, err := NewKeyPair()
	if err != nil {
		panic(err)
	}
	return k
})

const object = `{"CustomId":"abc","PlayerSecret":"s3cr3t"}`

// oaep and v15 encrypt for the shared key pair as clients do.
func oaep(t testing.TB, h hash.Hash, plain string) string {
	t.Helper()
	b, err := rsa.EncryptOAEP(h, rand.Reader, &pair().private.PublicKey, []byte(plain), nil)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func v15(t testing.TB, plain string) string {
	t.Helper()
	//lint:ignore SA1019 what old clients do
	b, err := rsa.EncryptPKCS1v15(rand.Reader, &pair().private.PublicKey, []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestOpen(t *testing.T) {
	sealed, old := oaep(t, sha1.New(), object), v15(t, object)
	longest := `{"a":"` + strings.Repeat("x", 214-8) + `"}`
	oldest := `{"a":"` + strings.Repeat("x", 245-8) + `"}`
	byClient, err := Seal(pair().PublicKeyBlob(), []byte(object))
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := Seal(other.PublicKeyBlob(), []byte(object))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what, text  string
		strict, lax string // what is opened without and with v1.5; "": nothing
	}{
		{"OAEP", sealed, object, object},
		{"Seal", byClient, object, object},
		{"the longest of OAEP", oaep(t, sha1.New(), longest), longest, longest},
		{"v1.5", old, "", object},
		{"the longest of v1.5", v15(t, oldest), "", oldest},
		{"an empty object", oaep(t, sha1.New(), "{}"), "{}", "{}"},
		{"blanks around", oaep(t, sha1.New(), " {} \n"), " {} \n", " {} \n"},
		{"OAEP with another hash", oaep(t, sha256.New(), object), "", ""},
		{"nothing", "", "", ""},
		{"nothing inside", oaep(t, sha1.New(), ""), "", ""},
		{"a string inside", oaep(t, sha1.New(), `"x"`), "", ""},
		{"a list inside", oaep(t, sha1.New(), `[]`), "", ""},
		{"two objects inside", oaep(t, sha1.New(), `{}{}`), "", ""},
		{"half an object inside", v15(t, `{"a":`), "", ""},
		{"a doubled member inside", oaep(t, sha1.New(), `{"a":1,"a":2}`), "", ""},
		{"no UTF-8 inside", v15(t, "{\"a\":\"\xff\"}"), "", ""},
		{"another title's", foreign, "", ""},
		{"no base64", strings.Repeat("!", 344), "", ""},
		{"cut off", sealed[:340], "", ""},
		{"without padding", strings.TrimRight(sealed, "="), "", ""},
		{"line break", sealed[:342] + "\n" + sealed[343:], "", ""},
		{"too long", sealed + sealed, "", ""},
		{"zeroes", base64.StdEncoding.EncodeToString(make([]byte, 256)), "", ""},
		{"above the modulus", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 256)), "", ""},
	} {
		for allow, want := range map[bool]string{false: tc.strict, true: tc.lax} {
			got, err := pair().Open(tc.text, allow)
			if want == "" && (err != ErrSealed || got != nil) {
				t.Errorf("%s, v1.5 %v: %q %v, want ErrSealed and nothing else", tc.what, allow, got, err)
			}
			if want != "" && (err != nil || string(got) != want) {
				t.Errorf("%s, v1.5 %v: %q %v, want %q", tc.what, allow, got, err, want)
			}
		}
	}
}

// TestWrongPaddingDecryptsToSomething: what a wrong padding gives is a text like
// another, the same one every time and another one for another key.
func TestWrongPaddingDecryptsToSomething(t *testing.T) {
	block := make([]byte, keySize)
	lengths := map[int]bool{}
	for i := range 40 {
		block[keySize-1] = byte(i + 2)
		one, two := pair().openPKCS1v15(block), pair().openPKCS1v15(block)
		if !bytes.Equal(one, two) || len(one) > longestPlain {
			t.Fatalf("%d bytes, then %d", len(one), len(two))
		}
		lengths[len(one)] = true
	}
	if len(lengths) < 10 {
		t.Errorf("40 blocks give texts of %d lengths", len(lengths))
	}
}

func TestMarshal(t *testing.T) {
	der, err := pair().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseKeyPair(der)
	if err != nil || again.PublicKeyBlob() != pair().PublicKeyBlob() {
		t.Fatalf("another key pair came back: %v", err)
	}
	if got, err := again.Open(oaep(t, sha1.New(), object), false); err != nil || string(got) != object {
		t.Errorf("after storage: %q %v", got, err)
	}
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for what, key := range map[string]any{"1024 bits": small, "an elliptic curve": curve} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseKeyPair(der); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if _, err := ParseKeyPair([]byte("x")); err == nil {
		t.Error("no DER: accepted")
	}
}

func TestPublicKeyBlob(t *testing.T) {
	blob := pair().PublicKeyBlob()
	if len(blob) != 368 || !strings.HasPrefix(blob, "BgIAAACkAABSU0ExAAgAAAEAAQ") {
		t.Errorf("%d characters: %.40s", len(blob), blob)
	}
	key, err := ParsePublicKeyBlob(blob)
	if err != nil || !key.Equal(&pair().private.PublicKey) {
		t.Errorf("another key came back: %v", err)
	}
	raw, err := base64.StdEncoding.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	if raw[20] != pair().private.N.Bytes()[255] {
		t.Error("the modulus does not begin with its lowest byte")
	}
	changed := func(at int, b byte) string {
		c := bytes.Clone(raw)
		c[at] = b
		return base64.StdEncoding.EncodeToString(c)
	}
	for what, blob := range map[string]string{
		"nothing": "", "cut off": blob[:364], "no base64": strings.Repeat("!", 368), "a private key": changed(0, 7),
		"another algorithm": changed(5, 0x24), "other bits": changed(13, 4), "even exponent": changed(16, 0), "small modulus": changed(275, 0),
	} {
		if _, err := ParsePublicKeyBlob(blob); err == nil {
			t.Errorf("%s: accepted", what)
		}
		if _, err := Seal(blob, []byte("{}")); err == nil {
			t.Errorf("%s: encrypted", what)
		}
	}
	if _, err := Seal(blob, make([]byte, 215)); err == nil {
		t.Error("215 bytes encrypted")
	}
}

func TestSign(t *testing.T) {
	got := Sign([]byte(`{"CustomId":"abc","TitleId":"ABCDE"}`), "2024-01-02T03:04:05.0000000Z", "s3cr3t")
	if want := "vagX9ydbMhuiu1YKPnenHwPLf5P6u8MQseT5Da1QleY="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVerify(t *testing.T) {
	const secret, stamp = "s3cr3t", "2024-01-02T03:04:05.0000000Z"
	body := []byte(`{"CustomId":"abc"}`)
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	good := Sign(body, stamp, secret)
	for _, tc := range []struct {
		what      string
		signature string
		body      string
		stamp     string
		secret    string
		after     time.Duration // of the server's clock
		want      error
	}{
		{"as signed", good, string(body), stamp, secret, 0, nil},
		{"empty body", Sign(nil, stamp, secret), "", stamp, secret, 0, nil},
		{"no fraction", Sign(body, "2024-01-02T03:04:05Z", secret), string(body), "2024-01-02T03:04:05Z", secret, 0, nil},
		{"UTC as an offset", Sign(body, "2024-01-02T03:04:05.1234567+00:00", secret), string(body), "2024-01-02T03:04:05.1234567+00:00", secret, 0, nil},
		{"at the end of the window", good, string(body), stamp, secret, Window, nil},
		{"after the window", good, string(body), stamp, secret, Window + 1, ErrSignatureTime},
		{"from the future", good, string(body), stamp, secret, -Window, nil},
		{"from too far in the future", good, string(body), stamp, secret, -Window - 1, ErrSignatureTime},
		{"another body", good, `{"CustomId":"abd"}`, stamp, secret, 0, ErrSignature},
		{"another time", good, string(body), "2024-01-02T03:04:05.0000001Z", secret, 0, ErrSignature},
		{"the same time in other digits", good, string(body), "2024-01-02T03:04:05.000Z", secret, 0, ErrSignature},
		{"another secret", good, string(body), stamp, "s3cr3T", 0, ErrSignature},
		{"no secret", Sign(body, stamp, ""), string(body), stamp, "", 0, ErrSignature},
		{"no signature", "", string(body), stamp, secret, 0, ErrSignature},
		{"without padding", strings.TrimRight(good, "="), string(body), stamp, secret, 0, ErrSignature},
		{"longer", good + "AAAA", string(body), stamp, secret, 0, ErrSignature},
		{"no time", good, string(body), "", secret, 0, ErrSignatureTime},
		{"local time", Sign(body, "2024-01-02T04:04:05+01:00", secret), string(body), "2024-01-02T04:04:05+01:00", secret, 0, ErrSignatureTime},
		{"no zone", good, string(body), "2024-01-02T03:04:05", secret, 0, ErrSignatureTime},
		{"seconds since 1970", good, string(body), "1704164645", secret, 0, ErrSignatureTime},
		{"without end", good, string(body), "2024-01-02T03:04:05." + strings.Repeat("0", 100) + "Z", secret, 0, ErrSignatureTime},
		{"year 1", good, string(body), "0001-01-01T00:00:00Z", secret, 0, ErrSignatureTime},
		{"year 9999", good, string(body), "9999-12-31T23:59:59Z", secret, 0, ErrSignatureTime},
	} {
		err := Verify(tc.signature, []byte(tc.body), tc.stamp, tc.secret, now.Add(tc.after), Window)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.what, err, tc.want)
		}
	}
}

// FuzzOpen: no text panics, and only a JSON object comes out.
func FuzzOpen(f *testing.F) {
	f.Add(oaep(f, sha1.New(), object), true)
	f.Add(v15(f, object), true)
	f.Add(v15(f, "no object"), true)
	f.Add(strings.Repeat("A", 344), false) // 258 bytes
	f.Add("", false)
	f.Fuzz(func(t *testing.T, text string, allow bool) {
		plain, err := pair().Open(text, allow)
		if err != nil && (err != ErrSealed || plain != nil) {
			t.Errorf("%v with %q", err, plain)
		}
		if err == nil && (!isObject(plain) || len(plain) > longestPlain) {
			t.Errorf("opened %q", plain)
		}
	})
}

// FuzzBlob: no text panics, and a blob that is read is written back the same.
func FuzzBlob(f *testing.F) {
	f.Add(pair().PublicKeyBlob())
	f.Add("BgIAAACkAABSU0ExAAgAAAEAAQ")
	f.Fuzz(func(t *testing.T, blob string) {
		if key, err := ParsePublicKeyBlob(blob); err == nil && publicKeyBlob(key) != blob {
			t.Errorf("%q is written back as %q", blob, publicKeyBlob(key))
		}
	})
}

// FuzzVerify: no headers panic, and only the right signature at the right time passes.
func FuzzVerify(f *testing.F) {
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Add("vagX9ydbMhuiu1YKPnenHwPLf5P6u8MQseT5Da1QleY=", []byte(`{"CustomId":"abc","TitleId":"ABCDE"}`), "2024-01-02T03:04:05.0000000Z")
	f.Add("", []byte(nil), "2024-01-02T03:04:05,5Z")
	f.Fuzz(func(t *testing.T, signature string, body []byte, timestamp string) {
		at, readable := parseTimestamp(timestamp)
		if readable && len(timestamp) > longestTimestamp {
			t.Errorf("read %q as %v", timestamp, at)
		}
		err := Verify(signature, body, timestamp, "s3cr3t", now, Window)
		if err == nil && (signature != Sign(body, timestamp, "s3cr3t") || now.Sub(at).Abs() > Window) {
			t.Errorf("%q at %q accepted", signature, timestamp)
		}
		if readable && now.Sub(at).Abs() <= Window && Verify(Sign(body, timestamp, "s3cr3t"), body, timestamp, "s3cr3t", now, Window) != nil {
			t.Errorf("the right signature at %q refused", timestamp)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	for name, text := range map[string]string{"oaep": oaep(b, sha1.New(), object), "v15": v15(b, object), "refused": strings.Repeat("A", 342) + "=="} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = pair().Open(text, true)
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	body := bytes.Repeat([]byte("x"), 400)
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	const stamp = "2024-01-02T03:04:05.0000000Z"
	good := Sign(body, stamp, "s3cr3t")
	b.ReportAllocs()
	for b.Loop() {
		if err := Verify(good, body, stamp, "s3cr3t", now, Window); err != nil {
			b.Fatal(err)
		}
	}
}
