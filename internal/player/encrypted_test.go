package player

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/clientcrypto"
	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

var (
	noSharedSecret  = refusal{name: "NoSharedSecretKeyConfigured", number: "1292", message: "The title has no shared secret"}
	badSharedSecret = refusal{name: "InvalidSharedSecretKey", number: "1296", message: "The shared secret is wrong or disabled"}
	brokenKey       = refusal{name: "EncryptionKeyBroken", number: "1291", message: "The title's key pair cannot be used"}
)

// publicKey does what a client's author and then a client do: make a shared
// secret, and get the title's public key with it.
func (f *fixture) publicKey(titleID string) string {
	f.t.Helper()
	made := f.result(f.call("/Admin/CreatePlayerSharedSecret", f.server(titleID), obj{}))
	key := f.result(f.call("/Client/GetTitlePublicKey", nil, obj{"TitleId": titleID, "TitleSharedSecret": made["SecretKey"]}))
	return key["RSAPublicKey"].(string)
}

// seal encrypts an object as a client does, in the naming's words.
func (f *fixture) seal(blob string, object obj) string {
	f.t.Helper()
	return must(clientcrypto.Seal(blob, []byte(object.text())))(f.t)
}

// sealV15 encrypts a text with the old padding.
func sealV15(t testing.TB, blob, text string) string {
	t.Helper()
	key := must(clientcrypto.ParsePublicKeyBlob(blob))(t)
	//lint:ignore SA1019 what old clients do
	b := must(rsa.EncryptPKCS1v15(rand.Reader, key, []byte(text)))(t)
	return base64.StdEncoding.EncodeToString(b)
}

func TestGetTitlePublicKey(t *testing.T) {
	const path = "/Client/GetTitlePublicKey"
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		f.refused("no shared secret", f.call(path, nil, obj{"TitleId": "ABCDE", "TitleSharedSecret": "x"}), noSharedSecret)
		server := f.server("ABCDE")
		key := f.result(f.call("/Admin/CreatePlayerSharedSecret", server, obj{}))["SecretKey"].(string)
		f.allRefused(t, []attempt{
			{"no title", path, nil, obj{"TitleSharedSecret": key}, titleMissing},
			{"no secret", path, nil, obj{"TitleId": "ABCDE"}, f.lacks("TitleSharedSecret")},
			{"wrong secret", path, nil, obj{"TitleId": "ABCDE", "TitleSharedSecret": strings.ToLower(key)}, badSharedSecret},
			{"another title's", path, nil, obj{"TitleId": "FFF", "TitleSharedSecret": key}, noSharedSecret},
		})
		answers := together(func(int) answer { return f.call(path, nil, obj{"TitleId": "ABCDE", "TitleSharedSecret": key}) })
		blobs := map[any]bool{}
		for _, a := range answers {
			blobs[f.result(a)["RSAPublicKey"]] = true
		}
		for blob := range blobs {
			if _, err := clientcrypto.ParsePublicKeyBlob(blob.(string)); err != nil || len(blobs) != 1 {
				t.Errorf("%d keys, %v: %v", len(blobs), blob, err)
			}
		}
		f.result(f.call("/Admin/UpdatePlayerSharedSecret", server, obj{"SecretKey": key, "Disabled": true}))
		f.refused("disabled secret", f.call(path, nil, obj{"TitleId": "ABCDE", "TitleSharedSecret": key}), badSharedSecret)
		f.result(f.call("/Admin/UpdatePlayerSharedSecret", server, obj{"SecretKey": key, "Disabled": false}))
		f.breakKeyPair("ABCDE")
		f.refused("damaged key pair", f.call(path, nil, obj{"TitleId": "ABCDE", "TitleSharedSecret": key}), brokenKey)
		f.refused("request for a damaged key pair", f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "EncryptedRequest": "x"}), noKeyPair)
	})
}

