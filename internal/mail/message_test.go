package mail

import (
	"bytes"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"ludgate"
)

func composed(t *testing.T, m Message) string {
	t.Helper()
	l, err := compose(m, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := l.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What no mail may hold, and that the refusal repeats none of it.
func TestRefusedMessages(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		name   string
		change func(*Message)
		target string
	}{
		{"no sender", func(m *Message) { m.From = "" }, "From"},
		{"no recipient", func(m *Message) { m.To = nil }, "To"},
		{"too many recipients", func(m *Message) { m.To = strings.Split(strings.Repeat("a@b.example,", 20)+"a@b.example", ",") }, "To"},
		{"line break in the subject", func(m *Message) { m.Subject = "Hi\r\nBcc: eve@example.net" }, "Subject"},
		{"line feed in the subject", func(m *Message) { m.Subject = "Hi\nBcc: eve@example.net" }, "Subject"},
		{"carriage return in the subject", func(m *Message) { m.Subject = "Hi\rBcc: eve@example.net" }, "Subject"},
		{"NUL in the subject", func(m *Message) { m.Subject = "Hi\x00" }, "Subject"},
		{"line separator in the subject", func(m *Message) { m.Subject = "Hi\u2028Bcc: eve@example.net" }, "Subject"},
		{"next line in the subject", func(m *Message) { m.Subject = "Hi\u0085Bcc: eve@example.net" }, "Subject"},
		{"long subject", func(m *Message) { m.Subject = long }, "Subject"},
		{"subject that is no UTF-8", func(m *Message) { m.Subject = "\xff" }, "Subject"},
		{"line break in an address", func(m *Message) { m.To = []string{"ann@example.org\r\nRCPT TO:<eve@example.net>"} }, "To[0]"},
		{"line break in a name", func(m *Message) { m.To = []string{"\"A\nBcc: eve@example.net\" <ann@example.org>"} }, "To[0]"},
		{"encoded line break in a name", func(m *Message) { m.To = []string{"=?utf-8?q?A=0D=0ABcc:_eve?= <ann@example.org>"} }, "To[0]"},
		{"quoted local part", func(m *Message) { m.To = []string{`"ann> NOTIFY=NEVER"@example.org`} }, "To[0]"},
		{"space in a quoted local part", func(m *Message) { m.To = []string{`"a b"@example.org`} }, "To[0]"},
		{"invisible character in a local part", func(m *Message) { m.To = []string{"a\u200bnn@example.org"} }, "To[0]"},
		{"two addresses in one", func(m *Message) { m.To = []string{"ann@example.org, eve@example.net"} }, "To[0]"},
		{"second address", func(m *Message) { m.To = []string{"ann@example.org", "eve"} }, "To[1]"},
		{"no domain", func(m *Message) { m.To = []string{"ann@"} }, "To[0]"},
		{"no local part", func(m *Message) { m.To = []string{"@example.org"} }, "To[0]"},
		{"dot at the start", func(m *Message) { m.To = []string{".ann@example.org"} }, "To[0]"},
		{"address literal", func(m *Message) { m.To = []string{"ann@[127.0.0.1]"} }, "To[0]"},
		{"domain with a space", func(m *Message) { m.To = []string{"ann@exa mple.org"} }, "To[0]"},
		{"long local part", func(m *Message) { m.To = []string{strings.Repeat("a", 65) + "@example.org"} }, "To[0]"},
		{"long domain", func(m *Message) { m.To = []string{"a@" + strings.Repeat("abcdefgh.", 30) + "example.org"} }, "To[0]"},
		{"no text", func(m *Message) { m.Text = "" }, "Text"},
		{"long text", func(m *Message) { m.Text = strings.Repeat("x", maxBody+1) }, "Text"},
		{"NUL in the text", func(m *Message) { m.Text = "a\x00" }, "Text"},
		{"escape in the HTML", func(m *Message) { m.HTML = "\x1b[2J" }, "Text"},
		{"header with a line break", func(m *Message) { m.Headers = map[string]string{"X-Id": "1\r\nBcc: eve@example.net"} }, "Headers"},
		{"header name with a colon", func(m *Message) { m.Headers = map[string]string{"X:Bcc": "1"} }, "Headers"},
		{"header name with a line break", func(m *Message) { m.Headers = map[string]string{"X\r\nBcc": "1"} }, "Headers"},
		{"header without a name", func(m *Message) { m.Headers = map[string]string{"": "1"} }, "Headers"},
		{"header that is ours", func(m *Message) { m.Headers = map[string]string{"bCC": "eve@example.net"} }, "Headers"},
		{"content header", func(m *Message) { m.Headers = map[string]string{"Content-Type": "text/x"} }, "Headers"},
		{"long header", func(m *Message) { m.Headers = map[string]string{"X-Id": strings.Repeat("x", maxHeader+1)} }, "Headers"},
		{"id with a bracket", func(m *Message) { m.ID = "a>b@c" }, "ID"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := note()
			tc.change(&m)
			_, err := compose(m, time.Now())
			e := ludgate.AsError(err)
			if err == nil || e.Kind != ludgate.Invalid || e.Code != "InvalidMail" || e.Target != tc.target {
				t.Fatalf("got %v, want InvalidMail at %s", err, tc.target)
			}
			if strings.Contains(err.Error(), "eve") || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q repeats what was refused", err)
			}
		})
	}
}

