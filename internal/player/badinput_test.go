package player

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/storetest"
	"ludgate/internal/ticket"
	"ludgate/internal/wire"
)

// The sweep sends bad input to every call that the assembled service has, made
// from the records that the calls are decoded into. Whatever comes, an answer is
// a success or one of the surface's refusals, shows nothing of a secret that was
// sent nor of what the server is made of, and a refusal has changed no row.

// canary stands in every secret member; no answer and no line of the log has it.
const canary = "cAnArY7f3d51"

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take gives what was logged since the last time.
func (l *logBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// sweep sends to one call.
type sweep struct {
	*fixture
	t      *testing.T
	route  wire.Route
	title  string
	player *account.Account
	header http.Header
	log    *logBuffer
	store  *countingStore
	listed map[string]int
	sent   *int
}

// countingStore counts the rows that committed writes have inserted, updated or
// deleted.
type countingStore struct {
	store.Store
	changed atomic.Int64
}

func (c *countingStore) Write(ctx context.Context, fn func(store.Tx) error) error {
	n := int64(0)
	err := c.Store.Write(ctx, func(tx store.Tx) error {
		n = 0 // it may run again
		return fn(countingTx{tx, &n})
	})
	if err == nil {
		c.changed.Add(n)
	}
	return err
}

type countingTx struct {
	store.Tx
	n *int64
}

func (tx countingTx) Exec(stmt *store.Stmt, args ...any) (int64, error) {
	n, err := tx.Tx.Exec(stmt, args...)
	*tx.n += n
	return n, err
}

// Query counts what a statement returns that changes rows, too.
func (tx countingTx) Query(stmt *store.Stmt, scan func(store.Row) error, args ...any) error {
	if word, _, _ := strings.Cut(strings.TrimSpace(stmt.SQL(store.SQLite)), " "); strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "WITH") {
		return tx.Tx.Query(stmt, scan, args...)
	}
	return tx.Tx.Query(stmt, func(r store.Row) error { *tx.n++; return scan(r) }, args...)
}

// revealing is what would tell a caller how the server is made.
var revealing = regexp.MustCompile(`(?i)goroutine \d|\.go:\d|\bpanic\b|\bsqlite\b|\bsqlstate\b|\bpgx\b|constraint failed|\bselect .* from\b|\binsert into\b|/tmp/|/root/|runtime error|strconv\.|unmarshal|jsontext|reflect\.`)

// send makes the call and checks what holds of every answer.
func (s *sweep) send(what, body string) answer {
	s.t.Helper()
	*s.sent++
	before := s.store.changed.Load()
	a := s.do(body)
	short := body
	if len(short) > 300 {
		short = short[:300] + "…"
	}
	var got struct {
		Code         int                 `json:"code"`
		Status       string              `json:"status"`
		Error        string              `json:"error"`
		ErrorCode    int                 `json:"errorCode"`
		ErrorMessage string              `json:"errorMessage"`
		ErrorDetails map[string][]string `json:"errorDetails"`
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		s.t.Errorf("%s: %s\n -> %d %s: %v", what, short, a.status, a.body, err)
	}
	if strings.Contains(a.body, canary[:5]) || revealing.MatchString(a.body) {
		s.t.Errorf("%s: %s\n -> %d %s: shows too much", what, short, a.status, a.body)
	}
	if a.status == http.StatusOK {
		return a
	}
	number, listed := s.listed[got.Error]
	if a.status < 400 || a.status >= 500 || got.Code != a.status || !listed || number != got.ErrorCode || got.ErrorMessage == "" || got.Status == "" {
		s.t.Errorf("%s: %s\n -> %d %s: no refusal that is listed", what, short, a.status, a.body)
	}
	if n := s.store.changed.Load() - before; n != 0 {
		s.t.Errorf("%s: %s\n -> %d %s: changed %d rows", what, short, a.status, a.body, n)
	}
	return a
}

func (s *sweep) do(body string) answer {
	req, err := http.NewRequest(http.MethodPost, s.url+s.route.Path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = s.header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

// refused sends what must be refused with an error of that name, about a member
// if there is one.
func (s *sweep) refused(what, body, name, member string) {
	s.t.Helper()
	a := s.send(what, body)
	if !strings.Contains(a.body, `"error":"`+name+`"`) || member != "" && !strings.Contains(a.body, `"errorDetails":{"`+member+`"`) {
		s.t.Errorf("%s: %.300s\n -> %d %s: want %s %s", what, body, a.status, a.body, name, member)
	}
}

// member is a member of a record.
type member struct {
	name     string
	typ      reflect.Type
	required bool
}

func membersOf(t reflect.Type) (all []member) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		all = append(all, member{name, f.Type, f.Tag.Get("required") == "true"})
	}
	return all
}

