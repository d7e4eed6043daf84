package player

import (
	"net/http"
	"strings"
	"testing"

	"ludgate/internal/player/title"
	"ludgate/internal/streaming/platform"
	"ludgate/internal/wire"
)

// refusal is what a caller gets for a request that fails: the members of the
// error body, and the HTTP status under a naming with rich statuses (400 in the
// neutral one, unless everywhere is set).
type refusal struct {
	name       string
	number     string
	message    string
	details    string // JSON of errorDetails; "" when absent
	status     int    // 0 is 400
	everywhere bool
	vendor     string // vendor name of the error; "" is the same
}

// body is the whole error body under a naming.
func (r refusal) body(n *wire.Naming) (status int, body string) {
	status = 400
	if r.status != 0 && (r.everywhere || n.Player.RichStatus) {
		status = r.status
	}
	name := r.name
	if r.vendor != "" && n == wire.Vendor {
		name = r.vendor
	}
	text := strings.ReplaceAll(http.StatusText(status), " ", "")
	body = `{"code":` + itoa(status) + `,"status":"` + text + `","error":"` + name + `","errorCode":` + r.number + `,"errorMessage":"` + r.message + `"`
	if r.details != "" {
		body += `,"errorDetails":` + r.details
	}
	return status, body + "}"
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

func (f *fixture) refused(what string, a answer, want refusal) {
	f.t.Helper()
	if status, body := want.body(f.naming); a.status != status || a.body != body {
		f.t.Errorf("%s:\n got %d %s\nwant %d %s", what, a.status, a.body, status, body)
	}
}

// The refusals of the two calls (P-7), as callers see them.
var (
	titleMissing  = refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters", details: `{"TitleId":["The TitleId field is required."]}`}
	titleUnknown  = refusal{name: "InvalidTitleId", number: "1004", message: "Invalid title id", details: `{"TitleId":["There is no such title here."]}`}
	titleOfHost   = refusal{name: "InvalidTitleId", number: "1004", message: "Invalid title id", details: `{"TitleId":["The title is not the one of the host name."]}`}
	emailTaken    = refusal{name: "EmailAddressNotAvailable", number: "1006", message: "Email address not available", details: `{"Email":["Email address already exists. "]}`}
	usernameTaken = refusal{name: "UsernameNotAvailable", number: "1009", message: "Username not available", details: `{"Username":["User name already exists."]}`}
	nameTaken     = refusal{name: "NameNotAvailable", number: "1058", message: "The display name entered is not available."}
	noKeyPair     = refusal{name: "EncryptionKeyMissing", number: "1290", message: "Encryption key missing for title"}
	noSigning     = refusal{name: "SignedRequestNotAllowed", number: "1302", message: "Signed requests are not allowed for this API"}
	noSecret      = refusal{name: "PlayerSecretNotConfigured", number: "1323", message: "Player secret is not configured"}
	secretRefused = refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters", details: `{"PlayerSecret":["The field PlayerSecret must be a string with a maximum length of 256."]}`}
	limitReached  = refusal{name: "EvaluationModePlayerCountExceeded", number: "1490", message: "Player count limit exceeded"}
	notConfigured = refusal{name: "FeatureNotConfiguredForTitle", number: "1177", message: "The feature is not configured for this title"}
	constraints   = refusal{name: "RequestViewConstraintParamsNotAllowed", number: "1303", message: `Invalid view constraints. Allowed for this title: {\"ShowDisplayName\":true}`}
	notFound      = refusal{name: "AccountNotFound", number: "1001", message: "User not found"}
	badToken      = refusal{name: "InvalidStreamingPlatformToken", vendor: "InvalidTwitchToken", number: "1232", message: "Invalid streaming platform token"}
	badPlatform   = refusal{name: "StreamingPlatformResponseError", vendor: "TwitchResponseError", number: "1233", message: "Streaming platform response error"}
)

// shape is the refusal of members of a wrong shape: InvalidParams for clients
// that collect, the first failing member's own error for the others, and the
// same details for both.
func shape(n *wire.Naming, first refusal, details string) refusal {
	if n.Player.CollectParams {
		first = refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters"}
	}
	first.details = details
	return first
}

var (
	badUsername = refusal{name: "InvalidUsername", number: "1007", message: "Invalid username"}
	badEmail    = refusal{name: "InvalidEmailAddress", number: "1005", message: "Invalid email address"}
	badPassword = refusal{name: "InvalidPassword", number: "1008", message: "Invalid password"}
	badParams   = refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters"}
)

func TestRegistrationRefusals(t *testing.T) {
	titles := titles{listed: listed{"F011": {PlayerLimit: 1}}, spring: &title.Settings{}}
	const displayName = "The field DisplayName must be a string with a minimum length of 3 and a maximum length of 25."
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n, titles: titles})
		f.result(f.register(ann.with(obj{"DisplayName": "Ann"})))
		f.result(f.register(ann.with(obj{"TitleId": "F011"})))
		bob := obj{"TitleId": "ABCDE", "Username": "bob", "Email": "bob@example.com", "Password": "secret"}
		signature := headers{"X-Platform-Signature": "abc", "X-Platform-Timestamp": "2026-03-04T05:06:07Z"}
		for _, tc := range []struct {
			what    string
			change  obj
			headers headers
			want    refusal
		}{
			{"no title", obj{"TitleId": nil}, nil, titleMissing},
			{"empty title", obj{"TitleId": ""}, nil, titleMissing},
			{"no title, and all else wrong", obj{"TitleId": nil, "Username": "x", "EncryptedRequest": "AAAA"}, signature, titleMissing},
			{"no title id at all", obj{"TitleId": "OUTRAGEOUS"}, nil, titleUnknown},
			{"title id with a zero byte", obj{"TitleId": "AB\x00"}, nil, titleUnknown},
			{"another title in the host name", obj{}, headers{"Host": "abcdf.play.example"}, titleOfHost},
			{"encrypted request", obj{"EncryptedRequest": "AAAA"}, nil, noKeyPair},
			{"encrypted request comes before the signature", obj{"EncryptedRequest": "AAAA", "Username": "x"}, signature, noKeyPair},
			{"signed", obj{}, signature, noSigning},
			{"signed, in the vendor's spelling", obj{}, headers{"X-PlayFab-Signature": "abc"}, noSigning},
			{"timestamp alone", obj{}, headers{"X-PlayFab-Timestamp": "2026-03-04T05:06:07Z"}, noSigning},
			{"signature comes before the shapes", obj{"Username": "x"}, signature, noSigning},
			{"player secret that is too long", obj{"PlayerSecret": strings.Repeat("x", 257)}, nil, secretRefused},
			{"display name too short", obj{"DisplayName": "Al"}, nil, refusal{badParams.name, badParams.number, badParams.message, `{"DisplayName":["` + displayName + `"]}`, 0, false, ""}},
			{"user name too short", obj{"Username": "al"}, nil, shape(n, badUsername, `{"Username":["Username must be between 3 and 20 characters."]}`)},
			{"user name of odd characters", obj{"Username": "al!ce"}, nil, shape(n, badUsername, `{"Username":["Username contains invalid characters."]}`)},
			{"user name wrong in both ways", obj{"Username": "é"}, nil, shape(n, badUsername, `{"Username":["Username must be between 3 and 20 characters.","Username contains invalid characters."]}`)},
			{"no user name", obj{"Username": nil}, nil, shape(n, badUsername, `{"Username":["The Username field is required."]}`)},
			{"malformed address", obj{"Email": "bob"}, nil, shape(n, badEmail, `{"Email":["Email address is not valid."]}`)},
			{"no address", obj{"Email": ""}, nil, shape(n, badEmail, `{"Email":["The Email field is required."]}`)},
			{"password too short", obj{"Password": "12345"}, nil, shape(n, badPassword, `{"Password":["Password must be between 6 and 100 characters."]}`)},
			{"no password", obj{"Password": nil}, nil, shape(n, badPassword, `{"Password":["The Password field is required."]}`)},
			{"address and password", obj{"Email": "bob", "Password": "x"}, nil,
				shape(n, badEmail, `{"Email":["Email address is not valid."],"Password":["Password must be between 6 and 100 characters."]}`)},
			{"everything", obj{"Username": "x!", "Email": "x", "Password": "x", "DisplayName": "x", "PlayerSecret": strings.Repeat("x", 257)}, nil,
				shape(n, badUsername, `{"DisplayName":["`+displayName+`"],"Email":["Email address is not valid."],"Password":["Password must be between 6 and 100 characters."],`+
					`"PlayerSecret":["The field PlayerSecret must be a string with a maximum length of 256."],"Username":["Username must be between 3 and 20 characters.","Username contains invalid characters."]}`)},
			{"address taken", obj{"Email": "ann@example.com"}, nil, emailTaken},
			{"user name taken", obj{"Username": "ANN42"}, nil, usernameTaken},
			{"display name taken", obj{"DisplayName": "ann"}, nil, nameTaken},
			{"all taken", obj{"Email": "ann@example.com", "Username": "ANN42", "DisplayName": "ann"}, nil,
				refusal{emailTaken.name, emailTaken.number, emailTaken.message,
					`{"DisplayName":["The display name entered is not available."],"Email":["Email address already exists. "],"Username":["User name already exists."]}`, 0, false, ""}},
			{"title is full", obj{"TitleId": "F011"}, nil, limitReached},
			{"name taken in a full title", obj{"TitleId": "F011", "Username": "ann42"}, nil, usernameTaken},
		} {
			f.refused(tc.what, f.post("/Client/RegisterPlatformUser", bob.with(tc.change).text(), tc.headers), tc.want)
		}
		if got := f.count("players"); got != 2 {
			t.Errorf("%d players after all refusals, want 2", got)
		}
		// Without effect: parameters of a sign-in, and what is deprecated or unknown.
		f.result(f.register(bob.with(obj{"InfoRequestParameters": obj{"ProfileConstraints": obj{"ShowCreated": true}}, "LoginTitlePlayerAccountEntity": true,
			"Origination": 7, "titleId": "ZZZ", "username": 9})))
	})
}