func (f *fixture) breakKeyPair(titleID string) {
	f.t.Helper()
	if err := f.titles.UpdateKeys(f.t.Context(), titleID, func(k *title.Keys) error { k.Pair = []byte("x"); return nil }); err != nil {
		f.t.Fatal(err)
	}
}

// TestEncryptedRequests makes every call that takes one with what identifies the
// player inside.
func TestEncryptedRequests(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, withOpenID(setup{naming: n}))
		blob := f.publicKey("ABCDE")
		registered := f.result(f.call("/Client/RegisterPlatformUser", nil, obj{"TitleId": "ABCDE", "EncryptedRequest": f.seal(blob, obj{
			"Username": "Ann42", "Email": "ann@example.com", "Password": "secret", "DisplayName": "Ann of 42", "PlayerSecret": "s3cr3t", "Unknown": []int{1},
		})}))
		a := f.account(f.idOf(registered))
		if a.Username != "Ann42" || a.Email != "ann@example.com" || a.DisplayName != "Ann of 42" || a.Secret == "" || strings.Contains(a.Secret, "s3cr3t") {
			t.Errorf("registered: %+v", a)
		}
		f.result(f.call("/Client/LoginWithPlatform", nil, obj{"TitleId": "ABCDE", "Username": "Ann42", "Password": "secret"}))

		in := f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CreateAccount": true, "CustomId": "outside",
			"EncryptedRequest": f.seal(blob, obj{"CustomId": "inside"})}))
		if got := f.account(f.idOf(in)).CustomID; got != "inside" {
			t.Errorf("inside and outside: %q was taken", got)
		}
		in = f.result(f.call("/Client/LoginWithStreamingPlatform", nil, obj{"TitleId": "ABCDE", "CreateAccount": true,
			"EncryptedRequest": f.seal(blob, obj{"AccessToken": f.shortToken("42")})}))
		if got := f.account(f.idOf(in)).StreamingID; got != "42" {
			t.Errorf("streaming identity %q", got)
		}
		f.result(f.call("/Client/SetPlayerSecret", ticketOf(in), obj{"EncryptedRequest": f.seal(blob, obj{"PlayerSecret": "s3cr3t"})}))
		if f.account(f.idOf(in)).Secret == "" {
			t.Error("the secret was not set")
		}
		in = f.result(f.call("/Client/LoginWithOpenIdConnect", nil, obj{"TitleId": "ABCDE", "CreateAccount": true,
			"EncryptedRequest": f.seal(blob, obj{"ConnectionId": "studio", "IdToken": "ann"})}))
		if got := f.account(f.idOf(in)).OpenIDs; len(got) != 1 {
			t.Errorf("OpenID identities %v", got)
		}
		// What stays outside is not taken from inside.
		body := obj{"TitleId": "ABCDE", "EncryptedRequest": f.seal(blob, obj{"CustomId": "new", "CreateAccount": true, "TitleId": "FFF",
			"InfoRequestParameters": obj{"GetUserData": true}, "CustomTags": obj{"a": "b"}, "EncryptedRequest": "x"})}
		f.refused("CreateAccount inside", f.call("/Client/LoginWithCustomID", nil, body), notFound)
		in = f.result(f.call("/Client/LoginWithCustomID", nil, body.with(obj{"CreateAccount": true})))
		if c, err := f.service.gate.CheckTicket(in["SessionTicket"].(string)); err != nil || c.Title != "ABCDE" || in["InfoResultPayload"] != nil {
			t.Errorf("title %s, %v", c.Title, in)
		}
		f.refused("null inside takes away", f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "new",
			"EncryptedRequest": must(clientcrypto.Seal(blob, []byte(`{"CustomId":null}`)))(t)}), f.lacks("CustomId"))
	})
}

// shortToken is a token of a user that fits into an encrypted request.
func (f *fixture) shortToken(user string) string {
	f.t.Helper()
	token := f.token(user, "a")
	if len(token) > 180 {
		f.t.Fatalf("a token of %d bytes", len(token))
	}
	return token
}

