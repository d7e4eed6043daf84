package data_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/data"
	"ludgate/internal/wire"
)

// fuzzBodies sends bodies to a call: every answer is a well-formed success or
// refusal, never a fault.
func fuzzBodies(f *testing.F, path string, entity bool, seeds ...string) {
	fx := newFixture(f, data.Options{})
	edge := wire.NewEdge(wire.Options{}, fx.service.Routes()...)
	ann := fx.Player("ABCDE")
	for _, s := range seeds {
		f.Add(strings.ReplaceAll(s, "ANN", ann.Account.Account))
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		proof := ann.Session()
		if entity {
			proof = ann.Entity()
		}
		for k, v := range proof {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		edge.ServeHTTP(w, r)
		var got obj
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%d %q: %v", w.Code, w.Body, err)
		}
		switch {
		case w.Code == 200:
		case w.Code == 400 || w.Code == 413:
			if number, _ := got["errorCode"].(float64); number < 1000 || got["errorMessage"] == "" {
				t.Errorf("refusal without a reason: %s", w.Body)
			}
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func FuzzUpdateUserData(f *testing.F) {
	fuzzBodies(f, "/Client/UpdateUserData", false,
		`{"Data":{"a":"b","c":null},"KeysToRemove":["d"],"Permission":"Public"}`,
		`{"Data":{" \u0000":"\ud83d\ude00","!x":""},"Permission":null,"KeysToRemove":[null]}`,
		`{"Data":{"a":1}}`, `{"data":{}}`, `{"Data":[]}`, `{"Data":{"a":"b","a":"c"}}`, `{`, `[]`, ``)
}

func FuzzSetObjects(f *testing.F) {
	fuzzBodies(f, "/Object/SetObjects", true,
		`{"Entity":{"Id":"ANN","Type":"title_player_account"},"Objects":[{"ObjectName":"a","DataObject":{"b":[1,2.5e300,"\u0000"]}}]}`,
		`{"Entity":{"Id":"ANN"},"Objects":[{"ObjectName":"a","EscapedDataObject":"{\"a\":[]}"},{"ObjectName":"b","DeleteObject":true}],"ExpectedProfileVersion":0}`,
		`{"Entity":{},"Objects":[{}]}`)
}

func FuzzWritePlayerEvent(f *testing.F) {
	fuzzBodies(f, "/Client/WritePlayerEvent", false,
		`{"EventName":"a","Body":{"b":[1,"\u0000"]},"Timestamp":"2020-01-02T03:04:05.1234567Z"}`,
		`{"EventName":"a","Body":null,"Timestamp":"0001-01-01T00:00:00Z"}`, `{"EventName":"","Body":1}`)
}