func TestSignInRefusals(t *testing.T) {
	titles := titles{
		listed: listed{"0FF": {}, "F011": {PlayerLimit: 1, StreamingClientID: platform.ClientID}},
		spring: &title.Settings{StreamingClientID: platform.ClientID},
	}
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n, titles: titles})
		known, stranger := f.token("1", "ann"), f.token("2", "bob")
		for _, title := range []string{"ABCDE", "F011"} {
			f.result(f.signIn(obj{"TitleId": title, "AccessToken": known, "CreateAccount": true}))
		}
		good := obj{"TitleId": "ABCDE", "AccessToken": known}
		beyond := obj{"GetPlayerProfile": true, "ProfileConstraints": obj{"ShowDisplayName": true, "ShowCreated": true}}
		signature := headers{"X-Platform-Signature": "abc"}
		for _, tc := range []struct {
			what    string
			change  obj
			headers headers
			want    refusal
		}{
			{"no title", obj{"TitleId": nil}, nil, titleMissing},
			{"unknown title", obj{"TitleId": "GGG"}, nil, titleUnknown},
			{"another title in the host name", obj{}, headers{"Host": "fff.play.example"}, titleOfHost},
			{"encrypted request", obj{"EncryptedRequest": "AAAA"}, nil, noKeyPair},
			{"player secret that is too long", obj{"PlayerSecret": strings.Repeat("x", 257)}, nil, secretRefused},
			{"constraints", obj{"InfoRequestParameters": beyond}, nil, constraints},
			{"constraints come before the token", obj{"InfoRequestParameters": beyond, "AccessToken": nil, "TitleId": "0FF"}, nil, constraints},
			{"title without a client id", obj{"TitleId": "0FF"}, nil, notConfigured},
			{"title without a client id, no token", obj{"TitleId": "0FF", "AccessToken": nil}, nil, notConfigured},
			{"no token", obj{"AccessToken": nil}, nil, badToken},
			{"empty token", obj{"AccessToken": ""}, nil, badToken},
			{"token with a control character", obj{"AccessToken": known + "\n"}, nil, badToken},
			{"made-up token", obj{"AccessToken": "abc"}, nil, badToken},
			{"stranger", obj{"AccessToken": stranger}, nil, notFound},
			{"stranger, no account wanted", obj{"AccessToken": stranger, "CreateAccount": false}, nil, notFound},
			{"title is full", obj{"TitleId": "F011", "AccessToken": stranger, "CreateAccount": true}, nil, limitReached},
			{"signed", obj{}, signature, noSecret},
			{"signed, new player", obj{"AccessToken": stranger, "CreateAccount": true}, signature, noSecret},
			{"signed stranger", obj{"AccessToken": stranger}, signature, notFound},
			{"signed, bad token", obj{"AccessToken": "abc"}, signature, badToken},
		} {
			f.refused(tc.what, f.post("/Client/LoginWithStreamingPlatform", good.with(tc.change).text(), tc.headers), tc.want)
		}
		if got := f.count("players"); got != 2 {
			t.Errorf("%d players after all refusals, want 2", got)
		}
		in := f.result(f.signIn(good))
		if in["LastLoginTime"] != "2026-03-04T05:06:07.89Z" {
			t.Errorf("a refused sign-in was noted: %v", in)
		}
		f.result(f.post("/Client/LoginWithStreamingPlatform", good.text(), headers{"Host": "abcde.play.example"}))
	})
}