// Whatever is in a message, its lines are short ASCII, and it reads as it was
// written.
func TestComposed(t *testing.T) {
	m := Message{
		From: "Größe & Söhne <no-reply@example.com>", To: []string{"Ann Ünal <ann@example.org>", "bob@bücher.example"},
		Subject: "Passwort zurücksetzen 🔑 " + strings.Repeat("wörd ", 30),
		Text:    "Grüße\n\n.\r\n..dot\rFrom here\n" + strings.Repeat("x", 5000) + "\n" + strings.Repeat("語", 2000) + "\n\ttab \n",
		HTML:    "<p>Grüße <a href=\"https://example.com/?a=1&amp;b=2\">" + strings.Repeat("y", 3000) + "</a></p>",
		Headers: map[string]string{"Reply-To": "help@example.com", "X-Title": "Spiel für Ünal"},
		ID:      "abc@example.com",
	}
	text := composed(t, m)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") || strings.IndexFunc(line, func(r rune) bool { return r > '~' }) >= 0 {
			t.Errorf("line %q", line)
		}
	}
	p := parsed(t, text)
	subject, err := new(mime.WordDecoder).DecodeHeader(p.Header.Get("Subject"))
	if err != nil || subject != strings.TrimSpace(m.Subject) {
		t.Errorf("subject %q, %v", subject, err)
	}
	from, err := p.Header.AddressList("From")
	if err != nil || *from[0] != (netmail.Address{Name: "Größe & Söhne", Address: "no-reply@example.com"}) {
		t.Errorf("from %v, %v", from, err)
	}
	to, err := p.Header.AddressList("To")
	if err != nil || len(to) != 2 || to[0].Name != "Ann Ünal" || to[1].Address != "bob@xn--bcher-kva.example" {
		t.Errorf("to %v, %v", to, err)
	}
	for name, want := range map[string]string{"Message-Id": "<abc@example.com>", "Mime-Version": "1.0", "Auto-Submitted": "auto-generated", "Reply-To": "help@example.com", "X-Mailer": "", "User-Agent": ""} {
		if got := p.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	kind, params, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type %q, %v", kind, err)
	}
	parts := multipart.NewReader(p.Body, params["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain; charset=UTF-8", lines(m.Text)}, {"text/html; charset=UTF-8", m.HTML}} {
		part, err := parts.NextPart() // decodes quoted-printable
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(part)
		if err != nil || part.Header.Get("Content-Type") != want.kind || strings.ReplaceAll(string(got), "\r\n", "\n") != want.text {
			t.Errorf("part %s: %v, %q", part.Header.Get("Content-Type"), err, got)
		}
	}
}

// A message of text alone is no multipart, and gets an id in its sender's domain.
func TestComposedText(t *testing.T) {
	p := parsed(t, composed(t, note()))
	body, err := io.ReadAll(quotedprintable.NewReader(p.Body))
	if err != nil || string(body) != "It is 1234.\r\n" || p.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
		t.Errorf("%v %q %v", p.Header, body, err)
	}
	if id := p.Header.Get("Message-Id"); !strings.HasSuffix(id, "@example.com>") || len(id) < 30 {
		t.Errorf("id %q", id)
	}
}

// Whatever the fields, the headers that come out are those that went in.
func FuzzCompose(f *testing.F) {
	f.Add("Ludgate <no-reply@example.com>", "ann@example.org", "Your code", "It is 1234.\n", "<p>1234</p>", "1")
	f.Add("a@b", "ö@ü.example", "=?utf-8?q?x=0D=0ABcc:_e?=", ".\r\n.\r\n", "", "ä\tb")
	f.Add("\"A, B\" <a@b.example>", "<ann@example.org>", " \u00a0 ", "\r", "x", strings.Repeat(" x", 200))
	f.Fuzz(func(t *testing.T, from, to, subject, text, html, header string) {
		l, err := compose(Message{From: from, To: []string{to}, Subject: subject, Text: text, HTML: html, Headers: map[string]string{"X-Own": header}}, time.Unix(0, 0))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q", err)
			}
			return
		}
		var b bytes.Buffer
		if _, err := l.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		p, err := netmail.ReadMessage(&b)
		if err != nil {
			t.Fatalf("%v in %q", err, b.String())
		}
		known := map[string]bool{"From": true, "To": true, "Subject": true, "Message-Id": true, "Date": true, "Mime-Version": true,
			"Auto-Submitted": true, "X-Own": true, "Content-Type": true, "Content-Transfer-Encoding": true}
		for name, values := range maps.All(p.Header) {
			if !known[name] || len(values) != 1 {
				t.Errorf("header %s: %q", name, values)
			}
		}
		for _, name := range []string{"From", "To"} {
			if list, err := p.Header.AddressList(name); err != nil || len(list) != 1 {
				t.Errorf("%s %q: %v", name, p.Header.Get(name), err)
			}
		}
		if strings.ContainsAny(l.from+l.to[0], "\r\n <>") {
			t.Errorf("envelope %q %q", l.from, l.to)
		}
	})
}
