package directory

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

// BenchmarkCalls sets the calls beside an empty handler of the same edge. The
// time is the edge's and the service's, without a connection.
func BenchmarkCalls(b *testing.B) {
	st := storetest.Open(b, Area)
	edge := newEdge(b, st, wire.Neutral, time.Now, wire.Route{Surface: wire.Directory, Method: "GET", Path: "/v1.0/empty/{id}",
		Handler: func(context.Context, *wire.Request) (*wire.Reply, error) { return wire.OK(struct{}{}), nil }})
	do := func(method, path, body string) int {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Prefer", "create-if-missing")
		w := &discard{header: http.Header{}}
		edge.ServeHTTP(w, r)
		return w.status
	}
	do("PATCH", byName("known"), security("known"))
	var count atomic.Int64
	for _, c := range []struct {
		name string
		call func() int
		want int
	}{
		{"empty", func() int { return do("GET", "/v1.0/empty/known", "") }, 200},
		{"read by name", func() int { return do("GET", "/v1.0/groups(uniqueName='known')", "") }, 200},
		{"upsert that creates", func() int {
			name := fmt.Sprint("new-", count.Add(1))
			return do("PATCH", "/v1.0/groups(uniqueName='"+name+"')", security(name))
		}, 201},
		{"upsert that changes", func() int {
			return do("PATCH", "/v1.0/groups(uniqueName='known')", security("known", J{"description": fmt.Sprint(count.Add(1))}))
		}, 204},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if got := c.call(); got != c.want {
						b.Errorf("got %d, want %d", got, c.want)
						return
					}
				}
			})
		})
	}
}

// discard is a ResponseWriter that keeps the status only.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
