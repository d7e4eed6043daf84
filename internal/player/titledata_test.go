package player_test

import (
	"fmt"
	"strings"
	"testing"

	"ludgate/internal/password"
	"ludgate/internal/player"
	"ludgate/internal/player/calltest"
)

type obj = calltest.Obj

// newRig is a whole player service without a streaming platform.
func newRig(t *testing.T, o calltest.Options) *calltest.Rig {
	t.Helper()
	o.Areas = append(o.Areas, player.Areas()[2:]...)
	r := calltest.New(t, o)
	hasher := password.New(password.Options{Params: password.Params{Memory: 64, Time: 1, Threads: 1}, InProcess: true})
	t.Cleanup(hasher.Close)
	s, err := player.Open(t.Context(), player.Options{Gate: r.Gate, Tickets: r.Tickets, Passwords: hasher})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.Serve(s.Routes()...)
	return r
}

// TestTitleData: servers write what clients read; internal data is for servers
// only, and nothing of one title shows in another.
func TestTitleData(t *testing.T) {
	r := newRig(t, calltest.Options{})
	server, other := r.Secret("ABCDE"), r.Secret("ABC")
	ann := r.Player("ABCDE").Session()
	for key, value := range map[string]string{"motd": "hello", "rate": "<b>2</b>"} {
		r.Call("/Server/SetTitleData", server, obj{"Key": key, "Value": value}).Result()
	}
	r.Call("/Admin/SetTitleInternalData", server, obj{"Key": "motd", "Value": "inside"}).Result()
	for _, tc := range []struct {
		path  string
		proof calltest.Proof
		keys  any
		want  string
	}{
		{"/Client/GetTitleData", ann, nil, "map[motd:hello rate:<b>2</b>]"},
		{"/Client/GetTitleData", ann, []string{"rate", "none"}, "map[rate:<b>2</b>]"},
		{"/Client/GetTitleData", ann, []string{}, "map[]"},
		{"/Server/GetTitleData", server, nil, "map[motd:hello rate:<b>2</b>]"},
		{"/Admin/GetTitleData", other, nil, "map[]"},
		{"/Server/GetTitleInternalData", server, nil, "map[motd:inside]"},
		{"/Admin/GetTitleInternalData", other, []string{"motd"}, "map[]"},
	} {
		if got := fmt.Sprint(r.Call(tc.path, tc.proof, obj{"Keys": tc.keys}).Result()["Data"]); got != tc.want {
			t.Errorf("%s %v: got %s, want %s", tc.path, tc.keys, got, tc.want)
		}
	}
	r.Call("/Server/SetTitleData", server, obj{"Key": "motd", "Value": nil}).Result()
	if got := fmt.Sprint(r.Call("/Client/GetTitleData", ann, obj{}).Result()["Data"]); got != "map[rate:<b>2</b>]" {
		t.Errorf("after removing a key: %s", got)
	}
}

func TestTitleDataLimits(t *testing.T) {
	r := newRig(t, calltest.Options{})
	server := r.Secret("ABCDE")
	set := func(key, value string) *calltest.Answer {
		return r.Call("/Server/SetTitleData", server, obj{"Key": key, "Value": value})
	}
	set("k", strings.Repeat("x", 1_000_000)).Result()
	set("k", strings.Repeat("x", 1_000_001)).Refused("DataLengthExceeded", 1146)
	set(strings.Repeat("k", 256), "x").Result()
	set(strings.Repeat("k", 257), "x").Refused("KeyLengthExceeded", 1145)
	set("", "x").Refused("InvalidParams", 1000)
	for i := range 998 {
		set(fmt.Sprint("key", i), "x").Result()
	}
	set("one more", "x").Refused("TooManyKeys", 1147)
	set("key0", "again").Result()
	r.Call("/Server/GetTitleData", server, obj{"OverrideLabel": "x"}).Refused("InvalidParams", 1000)
	r.Call("/Server/SetTitleData", nil, obj{"Key": "k"}).Refused("NotAuthorized", 1089)
	r.Call("/Server/SetTitleData", calltest.Proof{"X-SecretKey": "WRONG"}, obj{"Key": "k"}).Refused("NotAuthorized", 1089)
}

