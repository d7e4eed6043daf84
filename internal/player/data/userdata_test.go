package data_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ludgate/internal/player/calltest"
	"ludgate/internal/player/data"
	"ludgate/internal/store"
	"ludgate/internal/throttle"
)

// TestUserData follows one player's data through its life: versions count the
// calls, permissions and times are those of the last write of a key.
func TestUserData(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	get := func(body obj) obj { return f.Call("/Client/GetUserData", ann.Session(), body).Result() }
	update := func(body obj) obj { return f.Call("/Client/UpdateUserData", ann.Session(), body).Result() }

	want(t, "nothing yet", get(obj{}), `{"Data":{},"DataVersion":0}`)
	want(t, "first", update(obj{"Data": obj{" level ": "1", "\u00fc\U0001F600": "\x00<b>"}}), `{"DataVersion":1}`)
	f.Clock.Advance(time.Minute)
	want(t, "second", update(obj{"Data": obj{"level": "2", "class": "mage"}, "Permission": "Public"}), `{"DataVersion":2}`)
	const level = `"level":{"LastUpdated":"2026-03-04T05:07:07.89Z","Permission":"Public","Value":"2"}`
	const class = `"class":{"LastUpdated":"2026-03-04T05:07:07.89Z","Permission":"Public","Value":"mage"}`
	const odd = `"ü😀":{"LastUpdated":"2026-03-04T05:06:07.89Z","Permission":"Private","Value":"\u0000<b>"}`
	want(t, "all", get(obj{"Keys": nil}), `{"Data":{`+class+`,`+level+`,`+odd+`},"DataVersion":2}`)
	want(t, "some", get(obj{"Keys": []any{"class", " level", "none", "", "\x00"}}), `{"Data":{`+class+`,`+level+`},"DataVersion":2}`)
	want(t, "none", get(obj{"Keys": []any{}}), `{"Data":{},"DataVersion":2}`)
	want(t, "newer than 1", get(obj{"IfChangedFromDataVersion": 1, "Keys": []any{"class"}}), `{"Data":{`+class+`},"DataVersion":2}`)
	want(t, "newer than 2", get(obj{"IfChangedFromDataVersion": 2}), `{"Data":{},"DataVersion":2}`)

	want(t, "remove", update(obj{"Data": obj{"level": nil}, "KeysToRemove": []any{"ü😀", "none"}}), `{"DataVersion":3}`)
	want(t, "what stays", get(obj{}), `{"Data":{`+class+`},"DataVersion":3}`)
	want(t, "a call that changes nothing counts", update(obj{}), `{"DataVersion":4}`)
}