var (
	rawType    = reflect.TypeFor[jsontext.Value]()
	secretType = reflect.TypeFor[secret.Text]()
	timeType   = reflect.TypeFor[time.Time]()
)

// plausible is a value of a member as JSON.
func (s *sweep) plausible(name string, t reflect.Type, depth int) string {
	switch {
	case name == "TitleId":
		return `"` + s.title + `"`
	case name == "PlatformId":
		return `"` + s.player.ID + `"`
	case t == secretType || strings.HasSuffix(name, "Password") || name == "Token" || name == "SessionTicket":
		return `"` + canary + `"`
	case t == rawType:
		return `{"a":1}`
	case t == timeType:
		return `"2026-03-04T05:06:07Z"`
	case strings.Contains(name, "Email") && t.Kind() == reflect.String:
		return `"ann@example.com"`
	}
	switch t.Kind() {
	case reflect.String:
		return `"abc"`
	case reflect.Bool:
		return "true"
	case reflect.Pointer:
		return s.plausible(name, t.Elem(), depth)
	case reflect.Slice, reflect.Array:
		if depth > 4 {
			return "[]"
		}
		return "[" + s.plausible(name, t.Elem(), depth+1) + "]"
	case reflect.Map:
		if depth > 4 {
			return "{}"
		}
		return `{"abc":` + s.plausible(name, t.Elem(), depth+1) + "}"
	case reflect.Struct:
		if depth > 4 {
			return "{}"
		}
		return s.object(t, "", "", depth+1)
	}
	return "1"
}

