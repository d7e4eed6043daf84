package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// requestTimeout ends a request that hangs.
const requestTimeout = 30 * time.Second

// conn is one keep-alive connection that sends prepared requests. It is a small
// client of its own so that the generator takes as little as possible of the
// processors that it shares with the server.
type conn struct {
	host string
	c    net.Conn
	r    *bufio.Reader
	out  bytes.Buffer
	body bytes.Buffer
}

func dial(ctx context.Context, host string) (*conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	return &conn{host: host, c: c, r: bufio.NewReaderSize(c, 16<<10)}, nil
}

// do sends one request and gives status and body; the body is valid until the
// next call.
func (c *conn) do(q request) (int, http.Header, []byte, error) {
	c.out.Reset()
	c.out.WriteString(q.method + " " + q.path + " HTTP/1.1\r\nHost: " + c.host + "\r\n")
	if q.header != "" {
		c.out.WriteString(q.header + "\r\n")
	}
	if q.body != "" {
		c.out.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(q.body)) + "\r\n")
	}
	c.out.WriteString("\r\n" + q.body)
	if err := c.c.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return 0, nil, nil, err
	}
	if _, err := c.c.Write(c.out.Bytes()); err != nil {
		return 0, nil, nil, err
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return 0, nil, nil, err
	}
	c.body.Reset()
	_, err = c.body.ReadFrom(resp.Body)
	if cerr := resp.Body.Close(); err == nil {
		err = cerr
	}
	return resp.StatusCode, resp.Header, c.body.Bytes(), err
}

// json sends a request and decodes the answer, which must have one of the
// statuses.
func (c *conn) json(q request, v any, statuses ...int) error {
	status, _, body, err := c.do(q)
	if err != nil {
		return err
	}
	if !slices.Contains(statuses, status) {
		return fmt.Errorf("%s %s answered %d: %s", q.method, q.path, status, body)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(body, v)
}

// request is one call.
type request struct {
	method, path, header, body string
}

// operation does the i-th operation of worker w on its connection.
type operation func(c *conn, w, i int) error

// result is what a workload showed.
type result struct {
	name       string
	ops        int
	elapsed    time.Duration
	p50, p99   time.Duration
	serverCPU  time.Duration // of the server's process, in all
	cpuUnknown bool          // the server does not say
	note       string
}

// perSecond is the throughput.
func (r *result) perSecond() float64 { return float64(r.ops) / r.elapsed.Seconds() }

// cpuPerOp is the server's processor time per operation.
func (r *result) cpuPerOp() time.Duration {
	if r.ops == 0 {
		return 0
	}
	return r.serverCPU / time.Duration(r.ops)
}

// load runs op on workers connections for a duration and measures it.
func load(ctx context.Context, name, host string, workers int, d time.Duration, op operation) (*result, error) {
	conns := make([]*conn, workers)
	defer func() {
		for _, c := range conns {
			if c != nil {
				_ = c.c.Close() // nothing is sent on it any more
			}
		}
	}()
	for i := range conns {
		var err error
		if conns[i], err = dial(ctx, host); err != nil {
			return nil, err
		}
	}
	times := make([][]time.Duration, workers)
	failures := make(chan error, workers)
	before, cpuErr := readStats(ctx, host)
	start := time.Now()
	end := start.Add(d)
	var wg sync.WaitGroup
	for w, c := range conns {
		wg.Go(func() {
			for i := 0; ; i++ {
				t := time.Now()
				if !t.Before(end) || ctx.Err() != nil {
					return
				}
				switch err := op(c, w, i); {
				case errors.Is(err, errNoMore):
					return
				case err != nil:
					failures <- fmt.Errorf("%s: worker %d, operation %d: %w", name, w, i, err)
					return
				}
				times[w] = append(times[w], time.Since(t))
			}
		})
	}
	wg.Wait()
	r := &result{name: name, elapsed: time.Since(start)}
	close(failures)
	if err := <-failures; err != nil {
		return nil, err
	}
	after, err := readStats(ctx, host)
	if cpuErr == nil && err == nil {
		r.serverCPU = time.Duration((after.CPUSeconds - before.CPUSeconds) * float64(time.Second))
	} else {
		r.cpuUnknown = true
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	r.ops = len(all)
	if r.ops == 0 {
		return nil, errors.New(name + ": not one operation ended in time")
	}
	r.p50, r.p99 = all[r.ops/2], all[r.ops*99/100]
	return r, ctx.Err()
}

// stats is the server's own use of the machine (GET /dev/stats).
type stats struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	RSSBytes   int64   `json:"rssBytes"`
}

// readStats asks a server in development mode for its use of the machine.
func readStats(ctx context.Context, host string) (stats, error) {
	var s stats
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/dev/stats", nil)
	if err != nil {
		return s, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return s, fmt.Errorf("GET /dev/stats answered %s", resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}