// TestEncryptedRequestFailures: whatever is wrong with it, the answer is the same.
func TestEncryptedRequestFailures(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n, titles: titles{listed: listed{"0FF": {}, "01D": {AllowPKCS1v15: true, StreamingClientID: "ludgate-dev"}},
			spring: &title.Settings{StreamingClientID: "ludgate-dev"}}})
		blob, old := f.publicKey("ABCDE"), f.publicKey("01D")
		good := f.seal(blob, obj{"CustomId": "x"})
		const v15Object = `{"CustomId":"x"}`
		token := f.token("1", "ann")
		for _, to := range []struct {
			path string
			body obj
		}{
			{"/Client/LoginWithCustomID", obj{"CustomId": "x", "CreateAccount": true}},
			{"/Client/LoginWithStreamingPlatform", obj{"AccessToken": token, "CreateAccount": true}},
			{"/Client/RegisterPlatformUser", ann},
		} {
			for _, tc := range []struct{ what, title, text string }{
				{"no base64", "ABCDE", strings.Repeat("!", 344)},
				{"one character", "ABCDE", "A"},
				{"cut off", "ABCDE", good[:340]},
				{"changed", "ABCDE", "AAAA" + good[4:]},
				{"very long", "ABCDE", strings.Repeat("A", 500_000)},
				{"another title's", "01D", good},
				{"a list inside", "ABCDE", must(clientcrypto.Seal(blob, []byte(`[]`)))(t)},
				{"a member of a wrong type inside", "ABCDE", must(clientcrypto.Seal(blob, []byte(`{"CustomId":1,"AccessToken":2,"Username":3}`)))(t)},
				{"a doubled member inside", "ABCDE", must(clientcrypto.Seal(blob, []byte(`{"CustomId":"a","CustomId":"b"}`)))(t)},
				{"too deep inside", "ABCDE", must(clientcrypto.Seal(blob, []byte(`{"a":`+strings.Repeat("[", 70)+strings.Repeat("]", 70)+"}")))(t)},
				{"the old padding where it is off", "ABCDE", sealV15(t, blob, v15Object)},
				{"the old padding around nothing", "01D", sealV15(t, old, "x")},
				{"the old padding, changed", "01D", "AAAA" + sealV15(t, old, v15Object)[4:]},
			} {
				body := to.body.with(obj{"TitleId": tc.title, "EncryptedRequest": tc.text})
				f.refused(to.path+", "+tc.what, f.call(to.path, nil, body), sealedBadly)
			}
			f.refused(to.path+", no key pair", f.call(to.path, nil, to.body.with(obj{"TitleId": "0FF", "EncryptedRequest": good})), noKeyPair)
		}
		if players := f.count("players"); players != 0 {
			t.Errorf("%d players", players)
		}
		f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "01D", "CreateAccount": true, "EncryptedRequest": sealV15(t, old, v15Object)}))
		f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "01D", "EncryptedRequest": f.seal(old, obj{"CustomId": "x"})}))
	})
}

// protectedOnly is a policy that lets a client call in only when the request is
// signed or encrypted.
func (f *fixture) protectedOnly(path string) {
	f.t.Helper()
	if to, ok := f.naming.Player.Paths[path]; ok {
		path = to
	}
	all := obj{"Resource": "pfrn:api--*", "Action": "*", "Effect": "Allow", "Principal": "*"}
	deny := obj{"Resource": "pfrn:api--" + path, "Action": "*", "Effect": "Deny", "Principal": "*", "ApiConditions": obj{"HasSignatureOrEncryption": "False"}}
	server := f.server("ABCDE")
	version := f.result(f.call("/Admin/GetPolicy", server, obj{}))["PolicyVersion"]
	f.result(f.call("/Admin/UpdatePolicy", server, obj{"PolicyName": "ApiPolicy", "OverwritePolicy": true, "PolicyVersion": version, "Statements": []obj{all, deny}}))
}

