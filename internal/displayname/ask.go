package displayname

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/circuit"
	"ludgate/internal/outbound"
)

// maxAnswer is how much of an answer is read, in bytes; a real one has about 20.
const maxAnswer = 4 << 10

// asker asks one title's own filter.
type asker struct {
	filter      *Filter
	title       string
	url, bearer string
	slots       chan struct{}
	breaker     circuit.Breaker
}

// question and answer are the bodies.
type question struct {
	Title       string `json:"title"`
	DisplayName string `json:"displayName"`
}

type answer struct {
	Allowed *bool `json:"allowed"`
}

func (f *Filter) newAsker(title string, s *Settings) *asker {
	a := &asker{filter: f, title: title, url: s.URL, slots: make(chan struct{}, f.opt.MaxConcurrent)}
	if s.Secret != "" {
		a.bearer = "Bearer " + s.Secret.Reveal()
	}
	return a
}

// ask gives the filter's answer, unless too many questions are under way or the
// filter is being left alone.
func (a *asker) ask(ctx context.Context, name string) (allowed bool, err error) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	default:
		return false, fmt.Errorf("%d questions wait for the title's filter", cap(a.slots))
	}
	opt := &a.filter.opt
	if !a.breaker.Allow(opt.Clock()) {
		return false, errors.New("the title's filter has failed several times and is left alone for a moment")
	}
	// The breaker learns how every question ends, so a caller that goes away
	// does not end it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), opt.Timeout)
	defer cancel()
	allowed, err = a.post(ctx, name)
	// A refusal of the question itself may lie in the name: it does not count,
	// or one caller could have the filter left alone for all.
	var status statusError
	failed := err != nil && (!errors.As(err, &status) || status >= 500)
	if a.breaker.Done(opt.Clock(), !failed) {
		opt.Log.Warn("a title's display name filter keeps failing and is left alone for a moment", "title", a.title, "error", err)
	}
	return allowed, err
}

// statusError is an answer other than 200.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("the title's filter answered %d", int(s)) }

// post asks and reads the answer.
func (a *asker) post(ctx context.Context, name string) (bool, error) {
	body, err := json.Marshal(question{a.title, name})
	if err != nil {
		return false, fmt.Errorf("make the question: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("make the question: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ludgate")
	if a.bearer != "" {
		req.Header.Set("Authorization", a.bearer)
	}
	res, err := a.filter.transport.RoundTrip(req)
	if err != nil {
		return false, fmt.Errorf("ask the title's filter: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false, statusError(res.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return false, fmt.Errorf("read the answer of the title's filter: %w", err)
	}
	if len(text) > maxAnswer {
		return false, fmt.Errorf("the answer of the title's filter is longer than %d bytes", maxAnswer)
	}
	var got answer
	if err := json.Unmarshal(text, &got); err != nil {
		return false, fmt.Errorf("read the answer of the title's filter: %w", err)
	}
	if got.Allowed == nil {
		return false, errors.New("the answer of the title's filter does not say whether the name is allowed")
	}
	return *got.Allowed, nil
}

// newTransport makes connections to addresses that a title may name and to no
// other, whatever its host name resolves to at the moment.
func newTransport(opt *Options) *http.Transport {
	loopback := opt.AllowLoopback
	dialer := &net.Dialer{
		Timeout: opt.Timeout,
		Control: func(_, address string, _ syscall.RawConn) error {
			if places(loopback).Control("", address, nil) != nil {
				return errors.New("a filter cannot be at this address")
			}
			return nil
		},
	}
	return &http.Transport{
		Proxy:                  nil, // a proxy would connect where we do not see
		DialContext:            dialer.DialContext,
		TLSClientConfig:        opt.TLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // answers are tiny, and a bomb would not be
		MaxIdleConnsPerHost:    16,
		MaxIdleConns:           256,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 16 << 10,
	}
}

// places are where a filter may be: anywhere but on this machine, unless that is
// allowed. Private networks are fine, that is where such filters run.
func places(loopback bool) outbound.Policy {
	return outbound.Policy{Loopback: loopback, Private: true}
}

func forbidden(ip netip.Addr, allowLoopback bool) bool { return places(allowLoopback).Check(ip) != nil }