// TestDataOfOthers: another player reads public keys only, another title nothing,
// servers everything of their title.
func TestDataOfOthers(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann, bob, stranger := f.Player("ABCDE"), f.Player("ABCDE"), f.Player("ABC")
	f.Call("/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"secret": "s"}}).Result()
	f.Call("/Client/UpdateUserData", ann.Session(), obj{"Data": obj{"shown": "p"}, "Permission": "Public"}).Result()
	f.Call("/Server/UpdateUserReadOnlyData", f.server, obj{"PlatformId": ann.ID, "Data": obj{"rank": "1"}, "Permission": "Public"}).Result()
	f.Call("/Server/UpdateUserReadOnlyData", f.server, obj{"PlatformId": ann.ID, "Data": obj{"cheats": "0"}}).Result()
	const at = `"LastUpdated":"2026-03-04T05:06:07.89Z",`
	const shown = `"shown":{` + at + `"Permission":"Public","Value":"p"}`
	const secret = `"secret":{` + at + `"Permission":"Private","Value":"s"}`
	const rank = `"rank":{` + at + `"Permission":"Public","Value":"1"}`
	const cheats = `"cheats":{` + at + `"Permission":"Private","Value":"0"}`
	id := `,"PlatformId":"` + ann.ID + `"}`
	for _, tc := range []struct {
		path string
		by   calltest.Proof
		want string
	}{
		{"/Client/GetUserData", bob.Session(), `{"Data":{` + shown + `},"DataVersion":2}`},
		{"/Client/GetUserData", ann.Session(), `{"Data":{` + secret + `,` + shown + `},"DataVersion":2}`},
		{"/Server/GetUserData", f.server, `{"Data":{` + secret + `,` + shown + `},"DataVersion":2` + id},
		{"/Admin/GetUserData", f.server, `{"Data":{` + secret + `,` + shown + `},"DataVersion":2` + id},
		{"/Client/GetUserReadOnlyData", bob.Session(), `{"Data":{` + rank + `},"DataVersion":2}`},
		{"/Client/GetUserReadOnlyData", ann.Session(), `{"Data":{` + cheats + `,` + rank + `},"DataVersion":2}`},
		{"/Server/GetUserReadOnlyData", f.server, `{"Data":{` + cheats + `,` + rank + `},"DataVersion":2` + id},
		{"/Server/GetUserInternalData", f.server, `{"Data":{},"DataVersion":0` + id},
	} {
		want(t, tc.path, f.Call(tc.path, tc.by, obj{"PlatformId": ann.ID}).Result(), tc.want)
	}
	for path, by := range map[string]calltest.Proof{
		"/Client/GetUserData": stranger.Session(), "/Client/GetUserReadOnlyData": stranger.Session(),
		"/Server/GetUserData": f.other, "/Admin/UpdateUserData": f.other, "/Server/UpdateUserInternalData": f.other,
	} {
		f.Call(path, by, obj{"PlatformId": ann.ID}).Refused("AccountNotFound", 1001)
		f.Call(path, by, obj{"PlatformId": "\x00"}).Refused("AccountNotFound", 1001)
	}
	// A client's PlatformId on an update names nobody: it writes its own data.
	f.Call("/Client/UpdateUserData", bob.Session(), obj{"PlatformId": ann.ID, "Data": obj{"secret": "bob's"}}).Result()
	want(t, "ann's", f.Call("/Client/GetUserData", ann.Session(), obj{"Keys": []any{"secret"}}).Result(), `{"Data":{`+secret+`},"DataVersion":2}`)
}

// TestServerData: every kind of data, by both families of calls, apart from the
// others.
func TestServerData(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	for i, kind := range []string{"UserData", "UserReadOnlyData", "UserInternalData"} {
		for j, side := range []string{"/Server/", "/Admin/"} {
			got := f.Call(side+"Update"+kind, f.server, obj{"PlatformId": ann.ID, "Data": obj{"k": fmt.Sprint(i, j)}, "Permission": "Private"}).Result()
			want(t, side+kind, got, fmt.Sprintf(`{"DataVersion":%d}`, j+1))
			read := f.Call(side+"Get"+kind, f.server, obj{"PlatformId": ann.ID}).Result()
			if v := read["Data"].(obj)["k"].(obj)["Value"]; v != fmt.Sprint(i, j) {
				t.Errorf("%s%s: %v", side, kind, v)
			}
			f.Call(side+"Get"+kind, f.server, obj{}).Refused("InvalidParams", 1000)
			f.Call(side+"Update"+kind, f.server, obj{}).Refused("InvalidParams", 1000)
			f.Call(side+"Update"+kind, ann.Session(), obj{"PlatformId": ann.ID}).Refused("NotAuthorized", 1089)
		}
	}
}

func TestUserDataRefusals(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	for name, tc := range map[string]struct {
		body   any
		code   string
		number int
	}{
		"leading mark":      {obj{"Data": obj{" !a": "x"}}, "InvalidParams", 1000},
		"empty key":         {obj{"Data": obj{"  ": "x"}}, "InvalidParams", 1000},
		"control character": {obj{"Data": obj{"a\x00": "x"}}, "InvalidParams", 1000},
		"one key twice":     {obj{"Data": obj{"a": "x", "a ": "y"}}, "InvalidParams", 1000},
		"written, removed":  {obj{"Data": obj{"a": "x"}, "KeysToRemove": []any{"a"}}, "InvalidParams", 1000},
		"remove empty":      {obj{"KeysToRemove": []any{""}}, "InvalidParams", 1000},
		"permission":        {obj{"Data": obj{"a": "x"}, "Permission": "public"}, "InvalidParams", 1000},
		"number":            {obj{"Data": obj{"a": 1}}, "InvalidParams", 1000},
		"list":              {obj{"Data": []any{}}, "InvalidParams", 1000},
		"duplicate member":  {`{"Data":{"a":"1","a":"2"}}`, "InvalidRequest", 1071},
		"11 keys":           {obj{"Data": keys(11)}, "TooManyKeys", 1147},
		"6 and 5 keys":      {obj{"Data": keys(6), "KeysToRemove": []any{"a", "b", "c", "d", "e"}}, "TooManyKeys", 1147},
		"long key":          {obj{"Data": obj{letters(129, "ü"): "x"}}, "KeyLengthExceeded", 1145},
		"long value":        {obj{"Data": obj{"a": letters(100_001, "x") + letters(100_000, "ü")}}, "DataLengthExceeded", 1146},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.Call("/Client/UpdateUserData", ann.Session(), tc.body)
			a.TB = t
			a.Refused(tc.code, tc.number)
		})
	}
	f.Call("/Client/GetUserData", ann.Session(), obj{"Keys": strings.Split(strings.Repeat("a,", 1000), ",")}).Refused("InvalidParams", 1000)
	f.Call("/Client/GetUserData", ann.Session(), obj{"IfChangedFromDataVersion": -1}).Refused("InvalidParams", 1000)
	f.Call("/Client/GetUserData", nil, obj{}).Refused("NotAuthenticated", 1074)
	want(t, "after refusals", f.Call("/Client/GetUserData", ann.Session(), obj{}).Result(), `{"Data":{},"DataVersion":0}`)
}