// TestPolicyWantsProtection: a title may want requests signed or encrypted.
func TestPolicyWantsProtection(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		body := obj{"TitleId": "ABCDE", "CustomId": "x", "CreateAccount": true, "PlayerSecret": "s3cr3t"}
		in := f.result(f.call("/Client/LoginWithCustomID", nil, body))
		blob := f.publicKey("ABCDE")
		f.protectedOnly("/Client/LoginWithCustomID")
		plain := obj{"TitleId": "ABCDE", "CustomId": "x"}
		f.refused("plain", f.call("/Client/LoginWithCustomID", nil, plain), notYours)
		f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "EncryptedRequest": f.seal(blob, obj{"CustomId": "x"})}))
		f.result(f.call("/Client/LoginWithCustomID", f.signed(plain.text(), "s3cr3t"), plain))
		f.refused("a wrong signature", f.call("/Client/LoginWithCustomID", f.signed(plain.text(), "other"), plain), badSignature)
		f.result(f.call("/Client/GetAccountInfo", ticketOf(in), obj{})) // other calls are free

		// A signature that nothing could check is none.
		f.protectedOnly("/Client/GetTitlePublicKey")
		f.refused("signed by nobody", f.call("/Client/GetTitlePublicKey", f.signed("{}", "x"), obj{"TitleId": "ABCDE", "TitleSharedSecret": "x"}), notYours)
	})
}

// signed gives the headers of a request that is signed now.
func (f *fixture) signed(body, secret string) headers {
	stamp := f.clock.now().UTC().Format("2006-01-02T15:04:05.0000000Z")
	return headers{"X-PlayFab-Signature": clientcrypto.Sign([]byte(body), stamp, secret), "X-PlayFab-Timestamp": stamp}
}

// TestSignatures: the published vector over HTTP, and every way in which a
// signature can be wrong, on a sign-in and on a call with a ticket.
func TestSignatures(t *testing.T) {
	const stamp = "2024-01-02T03:04:05.0000000Z"
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		c := &clock{}
		c.at.Store(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli())
		f := newFixture(t, setup{naming: n, clock: c})
		in := f.result(f.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "abc", "CreateAccount": true, "PlayerSecret": "s3cr3t"}))
		const body = `{"CustomId":"abc","TitleId":"ABCDE"}`
		const vector = "vagX9ydbMhuiu1YKPnenHwPLf5P6u8MQseT5Da1QleY="
		const path = "/Client/LoginWithCustomID"
		for _, name := range []string{"Platform", "PlayFab"} {
			f.result(f.post(path, body, headers{"X-" + name + "-Signature": vector, "X-" + name + "-Timestamp": stamp}))
		}
		before := f.account(f.idOf(in))
		for _, tc := range []struct {
			what, signature, stamp string
			want                   refusal
		}{
			{"another signature", strings.ToLower(vector), stamp, badSignature},
			{"no signature", "", stamp, badSignature},
			{"no time", vector, "", badSignatureTime},
			{"no time that can be read", vector, "yesterday", badSignatureTime},
			{"another spelling of the time", vector, "2024-01-02T03:04:05Z", badSignature},
			{"local time", vector, "2024-01-02T03:04:05+01:00", badSignatureTime},
			{"too old", clientcrypto.Sign([]byte(body), "2024-01-02T02:59:04Z", "s3cr3t"), "2024-01-02T02:59:04Z", badSignatureTime},
			{"too new", clientcrypto.Sign([]byte(body), "2024-01-02T03:09:06Z", "s3cr3t"), "2024-01-02T03:09:06Z", badSignatureTime},
			{"another secret", clientcrypto.Sign([]byte(body), stamp, "S3cr3t"), stamp, badSignature},
			{"another body", clientcrypto.Sign([]byte("{}"), stamp, "s3cr3t"), stamp, badSignature},
			{"no secret", clientcrypto.Sign([]byte(body), stamp, ""), stamp, badSignature},
			{"very long", strings.Repeat("A", 5000), stamp, badSignature},
		} {
			h := headers{"X-Platform-Signature": tc.signature, "X-Platform-Timestamp": tc.stamp}
			f.refused(tc.what, f.post(path, body, h), tc.want)
			h["X-Authorization"] = in["SessionTicket"].(string)
			f.refused(tc.what+", with a ticket", f.post("/Client/GetAccountInfo", body, h), tc.want)
			f.refused(tc.what+", for an entity token", f.post("/Authentication/GetEntityToken", body, h), tc.want)
		}
		if after := f.account(before.ID); after.LastLogin != before.LastLogin {
			t.Errorf("a refused sign-in was noted: %+v", after)
		}
		// At the edges of the window.
		for _, at := range []string{"2024-01-02T02:59:05Z", "2024-01-02T03:09:05Z"} {
			f.result(f.post(path, body, headers{"X-Platform-Signature": clientcrypto.Sign([]byte(body), at, "s3cr3t"), "X-Platform-Timestamp": at}))
		}
		// A player without a secret cannot sign.
		other := f.custom("other")
		h := f.signed("{}", "s3cr3t")
		h["X-Authorization"] = other["SessionTicket"].(string)
		f.refused("no secret, with a ticket", f.post("/Client/GetAccountInfo", "{}", h), noSecret)
	})
}

