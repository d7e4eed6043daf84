//go:build unix

package player

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/streaming/platform"
)

// The benchmarks measure the processor time of a server under load. The load
// comes from a second process, this test binary again, so that its own work does
// not count; it is the streaming platform as well.

// loadOrder is one load: Count requests over Conns connections.
type loadOrder struct {
	Addr   string
	Kind   string // empty, known, full, creating, register, ticket
	Count  int
	Conns  int
	First  int    // number of the first request, for kinds whose requests differ
	Ticket string // for ticket
}

// loadReport is how a load went.
type loadReport struct {
	Error    string
	Seconds  float64 // all of it
	P50, P99 float64 // milliseconds
}

// generator is a running load generator.
type generator struct {
	platform string // validate URL
	in       io.Writer
	out      *bufio.Reader
}

func startGenerator(b *testing.B, keys string) *generator {
	b.Helper()
	cmd := exec.Command(must(os.Executable())(b), "-test.run", "^$")
	cmd.Env = append(os.Environ(), loadEnv+"="+keys)
	cmd.Stderr = os.Stderr
	in := must(cmd.StdinPipe())(b)
	out := must(cmd.StdoutPipe())(b)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	g := &generator{in: in, out: bufio.NewReader(out)}
	line := must(g.out.ReadString('\n'))(b)
	g.platform = strings.TrimSpace(line)
	return g
}

// run has the generator make a load and waits for its end.
func (g *generator) run(b *testing.B, orders ...loadOrder) []loadReport {
	b.Helper()
	if _, err := g.in.Write(append(must(json.Marshal(orders))(b), '\n')); err != nil {
		b.Fatal(err)
	}
	var reports []loadReport
	if err := json.Unmarshal([]byte(must(g.out.ReadString('\n'))(b)), &reports); err != nil {
		b.Fatal(err)
	}
	for _, r := range reports {
		if r.Error != "" {
			b.Fatal(r.Error)
		}
	}
	return reports
}

// cpuTime is the processor time that this process has used, or those of its
// children that have ended.
func cpuTime(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func init() { generateLoad = serveLoad }

// serveLoad is the second process: it serves the platform and carries out orders
// from standard input, several at the same time where a line has several.
func serveLoad() int {
	p, err := platform.New(os.Getenv(loadEnv), time.Now)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server := httptest.NewServer(p)
	fmt.Println(server.URL + platform.ValidatePath)
	for lines := bufio.NewReader(os.Stdin); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0
		}
		var orders []loadOrder
		if err := json.Unmarshal([]byte(line), &orders); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		reports := make([]loadReport, len(orders))
		var stop atomic.Bool // the first order to end ends the others
		var wg sync.WaitGroup
		for i, o := range orders {
			wg.Go(func() {
				reports[i] = o.carryOut(p, &stop)
				stop.Store(true)
			})
		}
		wg.Wait()
		b, err := json.Marshal(reports)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(string(b))
	}
}

// carryOut sends the requests of one order.
func (o loadOrder) carryOut(p *platform.Platform, stop *atomic.Bool) loadReport {
	bodies := o.bodies(p)
	var next atomic.Int64
	var mu sync.Mutex
	var times []time.Duration
	var failed error
	var wg sync.WaitGroup
	began := time.Now()
	for range o.Conns {
		wg.Go(func() {
			mine, err := o.client(bodies, &next, stop)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, mine...)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	r := loadReport{Seconds: time.Since(began).Seconds()}
	if failed != nil {
		r.Error = failed.Error()
	}
	if slices.Sort(times); len(times) > 0 {
		r.P50, r.P99 = times[len(times)/2].Seconds()*1000, times[len(times)*99/100].Seconds()*1000
	}
	return r
}

// knownUsers is how many players the kind known signs in, again and again.
const knownUsers = 64

// allFlags asks for everything.
var allFlags = obj{
	"GetCharacterInventories": true, "GetCharacterList": true, "GetPlayerProfile": true, "GetPlayerStatistics": true,
	"GetTitleData": true, "GetUserAccountInfo": true, "GetUserData": true, "GetUserInventory": true,
	"GetUserReadOnlyData": true, "GetUserVirtualCurrency": true, "ProfileConstraints": obj{"ShowDisplayName": true},
}

// bodies makes the requests before the clock runs. Kinds whose requests repeat
// have few.
func (o loadOrder) bodies(p *platform.Platform) []string {
	n := o.Count
	switch o.Kind {
	case "empty", "ticket":
		n = 1
	case "known", "full":
		n = knownUsers
	}
	out := make([]string, n)
	for i := range out {
		id := strconv.Itoa(o.First + i)
		path, header, body := "", "", ""
		switch o.Kind {
		case "empty":
			path, body = "/Client/Empty", `{"TitleId":"ABCDE"}`
		case "ticket":
			path, header, body = "/Authentication/GetEntityToken", "X-Authorization: "+o.Ticket+"\r\n", "{}"
		case "register":
			path = "/Client/RegisterPlatformUser"
			body = obj{"TitleId": "ABCDE", "Username": "user" + id, "Email": "user" + id + "@example.com", "Password": "correct horse"}.text()
		default:
			path = "/Client/LoginWithStreamingPlatform"
			token, err := p.Mint(platform.MintRequest{UserID: id, Login: "user" + id})
			if err != nil {
				panic(err)
			}
			all := obj{"TitleId": "ABCDE", "AccessToken": token, "CreateAccount": true}
			if o.Kind == "full" {
				all["InfoRequestParameters"] = allFlags
			}
			body = all.text()
		}
		out[i] = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + header +
			"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	return out
}

// client sends requests over one connection and gives their times.
func (o loadOrder) client(bodies []string, next *atomic.Int64, stop *atomic.Bool) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", o.Addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	src := bufio.NewReader(conn)
	var times []time.Duration
	for !stop.Load() {
		i := int(next.Add(1)) - 1
		if i >= o.Count {
			break
		}
		began := time.Now()
		if _, err := io.WriteString(conn, bodies[i%len(bodies)]); err != nil {
			return times, err
		}
		if err := readAnswer(src); err != nil {
			return times, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// readAnswer reads one answer with a Content-Length and wants it to be a 200.
func readAnswer(src *bufio.Reader) error {
	status, err := src.ReadString('\n')
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := src.ReadString('\n')
		if err != nil {
			return err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(v); err != nil {
				return err
			}
		}
	}
	body, err := src.Peek(min(length, 200))
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 200") {
		return fmt.Errorf("%s: %s", strings.TrimSpace(status), body)
	}
	_, err = src.Discard(length)
	return err
}
