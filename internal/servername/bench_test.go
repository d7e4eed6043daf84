package servername

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

// BenchmarkCalls sets the calls beside an empty handler of the same edge. The
// time is the edge's and the service's, without a connection.
func BenchmarkCalls(b *testing.B) {
	edge := newEdge(b, storetest.Open(b, Area), wire.Route{
		Surface: wire.Management, Method: "POST", Path: "/subscriptions/{subscriptionId}/providers/Vendor.Sql/empty", APIVersions: versions,
		Handler: func(context.Context, *wire.Request) (*wire.Reply, error) { return wire.OK(struct{}{}), nil },
	})
	do := func(method, path, body string) int {
		w := &discard{header: http.Header{}}
		edge.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return w.status
	}
	check := func(name string) int {
		return do("POST", checkPath(subA, "Vendor.Sql")+neutralVersion, `{"name":"`+name+`","type":"Vendor.Sql/servers"}`)
	}
	take := func(name string) int {
		return do("PUT", serverPath(subA, "rg", "Vendor.Sql", name)+neutralVersion, `{"location":"here"}`)
	}
	take("taken")
	var count atomic.Int64
	for _, c := range []struct {
		name string
		call func() int
		want int
	}{
		{"empty", func() int {
			return do("POST", "/subscriptions/"+subA+"/providers/Vendor.Sql/empty"+neutralVersion, `{"name":"free","type":"Vendor.Sql/servers"}`)
		}, 200},
		{"check a free name", func() int { return check("free") }, 200},
		{"check a taken name", func() int { return check("taken") }, 200},
		{"check an invalid name", func() int { return check("NAME") }, 200},
		{"take a name", func() int { return take(fmt.Sprint("new-", count.Add(1))) }, 201},
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