// TestPolicy: a title's policy decides which calls its clients may make, at once.
func TestPolicy(t *testing.T) {
	r := newRig(t, calltest.Options{})
	server, ann := r.Secret("ABCDE"), r.Player("ABCDE").Session()
	get := func() *calltest.Answer { return r.Call("/Client/GetTitleData", ann, obj{}) }
	policy := r.Call("/Admin/GetPolicy", server, obj{}).Result()
	if policy["PolicyName"] != "ApiPolicy" || len(policy["Statements"].([]any)) != 1 {
		t.Errorf("a new title's policy: %v", policy)
	}
	get().Result()
	statement := func(resource, effect string) obj {
		return obj{"Resource": "pfrn:api--" + resource, "Action": "*", "Principal": "*", "Effect": effect}
	}
	update := func(version float64, overwrite bool, statements ...obj) *calltest.Answer {
		return r.Call("/Admin/UpdatePolicy", server, obj{"PolicyName": "ApiPolicy", "PolicyVersion": version, "OverwritePolicy": overwrite, "Statements": statements})
	}
	update(0, false, statement("/Client/GetTitleData", "Deny")).Result()
	if message, _ := get().Refused("NotAuthorizedByTitle", 1191); message != "Action not authorized by title" || get().Status != 403 {
		t.Errorf("denied with %q, %d", message, get().Status)
	}
	r.Call("/Server/GetTitleData", server, obj{}).Result()
	r.Call("/Client/GetTitleData", r.Player("ABC").Session(), obj{}).Result()
	update(0, true, statement("*", "Allow")).Refused("ConcurrentEditError", 1133)
	update(1, true, statement("/Client/Login*", "Allow")).Result()
	get().Refused("NotAuthorizedByTitle", 1191) // what nothing allows is denied
	signed := statement("/Client/GetTitleData", "Allow")
	signed["ApiConditions"] = obj{"HasSignatureOrEncryption": "True"}
	update(2, false, signed).Result()
	get().Refused("NotAuthorizedByTitle", 1191)
	if got := r.Call("/Admin/GetPolicy", server, obj{}).Result(); got["PolicyVersion"] != 3.0 || len(got["Statements"].([]any)) != 2 {
		t.Errorf("after three changes: %v", got)
	}
	update(3, true, statement("*", "Allow")).Result()
	get().Result()
	for _, bad := range []obj{
		statement("", "Allow"), statement("/Client/*/x", "Allow"), statement("*", "Maybe"), {"Resource": "x", "Effect": "Allow"},
		{"Resource": "pfrn:api--*", "Action": "*", "Principal": "*", "Effect": "Allow", "ApiConditions": obj{"HasSignatureOrEncryption": "Perhaps"}},
	} {
		update(4, true, bad).Refused("InvalidParams", 1000)
	}
	r.Call("/Admin/GetPolicy", server, obj{"PolicyName": "Other"}).Refused("InvalidParams", 1000)
}

func TestSharedSecrets(t *testing.T) {
	r := newRig(t, calltest.Options{})
	server := r.Secret("ABCDE")
	key := r.Call("/Admin/CreatePlayerSharedSecret", server, obj{"FriendlyName": "phones"}).Result()["SecretKey"].(string)
	if len(key) != 50 || strings.ToUpper(key) != key {
		t.Errorf("a shared secret is %q", key)
	}
	list := func() string {
		return fmt.Sprint(r.Call("/Admin/GetPlayerSharedSecrets", server, obj{}).Result()["SharedSecrets"])
	}
	if want := "[map[Disabled:false FriendlyName:phones SecretKey:" + key + "]]"; list() != want {
		t.Errorf("got %s, want %s", list(), want)
	}
	r.Call("/Admin/UpdatePlayerSharedSecret", server, obj{"SecretKey": key, "Disabled": true}).Result()
	if want := "[map[Disabled:true FriendlyName:phones SecretKey:" + key + "]]"; list() != want {
		t.Errorf("got %s, want %s", list(), want)
	}
	r.Call("/Admin/DeletePlayerSharedSecret", r.Secret("ABC"), obj{"SecretKey": key}).Refused("InvalidSharedSecretKey", 1296)
	r.Call("/Admin/DeletePlayerSharedSecret", server, obj{"SecretKey": key}).Result()
	if list() != "[]" {
		t.Errorf("after deleting: %s", list())
	}
}
