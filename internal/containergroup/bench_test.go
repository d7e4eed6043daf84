package containergroup

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ludgate/internal/access"
	"ludgate/internal/wire"
)

// BenchmarkPut is the cost of making a group on the simulated engine, from the
// edge to the durable answer, with as many callers as CPUs times 32.
func BenchmarkPut(b *testing.B) {
	call := bench(b)
	var n atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if status := call("PUT", group(fmt.Sprintf("g%d", n.Add(1))), base); status != 201 {
				b.Errorf("status %d", status)
			}
		}
	})
}

// BenchmarkGet is the cost of reading a group with its instance views.
func BenchmarkGet(b *testing.B) {
	call := bench(b)
	call("PUT", group("g"), whole)
	b.ReportAllocs()
	for b.Loop() {
		if status := call("GET", group("g"), ""); status != 200 {
			b.Errorf("status %d", status)
		}
	}
}

// bench gives a function that sends a request through an edge, without a network.
func bench(b *testing.B) func(method, path, body string) int {
	s := start(b, nil)
	edge := wire.NewEdge(wire.Options{Log: quietLog(), Authenticate: func(r *http.Request, _ wire.Surface) (context.Context, error) {
		return access.With(r.Context(), &access.Principal{Kind: access.Developer}), nil
	}}, s.svc.Routes()...)
	b.ResetTimer()
	return func(method, path, body string) int {
		rec := httptest.NewRecorder()
		edge.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
		return rec.Code
	}
}