// TestUserDataBounds: what is just within the limits is stored, a step further is
// refused and changes nothing.
func TestUserDataBounds(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	update := func(path string, body obj) *calltest.Answer {
		body["PlatformId"] = ann.ID
		proof := f.server
		if strings.HasPrefix(path, "/Client") {
			proof = ann.Session()
		}
		return f.Call(path, proof, body)
	}
	for _, n := range []int{9, 10} {
		update("/Client/UpdateUserData", obj{"Data": keys(n)}).Result()
	}
	for _, key := range []string{"k", letters(127, "k"), letters(128, "ü"), letters(128, "😀"), letters(64, "e\u0301")} {
		update("/Client/UpdateUserData", obj{"Data": obj{key: "x"}}).Result()
	}
	for _, value := range []string{"", letters(299_999, "x"), letters(300_000, "x"), letters(150_000, "ü"), letters(75_000, "😀")} {
		update("/Client/UpdateUserData", obj{"Data": obj{"v": value}}).Result()
		got := f.Call("/Client/GetUserData", ann.Session(), obj{"Keys": []any{"v"}}).Result()
		if got["Data"].(obj)["v"].(obj)["Value"] != value {
			t.Errorf("a value of %d bytes came back as another", len(value))
		}
	}
	// All ten keys of a call at full size.
	full := keys(10)
	for k := range full {
		full[k] = letters(300_000, "x")
	}
	update("/Client/UpdateUserData", obj{"Data": full}).Result()

	// 10,000,000 bytes of one kind: 33 values of 300,007 bytes with their keys, and the rest.
	const path = "/Server/UpdateUserInternalData"
	for i := range 33 {
		update(path, obj{"Data": obj{fmt.Sprintf("big%04d", i): letters(300_000, "x")}}).Result()
	}
	rest := 10_000_000 - 33*300_007
	update(path, obj{"Data": obj{"rest": letters(rest-5, "x")}}).Result()
	update(path, obj{"Data": obj{"rest": letters(rest-4, "x")}}).Result()
	update(path, obj{"Data": obj{"rest": letters(rest-3, "x")}}).Refused("TotalDataSizeExceeded", 1186)
	update(path, obj{"Data": obj{"a": "x"}}).Refused("TotalDataSizeExceeded", 1186)
	update(path, obj{"KeysToRemove": []any{"rest"}}).Result()
	update(path, obj{"Data": obj{"a": "x"}}).Result()

	// 1,000 keys of one kind, and in one call of a server.
	update("/Server/UpdateUserReadOnlyData", obj{"Data": keys(1001)}).Refused("TooManyKeys", 1147)
	want(t, "1,000 keys", update("/Server/UpdateUserReadOnlyData", obj{"Data": keys(1000)}).Result(), `{"DataVersion":1}`)
	update("/Server/UpdateUserReadOnlyData", obj{"Data": keys(999)}).Result()
	update("/Server/UpdateUserReadOnlyData", obj{"Data": obj{"one more": "x"}}).Refused("TooManyKeys", 1147)
	update("/Server/UpdateUserReadOnlyData", obj{"Data": obj{"one more": "x"}, "KeysToRemove": []any{"key0000"}}).Result()
}