// TestBadBodies sends what is no request at all to both calls.
func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	wrongType := func(member string) string {
		return `"errorDetails":{"` + member + `":["The field ` + member + ` has the wrong type`
	}
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		for _, tc := range []struct {
			what, body string
			headers    headers
			status     int
			want       []string
		}{
			{"nothing", ``, nil, 400, []string{`"error":"InvalidRequest","errorCode":1071`}},
			{"a list", `[]`, nil, 400, []string{`"errorCode":1071`}},
			{"null", `null`, nil, 400, []string{`"errorCode":1071`}},
			{"text", `hello`, nil, 400, []string{`"errorCode":1071`}},
			{"cut off", `{"TitleId":"ABC`, nil, 400, []string{`"errorCode":1071`}},
			{"two objects", `{}{}`, nil, 400, []string{`"errorCode":1071`}},
			{"a member twice", `{"TitleId":"ABC","TitleId":"ABD"}`, nil, 400, []string{`"errorCode":1071`}},
			{"not UTF-8", "{\"TitleId\":\"A\xff\"}", nil, 400, []string{`"errorCode":1071`}},
			{"half a surrogate", `{"TitleId":"\ud800"}`, nil, 400, []string{`"errorCode":1071`}},
			{"too deep", deep, nil, 400, []string{`"errorCode":1071`}},
			{"title in another case", `{"titleId":"ABC"}`, nil, 400, []string{`"errorCode":1000`, `The TitleId field is required.`}},
			{"title is a number", `{"TitleId":12345}`, nil, 400, []string{`"error":"InvalidParams","errorCode":1000,"errorMessage":"Invalid input parameters"`, wrongType("TitleId")}},
			{"tags are a list", `{"TitleId":"ABC","CustomTags":[]}`, nil, 400, []string{`"errorCode":1000`, wrongType("CustomTags")}},
			{"a tag is a number", `{"TitleId":"ABC","CustomTags":{"build":17}}`, nil, 400, []string{`"errorCode":1000`, wrongType("CustomTags")}},
			{"parameters are text", `{"TitleId":"ABC","InfoRequestParameters":"all"}`, nil, 400, []string{`"errorCode":1000`, wrongType("InfoRequestParameters")}},
			{"a flag is text", `{"TitleId":"ABC","InfoRequestParameters":{"GetUserData":"yes"}}`, nil, 400, []string{`"errorCode":1000`, wrongType("InfoRequestParameters")}},
			{"another content type", `{}`, headers{"Content-Type": "text/plain"}, 400, []string{`"error":"InvalidContentType","errorCode":1144`}},
			{"too large", `{"TitleId":"` + strings.Repeat("A", 1<<20) + `"}`, nil, 413, []string{`"error":"BodyTooLarge","errorCode":1068`}},
		} {
			for _, path := range []string{"/Client/RegisterPlatformUser", "/Client/LoginWithStreamingPlatform"} {
				a := f.post(path, tc.body, tc.headers)
				ok := a.status == tc.status
				for _, w := range tc.want {
					ok = ok && strings.Contains(a.body, w)
				}
				if !ok {
					t.Errorf("%s: %d %s, want %d %q", tc.what, a.status, a.body, tc.status, tc.want)
				}
			}
		}
		if got := f.count("players") + f.count("ledger"); got != 0 {
			t.Errorf("%d rows were written", got)
		}
	})
}

// TestOtherNamingsPaths: a path that the naming spells otherwise is unknown.
func TestOtherNamingsPaths(t *testing.T) {
	f := newFixture(t, setup{})
	if a := f.post("/Client/RegisterPlayFabUser", "{}", nil); a.status != 404 || !strings.Contains(a.body, `"errorCode":1131`) {
		t.Errorf("vendor's path under the neutral naming: %d %s", a.status, a.body)
	}
	// A title may have a naming of its own.
	titles := titles{listed: listed{"ABCDE": {Naming: "vendor"}}, spring: &title.Settings{}}
	f = newFixture(t, setup{titles: titles})
	if a := f.post("/Client/RegisterPlayFabUser", ann.text(), nil); a.status != 200 || !strings.Contains(a.body, `"data":{`) || !strings.Contains(a.body, `"PlayFabId"`) {
		t.Errorf("vendor's path for a title that speaks it: %d %s", a.status, a.body)
	}
	f.result(f.register(ann.with(obj{"TitleId": "ABCDF"})))
}
