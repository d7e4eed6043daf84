package containergroup

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ludgate/internal/wire"
)

// FuzzPutBody sends any bytes as the body of a PUT through reader and rules. They
// never panic and never fault; a refusal is a CloudError; what is accepted has a
// canonical form that is accepted again and stays as it is, and an engine can be
// told of it.
func FuzzPutBody(f *testing.F) {
	for _, body := range []string{whole, base, oneContainer("sleep 1"), `{"properties":{"containers":[]}}`, `{"properties":{"containers":[{"name":"a","properties":{"image":"x","resources":{"requests":{"cpu":"1","memoryInGb":"1.5"},"limits":{"cpu":1}}}}]}}`,
		`{"properties":{"containers":[{"name":"a","properties":{"image":"x","livenessProbe":{"exec":{"command":["x"]}}}}],"volumes":[{"name":"v","secret":{"a":"eA=="}}]}}`,
		`{"identity":{"type":"SystemAssigned"},"zones":["1"],"properties":{"containers":[{}],"ipAddress":{"type":"Private","ports":[{}]}}}`, "{", "[]", `{"a":`} {
		f.Add(body)
	}
	svc := &Service{}
	handler := func(_ context.Context, r *wire.Request) (*wire.Reply, error) {
		g := &ContainerGroup{}
		if err := r.Decode(g); err != nil {
			return nil, err
		}
		q := request{policy: policy{region: "local", maxCPU: 31, maxMemoryGB: 240}, ContainerGroup: g, name: "g", missing: r.MissingMember}
		if err := q.check(); err != nil {
			return nil, err
		}
		w := svc.wishOf(&row{key: "00", document: document{Group: g}}, g.Properties.ImageRegistryCredentials)
		if len(w.Containers) == 0 {
			f.Error("a wish without containers")
		}
		return wire.OK(g), nil
	}
	edge := wire.NewEdge(wire.Options{Log: quietLog()}, wire.Route{Surface: wire.Management, Method: http.MethodPut, Path: oneGroup, Handler: handler})
	put := func(body string) (int, string) {
		rec := httptest.NewRecorder()
		edge.ServeHTTP(rec, httptest.NewRequest("PUT", group("g"), strings.NewReader(body)))
		return rec.Code, rec.Body.String()
	}
	f.Fuzz(func(t *testing.T, body string) {
		status, text := put(body)
		switch status {
		case 200:
			if again, canonical := put(text); again != 200 || canonical != text {
				t.Errorf("%s\nbecame %s\nand then %d %s", body, text, again, canonical)
			}
		case 400:
			if !strings.HasPrefix(text, `{"error":{"code":"`) {
				t.Errorf("%s: %s", body, text)
			}
		default:
			t.Errorf("%s: %d %s", body, status, text)
		}
	})
}