// TestUserDataRate: the limiter's refusal is DataUpdateRateExceeded with the time
// to stay away, for clients only.
func TestUserDataRate(t *testing.T) {
	f := newFixture(t, data.Options{Limiter: throttle.NewCounters(100, throttle.DataUpdates...)})
	ann, bob := f.Player("ABCDE"), f.Player("ABCDE")
	for range 10 {
		f.Call("/Client/UpdateUserData", ann.Session(), obj{}).Result()
	}
	a := f.Call("/Client/UpdateUserData", ann.Session(), obj{})
	a.Refused("DataUpdateRateExceeded", 1287)
	if a.Header.Get("Retry-After") == "" || !strings.Contains(a.Body, `"retryAfterSeconds":`) {
		t.Errorf("no time to stay away: %v %s", a.Header, a.Body)
	}
	f.Call("/Client/UpdateUserData", bob.Session(), obj{}).Result()
	f.Call("/Server/UpdateUserData", f.server, obj{"PlatformId": ann.ID}).Result()
	f.Clock.Advance(20 * time.Second)
	f.Call("/Client/UpdateUserData", ann.Session(), obj{}).Result()
}

// TestConcurrentUserData: calls at once are counted one by one, and each key
// keeps a value that was written.
func TestConcurrentUserData(t *testing.T) {
	f := newFixture(t, data.Options{})
	ann := f.Player("ABCDE")
	const n = 48
	together(n, func(i int) {
		body := obj{"Data": obj{"shared": fmt.Sprint(i), fmt.Sprint("own", i): "x"}}
		if a := f.Call("/Client/UpdateUserData", ann.Session(), body); a.Status != http.StatusOK {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	got := f.Call("/Client/GetUserData", ann.Session(), obj{}).Result()
	if got["DataVersion"] != float64(n) || len(got["Data"].(obj)) != n+1 {
		t.Errorf("version %v, %d keys; want %d and %d", got["DataVersion"], len(got["Data"].(obj)), n, n+1)
	}
	// The head counts what is there, byte for byte.
	check := store.NewStmt("check", `SELECT (SELECT entries FROM player_data_heads WHERE player = $1 AND kind = 0) - count(*),
		(SELECT bytes FROM player_data_heads WHERE player = $1 AND kind = 0) - CAST(sum(length(name) + length(value)) AS BIGINT) FROM player_data WHERE player = $1`)
	err := f.Store.Read(t.Context(), func(tx store.Tx) error {
		_, err := store.QueryOne(tx, check, func(r store.Row) error {
			if r.Int(0) != 0 || r.Int(1) != 0 {
				t.Errorf("the head is off by %d keys and %d bytes", r.Int(0), r.Int(1))
			}
			return nil
		}, ann.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