// TestPlayerSecret: who may set it, and when.
func TestPlayerSecret(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		server := f.server("ABCDE")
		in := f.custom("x")
		id, ticket := f.idOf(in), ticketOf(in)
		const own, byServer, byAdmin = "/Client/SetPlayerSecret", "/Server/SetPlayerSecret", "/Admin/SetPlayerSecret"
		long := strings.Repeat("x", 257)
		tooLong := f.fault("PlayerSecret", "The field PlayerSecret must be a string with a maximum length of 256.")
		f.allRefused(t, []attempt{
			{"no ticket", own, nil, obj{"PlayerSecret": "x"}, noTicket},
			{"nothing", own, ticket, obj{}, f.lacks("PlayerSecret")},
			{"too long", own, ticket, obj{"PlayerSecret": long}, tooLong},
			{"encrypted, no key pair", own, ticket, obj{"EncryptedRequest": "x"}, noKeyPair},
			{"no key", byServer, nil, obj{"PlatformId": id, "PlayerSecret": "x"}, badSecretKey},
			{"nothing", byServer, server, obj{"PlatformId": id}, f.lacks("PlayerSecret")},
			{"nobody", byServer, server, obj{"PlayerSecret": "x"}, f.lacks("PlatformId")},
			{"unknown", byServer, server, obj{"PlatformId": "x", "PlayerSecret": "x"}, notFound},
			{"another title's", byServer, f.server("FFF"), obj{"PlatformId": id, "PlayerSecret": "x"}, notFound},
			{"unknown", byAdmin, server, obj{"PlatformId": "x", "PlayerSecret": "x"}, notFound},
			{"too long", byAdmin, server, obj{"PlatformId": id, "PlayerSecret": long}, tooLong},
		})
		f.result(f.call(own, ticket, obj{"PlayerSecret": "first"}))
		login := obj{"TitleId": "ABCDE", "CustomId": "x"}
		f.allRefused(t, []attempt{
			{"again", own, ticket, obj{"PlayerSecret": "second"}, secretThere},
			{"by a server", byServer, server, obj{"PlatformId": id, "PlayerSecret": "second"}, secretThere},
			{"at a sign-in", "/Client/LoginWithCustomID", nil, login.with(obj{"PlayerSecret": "first"}), secretThere},
		})
		if a := f.account(id); a.LastLogin != a.Created {
			t.Error("a refused sign-in was noted")
		}
		f.result(f.call("/Client/LoginWithCustomID", f.signed(login.text(), "first"), login))
		f.result(f.call(byAdmin, server, obj{"PlatformId": id, "PlayerSecret": "second"}))
		f.refused("the secret of before", f.call("/Client/LoginWithCustomID", f.signed(login.text(), "first"), login), badSignature)
		f.result(f.call("/Client/LoginWithCustomID", f.signed(login.text(), "second"), login))

		// At a sign-in, also by streaming and by a server; on accounts that the call makes, too.
		for _, path := range []string{"/Client/LoginWithStreamingPlatform", "/Server/LoginWithServerCustomId"} {
			body := obj{"TitleId": "ABCDE", "AccessToken": f.token("7", "ann"), "ServerCustomId": "s", "CreateAccount": true}
			first := f.idOf(f.result(f.call(path, server, body)))
			f.result(f.call(path, server, body.with(obj{"PlayerSecret": "x"})))
			f.refused(path, f.call(path, server, body.with(obj{"PlayerSecret": "x"})), secretThere)
			f.change(first, func(a *account.Account) { a.StreamingID, a.ServerCustomID = "", "" })
			made := f.result(f.call(path, server, body.with(obj{"PlayerSecret": "x"})))
			if made["NewlyCreated"] != true || f.account(f.idOf(made)).Secret == "" {
				t.Errorf("%s: %v", path, made)
			}
		}
	})
}

