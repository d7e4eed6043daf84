package player

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate/internal/wire"
)

// fuzzBodies sends bodies to one call through the whole edge, without a
// connection: every answer is a well-formed success or refusal, never a fault.
func fuzzBodies(f *testing.F, path string, seeds ...string) {
	fx := newFixture(f, setup{})
	edge := wire.NewEdge(wire.Options{}, fx.service.Routes()...)
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		edge.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%d %q: %v", w.Code, w.Body, err)
		}
		switch w.Code {
		case 200:
			if id, _ := got["PlatformId"].(string); !playerID.MatchString(id) {
				t.Errorf("success without a player: %s", w.Body)
			}
		case 400:
			if number, _ := got["errorCode"].(float64); number < 1000 || got["errorMessage"] == "" {
				t.Errorf("refusal without a reason: %s", w.Body)
			}
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func FuzzRegister(f *testing.F) {
	fuzzBodies(f, "/Client/RegisterPlatformUser",
		ann.text(), ann.with(obj{"DisplayName": "Ann\u200d", "RequireBothUsernameAndEmail": false, "Email": nil}).text(),
		`{"TitleId":"ABCDE","Username":"\u0000\ud83d\ude00","Email":"@","Password":null,"DisplayName":"","CustomTags":{"a":"b"}}`,
		`{"TitleId":12,"InfoRequestParameters":{"ProfileConstraints":{}}}`, `{`, `[]`)
}

func FuzzStreamingLogin(f *testing.F) {
	fuzzBodies(f, "/Client/LoginWithStreamingPlatform",
		`{"TitleId":"ABCDE","AccessToken":"abc","CreateAccount":true}`,
		`{"TitleId":"abcde","AccessToken":"\u0000","PlayerSecret":"x","EncryptedRequest":""}`,
		`{"TitleId":"ABCDE","InfoRequestParameters":{"GetUserData":true,"UserDataKeys":["a"],"ProfileConstraints":{"ShowTags":true}}}`, `null`)
}
