package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"ludgate"
	"ludgate/internal/store"
)

// TestStoreTrouble shows what a caller hears when the store cannot serve.
func TestStoreTrouble(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		retry  string
		want   string
	}{
		{store.ErrBusy, 503, "1", `"code":"ServiceUnavailable"`},
		{store.ErrFull, 503, "60", `no space left`},
		{store.ErrReadOnly, 503, "60", `cannot write its store`},
		{store.ErrClosed, 503, "1", `shutting down`},
		{context.Canceled, 503, "", `cancelled`},
		{context.DeadlineExceeded, 503, "1", `took too long`},
		{errors.New("disk on fire"), 500, "", `"code":"InternalServerError"`},
		{ludgate.Errorf(ludgate.Conflict, "Taken", "It is taken.").Because(store.ErrFull), 409, "", `"code":"Taken"`},
	} {
		e := NewEdge(Options{}, Route{Surface: Own, Method: "GET", Path: "/healthz", Handler: func(context.Context, *Request) (*Reply, error) {
			return nil, fmt.Errorf("do something: %w", c.err)
		}})
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%v: got %d %v %s", c.err, w.Code, w.Header(), w.Body)
		}
		if strings.Contains(w.Body.String(), "fire") || strings.Contains(w.Body.String(), "do something") {
			t.Errorf("%v: the cause is on the wire: %s", c.err, w.Body)
		}
	}
}
