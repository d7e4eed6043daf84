package tour

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"time"
)

// maxReply bounds how much of an answer is read.
const maxReply = 4 << 20

// answer is a reply, read and decoded.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any // nil when the reply is no JSON object
	took   time.Duration
}

// at reads a member by a path such as "properties.instanceView.state"; numbers
// index arrays. It gives nil where the path leads nowhere.
func (a *answer) at(path string) any {
	var v any = a.body
	for _, step := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			i := 0
			if _, err := fmt.Sscanf(step, "%d", &i); err != nil || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// text is at as a string, "" when it is none.
func (a *answer) text(path string) string {
	s, _ := a.at(path).(string)
	return s
}

// call sends a request and prints it with its answer. Quiet calls print nothing.
func (t *tour) call(ctx context.Context, method, path string, body any, quiet bool, headers ...string) (*answer, error) {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.MarshalIndent(body, "", "  "); err != nil {
			return nil, err
		}
	}
	target := path
	if !strings.Contains(path, "://") {
		target = t.opt.URL + path
	}
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if !quiet {
		t.printRequest(method, path, headers, payload)
	}
	start := time.Now()
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if a.raw, err = io.ReadAll(io.LimitReader(resp.Body, maxReply)); err != nil {
		return nil, fmt.Errorf("%s %s: read answer: %w", method, path, err)
	}
	a.took = time.Since(start)
	if json.Unmarshal(a.raw, &a.body) != nil {
		a.body = nil
	}
	if !quiet {
		t.printAnswer(a)
	}
	return a, nil
}

// printRequest shows a request.
func (t *tour) printRequest(method, path string, headers []string, payload []byte) {
	fmt.Fprintf(t.out, "\n%s %s\n", t.style(bold, method), path)
	for i := 0; i+1 < len(headers); i += 2 {
		fmt.Fprintf(t.out, "%s\n", t.style(dim, headers[i]+": "+shorten(headers[i+1])))
	}
	if len(payload) > 0 {
		fmt.Fprintln(t.out, t.pretty(payload))
	}
}

// printAnswer shows an answer.
func (t *tour) printAnswer(a *answer) {
	colour := green
	if a.status >= 400 {
		colour = yellow
	}
	line := fmt.Sprintf("%d %s", a.status, http.StatusText(a.status))
	fmt.Fprintf(t.out, "%s %s\n", t.style(colour, "<- "+line), t.style(dim, fmt.Sprintf("in %.1f ms", a.took.Seconds()*1000)))
	for _, h := range []string{"Azure-AsyncOperation", "Retry-After"} {
		if v := a.header.Get(h); v != "" {
			fmt.Fprintln(t.out, t.style(dim, h+": "+v))
		}
	}
	if len(a.raw) > 0 {
		fmt.Fprintln(t.out, t.pretty(a.raw))
	}
}

// pretty indents JSON and shortens long strings; other text is shown as it is.
func (t *tour) pretty(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return strings.TrimRight(string(raw), "\n")
	}
	var b strings.Builder
	t.write(&b, v, "")
	return b.String()
}

// write prints a JSON value in two colours.
func (t *tour) write(b *strings.Builder, v any, indent string) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			b.WriteString("{}")
			return
		}
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b.WriteString("{\n")
		for i, k := range keys {
			b.WriteString(indent + "  " + t.style(blue, k) + ": ")
			t.write(b, x[k], indent+"  ")
			if i < len(keys)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case []any:
		if len(x) == 0 {
			b.WriteString("[]")
			return
		}
		b.WriteString("[\n")
		for i, e := range x {
			b.WriteString(indent + "  ")
			t.write(b, e, indent+"  ")
			if i < len(x)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + "]")
	case string:
		q, _ := json.Marshal(shorten(x)) // a string always marshals
		b.Write(q)
	default:
		j, _ := json.Marshal(x) // came from JSON
		b.Write(j)
	}
}

// shorten keeps tokens from filling the screen.
func shorten(s string) string {
	const most = 100
	if len(s) <= most || strings.ContainsAny(s, " \n") {
		return s
	}
	return fmt.Sprintf("%s… (%d characters)", s[:40], len(s))
}