// fuzzHeaders drives one call with a body and headers through the whole edge.
func fuzzHeaders(t *testing.T, edge http.Handler, path, body string, h headers) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for k, v := range h {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	edge.ServeHTTP(w, r)
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%d %q: %v", w.Code, w.Body, err)
	}
	if number, _ := got["errorCode"].(float64); w.Code != 200 && (w.Code != 400 || number < 1000) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// FuzzEncryptedRequest: whatever is encrypted, or sent as if it were, the answer
// is a success or a refusal.
func FuzzEncryptedRequest(f *testing.F) {
	fx := newFixture(f, setup{})
	blob := fx.publicKey("ABCDE")
	edge := wire.NewEdge(wire.Options{}, fx.service.Routes()...)
	f.Add(`{"CustomId":"x"}`, true)
	f.Add(`{"CustomId":null,"PlayerSecret":"\u0000"}`, true)
	f.Add(`{"TitleId":{},"CustomTags":[],"InfoRequestParameters":1}`, true)
	f.Add(`{"a":[[[[]]]]}`, true)
	f.Add("AAAA", false)
	f.Fuzz(func(t *testing.T, inside string, encrypt bool) {
		if encrypt && len(inside) <= 214 {
			inside = must(clientcrypto.Seal(blob, []byte(inside)))(t)
		}
		body, err := json.Marshal(obj{"TitleId": "ABCDE", "CreateAccount": true, "EncryptedRequest": inside})
		if err != nil {
			return // not UTF-8
		}
		fuzzHeaders(t, edge, "/Client/LoginWithCustomID", string(body), nil)
	})
}

// FuzzSignatureHeaders: whatever the headers of a signature hold.
func FuzzSignatureHeaders(f *testing.F) {
	fx := newFixture(f, setup{})
	fx.result(fx.call("/Client/LoginWithCustomID", nil, obj{"TitleId": "ABCDE", "CustomId": "abc", "CreateAccount": true, "PlayerSecret": "s3cr3t"}))
	edge := wire.NewEdge(wire.Options{}, fx.service.Routes()...)
	const body = `{"CustomId":"abc","TitleId":"ABCDE"}`
	good := fx.signed(body, "s3cr3t")
	f.Add(good["X-PlayFab-Signature"], good["X-PlayFab-Timestamp"])
	f.Add("", "2024-01-02T03:04:05.0000000Z")
	f.Add("\x00", "9999-99-99")
	f.Fuzz(func(t *testing.T, signature, stamp string) {
		fuzzHeaders(t, edge, "/Client/LoginWithCustomID", body, headers{"X-Platform-Signature": signature, "X-Platform-Timestamp": stamp})
	})
}