// object is a plausible object with one member replaced or added; at the top it
// has what is required, below it has everything.
func (s *sweep) object(t reflect.Type, name, value string, depth int) string {
	parts := []string{}
	for _, m := range membersOf(t) {
		switch {
		case m.name == name:
		case m.required || depth > 0 && m.typ.Kind() != reflect.Pointer || m.name == "TitleId":
			parts = append(parts, fmt.Sprintf("%q:%s", m.name, s.plausible(m.name, m.typ, depth)))
		}
	}
	if value != "" {
		parts = append(parts, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// place is somewhere in a request where a value goes.
type place struct {
	top  string // member of the request that it is in
	name string
	typ  reflect.Type
	body func(value string) string // the whole request with it
	key  bool                      // the value is the key of a map
}

// places lists them: the members of the record, and what is in them.
func (s *sweep) places(t reflect.Type) (all []place) {
	var walk func(p place, depth int)
	walk = func(p place, depth int) {
		for p.typ.Kind() == reflect.Pointer {
			p.typ = p.typ.Elem()
		}
		all = append(all, p)
		if depth > 5 || p.typ == rawType || p.typ == timeType {
			return
		}
		switch p.typ.Kind() {
		case reflect.Slice:
			walk(place{p.top, p.name, p.typ.Elem(), func(v string) string { return p.body("[" + v + "]") }, false}, depth+1)
		case reflect.Map:
			walk(place{p.top, p.name, p.typ.Elem(), func(v string) string { return p.body(`{"abc":` + v + "}") }, false}, depth+1)
			all = append(all, place{p.top, p.name, p.typ.Key(), func(v string) string { return p.body("{" + v + ":" + s.plausible("", p.typ.Elem(), 3) + "}") }, true})
		case reflect.Struct:
			for _, m := range membersOf(p.typ) {
				walk(place{p.top, m.name, m.typ, func(v string) string { return p.body(s.object(p.typ, m.name, v, 3)) }, false}, depth+1)
			}
		}
	}
	for _, m := range membersOf(t) {
		walk(place{m.name, m.name, m.typ, func(v string) string { return s.object(t, m.name, v, 0) }, false}, 0)
	}
	return all
}

// wrongTypes are values that do not fit a type, with a secret in them.
func wrongTypes(t reflect.Type) []string {
	if t == rawType {
		return nil
	}
	text, list, object := `"`+canary+`"`, `["`+canary+`"]`, `{"`+canary+`":"`+canary+`"}`
	switch t.Kind() {
	case reflect.String:
		return []string{"12", "true", list, object}
	case reflect.Bool:
		return []string{"1", text, list, object}
	case reflect.Slice, reflect.Array:
		return []string{"12", text, object}
	case reflect.Map, reflect.Struct:
		if t == timeType {
			return []string{text, "12"}
		}
		return []string{"12", text, list}
	case reflect.Float32, reflect.Float64:
		return []string{text, "true", list, object, "1e999"}
	}
	return []string{text, "true", list, object, "0.5", "1e99", "99999999999999999999999"}
}

// texts are strings at and around the bounds that are in use, in characters of
// one, two and four bytes and in pairs that combine, and such as make trouble.
var texts = sync.OnceValue(func() (all []string) {
	add := func(s string) {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		all = append(all, string(b))
	}
	lengths, others := []int{2, 25, 26, 100, 101, 257, 1025, 10_001}, []int{2, 26, 101, 1025}
	if os.Getenv(pgtest.Env) != "" { // a store over a socket takes its time, and counts nothing itself
		lengths, others = []int{101, 10_001}, []int{26}
	}
	for _, n := range lengths {
		add(strings.Repeat("a", n))
	}
	for _, n := range others {
		add(strings.Repeat("é", n))
		add(strings.Repeat("😀", n))
		add(strings.Repeat("e\u0301", n))
	}
	for _, s := range []string{"", " ", "a\x00b", "a\nb", "\x7f", "\u202eabc", "\u200b\u200b\u200b", "\uffff", "<script>alert(1)</script>", "' OR '1'='1", "../../etc/passwd", "%s%n{{.}}", "!abc", "abc/def\\", "pfrn:api--*", "9999-99-99"} {
		add(s)
	}
	return all
})

var numbers = []string{"0", "-0", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740993",
	"9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "1e18", "1e300", "0.1"}

// values are well-formed values of a type, most of them unwanted.
func (s *sweep) values(p place) (all []string) {
	switch {
	case p.typ == rawType:
		return []string{"1", `"abc"`, "[]", "{}", "true", strings.Repeat("[", 40) + strings.Repeat("]", 40), `{"a":"` + strings.Repeat("a", 20_000) + `"}`}
	case p.typ == timeType:
		return []string{`"0001-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999Z"`, `"1969-12-31T00:00:00+14:00"`}
	}
	switch p.typ.Kind() {
	case reflect.String:
		return texts()
	case reflect.Slice:
		one := s.plausible(p.name, p.typ.Elem(), 3)
		for _, n := range []int{0, 2, 11, 26, 101, 1001} {
			all = append(all, "["+strings.TrimSuffix(strings.Repeat(one+",", n), ",")+"]")
		}
		return all
	case reflect.Map:
		one := s.plausible(p.name, p.typ.Elem(), 3)
		for _, n := range []int{0, 11, 101, 1001} {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `,"k%d":%s`, i, one)
			}
			all = append(all, "{"+strings.TrimPrefix(b.String(), ",")+"}")
		}
		return all
	case reflect.Bool, reflect.Struct:
		return nil
	}
	return numbers
}

// TestBadInput is the sweep.
func TestBadInput(t *testing.T) {
	log, counting := &logBuffer{}, &countingStore{Store: storetest.Open(t, Areas()...)}
	f := newFixture(t, setup{store: counting, log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	sent := 0
	for i, route := range f.service.Routes() {
		if isPage(route) {
			continue
		}
		t.Run(strings.TrimPrefix(route.Path, "/"), func(t *testing.T) {
			if route.Record == nil {
				t.Fatal("the route does not say what it takes")
			}
			s := &sweep{fixture: f, t: t, route: route, title: fmt.Sprintf("%X", 0x1000+i), log: log, store: counting, listed: wire.PlayerErrors(), sent: &sent}
			s.prepare()
			s.bodies()
			s.members()
			if text := log.take(); strings.Contains(text, canary[:5]) {
				at := strings.Index(text, canary[:5])
				t.Errorf("a secret is in the log: %s", text[max(0, at-300):min(len(text), at+100)])
			} else if strings.Contains(text, "level=ERROR") {
				t.Errorf("an error was logged: %.500s", text[strings.Index(text, "level=ERROR"):])
			}
		})
	}
	t.Logf("%d calls, %d requests, %d rows changed by those that succeeded", len(f.service.Routes()), sent, counting.changed.Load())
	if counting.changed.Load() == 0 {
		t.Error("no request changed anything, so the refusals show nothing")
	}
}

// isPage reports whether a route is for people with a browser; see TestBadPages.
func isPage(r wire.Route) bool { return r.Method != http.MethodPost || r.Form }

// TestBadPages: whatever a link or a form holds, a page is a page, shows no
// markup or secret that was sent, and is no fault.
func TestBadPages(t *testing.T) {
	log := &logBuffer{}
	f := newFixture(t, setup{log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	values := []string{"", "a", canary, "<script>alert(1)</script>", `"><img src=x onerror=a()>`, "javascript:alert(1)", "a\x00b", "\xff\xfe", strings.Repeat("a", 5000), "😀é"}
	pages := 0
	for _, r := range f.service.Routes() {
		if !isPage(r) {
			continue
		}
		pages++
		for _, member := range []string{"token", "password", "again", "other"} {
			for _, v := range values {
				form := url.Values{"token": {"abc"}, "password": {canary + "1"}, "again": {canary + "1"}}
				form.Set(member, v)
				text, body := f.url+r.Path+"?"+form.Encode(), ""
				if r.Form {
					text, body = f.url+r.Path, form.Encode()
				}
				req := must(http.NewRequest(r.Method, text, strings.NewReader(body)))(t)
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				res := must(http.DefaultClient.Do(req))(t)
				got := string(must(io.ReadAll(res.Body))(t))
				res.Body.Close()
				shown := member == "token" && strings.Contains(v, canary) // a form may carry its token on
				if res.StatusCode >= 500 || strings.Contains(got, "<script") || strings.Contains(got, "<img") || revealing.MatchString(got) || strings.Contains(got, canary) && !shown {
					t.Errorf("%s %s with %s %.60q: %d %s", r.Method, r.Path, member, v, res.StatusCode, got)
				}
				if strings.Contains(res.Header.Get("Content-Type"), "html") != strings.HasPrefix(got, "<!DOCTYPE html>") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s %s: %v %.100s", r.Method, r.Path, res.Header, got)
				}
			}
		}
		if text := log.take(); strings.Contains(text, canary) || strings.Contains(text, "level=ERROR") {
			t.Errorf("%s %s logged %.500s", r.Method, r.Path, text)
		}
	}
	t.Logf("%d pages", pages)
}

// prepare makes a title of the call's own, with a player in it and every proof.
func (s *sweep) prepare() {
	s.player = &account.Account{Title: s.title, Origination: account.Organic}
	err := account.Write(s.t.Context(), s.store, func(tx store.Tx) error {
		return account.Create(tx, s.player, account.Options{}, s.clock.now().UnixMilli())
	})
	if err != nil {
		s.t.Fatal(err)
	}
	bearer := ticket.Bearer{Title: s.title, Player: s.player.ID, Account: s.player.Account}
	tickets := s.service.opt.Tickets
	entity, _ := tickets.Entity(bearer, ticket.TitlePlayerAccount)
	key := ""
	err = s.titles.UpdateKeys(s.t.Context(), s.title, func(k *title.Keys) error {
		key = k.AddSecret("sweep", s.clock.now())
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.header = http.Header{"Content-Type": {"application/json"}}
	s.header.Set("X-Authorization", tickets.Session(bearer))
	s.header.Set("X-EntityToken", entity)
	s.header.Set("X-SecretKey", key)
	s.log.take()
}

// bodies sends what is no request.
func (s *sweep) bodies() {
	const secret = `"Password":"` + canary + `"`
	deep := `{"Unknown":` + strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 71)
	for what, body := range map[string]string{
		"nothing": "", "a list": "[{" + secret + "}]", "null": "null", "text": canary, "cut off": "{" + secret, "cut off in a text": "{" + secret[:len(secret)-1],
		"trailing object": "{}{" + secret + "}", "trailing word": "{} " + canary, "a member twice": "{" + secret + "," + secret + "}", "too deep": deep,
		"bytes that are no UTF-8": "{" + secret + ",\"Unknown\":\"\xff\xfe\"}", "half a surrogate": "{" + secret + `,"Unknown":"\ud800"}`, "half a surrogate in a secret": `{"Password":"\ud800` + canary + `"}`, "a bad escape in a secret": `{"Password":"\u` + canary + `"}`, "a secret escape": `{"Password":"\` + canary + `"}`,
		"a comment": "{/*" + canary + "*/}", "single quotes": "{'a':'" + canary + "'}", "no value": `{"Password":}`, "NaN": `{"Amount":NaN}`, "control character": "{\"Password\":\"\x01" + canary + "\"}",
		"byte order mark": "\ufeff{" + secret + "}",
	} {
		s.refused(what, body, "InvalidRequest", "")
	}
}

// members sends requests with one bad member each.
func (s *sweep) members() {
	record := s.route.Record
	s.send("what is required", s.object(record, "", "", 0))
	for _, m := range membersOf(record) {
		absent := s.send(m.name+" absent", s.object(record, m.name, "", 0))
		null := s.send(m.name+" null", s.object(record, m.name, "null", 0))
		if absent.status != 200 && null.body != absent.body {
			s.t.Errorf("%s null and absent:\n%s\n%s", m.name, null.body, absent.body)
		}
		if strings.Contains(null.body, "wrong type") {
			s.t.Errorf("%s null: %s", m.name, null.body)
		}
		for _, name := range []string{strings.ToLower(m.name), strings.ToUpper(m.name)} {
			if slices.ContainsFunc(membersOf(record), func(m member) bool { return m.name == name }) {
				continue
			}
			body := strings.Replace(s.object(record, m.name, `["`+canary+`"]`, 0), `"`+m.name+`":["`, `"`+name+`":["`, 1)
			if other := s.send(m.name+" in another case", body); absent.status != 200 && other.body != absent.body {
				s.t.Errorf("%s in another case and absent:\n%s\n%s", m.name, other.body, absent.body)
			}
		}
		twice := s.object(record, m.name, s.plausible(m.name, m.typ, 0), 0)
		s.refused(m.name+" twice", strings.TrimSuffix(twice, "}")+","+twice[strings.LastIndex(twice, `"`+m.name+`":`):], "InvalidRequest", "")
	}
	for _, p := range s.places(record) {
		if p.key {
			for _, v := range texts() {
				s.send(p.name+", a key", p.body(v))
			}
			continue
		}
		for _, v := range wrongTypes(p.typ) {
			s.refused(p.name+" of another type", p.body(v), "InvalidParams", p.top)
		}
		for _, v := range s.values(p) {
			s.send(p.name, p.body(v))
		}
	}
}

// endless is a body without end that counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// TestHugeBodies: no call reads what is too large, compressed or not.
func TestHugeBodies(t *testing.T) {
	const huge = 100 << 20
	f := newFixture(t, setup{})
	edge := wire.NewEdge(wire.Options{}, f.service.Routes()...)
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	if _, err := io.CopyN(z, &endless{}, huge/100); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	packed := bytes.Repeat(member.Bytes(), 100) // members in a row are one stream
	for i, r := range f.service.Routes() {
		if r.Method != http.MethodPost {
			continue
		}
		for what, most := range map[string]int64{"announced": 0, "not announced": 2 * max(r.MaxBody, 1<<20), "compressed": 0} {
			if what != "announced" && i >= 10 && r.MaxBody == 0 {
				continue // they all read with the same words
			}
			body := &endless{}
			req := httptest.NewRequest(http.MethodPost, r.Path, body)
			req.ContentLength = -1
			if r.Form {
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			switch what {
			case "announced":
				req.ContentLength = huge
			case "compressed":
				req.Body = io.NopCloser(bytes.NewReader(packed))
				req.Header.Set("Content-Encoding", "gzip")
			}
			w := httptest.NewRecorder()
			edge.ServeHTTP(w, req)
			if w.Code != 413 || !strings.Contains(w.Body.String(), `"error":"BodyTooLarge","errorCode":1068`) || body.read > most {
				t.Errorf("%s, %s: %d %s, %d bytes read", r.Path, what, w.Code, w.Body, body.read)
			}
		}
	}
	// Over a connection, the client hears of it while it still sends.
	req, err := http.NewRequest(http.MethodPost, f.url+"/Client/RegisterPlatformUser", io.LimitReader(&endless{}, huge))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 413 {
		t.Errorf("over a connection: %s", res.Status)
	}
}
