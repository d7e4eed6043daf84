package server

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"ludgate"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

var pingStmt = store.NewStmt("ping", "SELECT 1")

// healthRoutes answer probes of load balancers and supervisors.
func (s *Server) healthRoutes() []wire.Route {
	return []wire.Route{
		{Surface: wire.Own, Method: http.MethodGet, Path: "/healthz", WhileDraining: true, Handler: s.healthz},
		{Surface: wire.Own, Method: http.MethodGet, Path: "/readyz", Handler: s.readyz},
	}
}

// status is the body of a probe.
type status struct {
	Status string `json:"status"`
}

// healthz says that the process answers.
func (s *Server) healthz(context.Context, *wire.Request) (*wire.Reply, error) {
	return wire.OK(status{"ok"}), nil
}

// readyz says that requests can be served: the store answers.
func (s *Server) readyz(ctx context.Context, _ *wire.Request) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.store.Read(ctx, func(tx store.Tx) error {
		return tx.Query(pingStmt, func(store.Row) error { return nil })
	})
	if err != nil {
		return nil, ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "The store does not answer.").After(time.Second).Because(err)
	}
	return wire.OK(status{"ready"}), nil
}

// devRoutes are what development mode has beside the contract: the floor that
// `ludgate bench` measures against, and the process's own use of the machine.
func (s *Server) devRoutes() []wire.Route {
	return []wire.Route{
		{Surface: wire.Own, Method: http.MethodPost, Path: "/dev/empty", Handler: s.empty},
		{Surface: wire.Own, Method: http.MethodGet, Path: "/dev/stats", Handler: s.stats},
	}
}

// empty does nothing: the cost of the edge itself.
func (s *Server) empty(context.Context, *wire.Request) (*wire.Reply, error) {
	return wire.OK(struct{}{}), nil
}

// Stats is the body of /dev/stats.
type Stats struct {
	CPUSeconds    float64 `json:"cpuSeconds"`    // user and system time of this process
	HelperSeconds float64 `json:"helperSeconds"` // of its ended and waited-for children
	RSSBytes      int64   `json:"rssBytes"`      // resident memory
	Goroutines    int     `json:"goroutines"`
}

// stats measures this process.
func (s *Server) stats(context.Context, *wire.Request) (*wire.Reply, error) {
	st := Stats{Goroutines: runtime.NumGoroutine(), RSSBytes: residentBytes()}
	st.CPUSeconds, st.HelperSeconds = cpuSeconds()
	return wire.OK(st), nil
}
