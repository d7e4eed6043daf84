package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMailbox: in development mode mails are files, the banner says where, a mail
// is there when the server has stopped, and its token works after a restart.
func TestMailbox(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "dev", "--engine", "simulated")
	mailbox := filepath.Join(dir, "mailbox")
	if status, body := p.call("POST", "/Client/RegisterPlatformUser", playerBody); status != 200 {
		t.Fatalf("register: %d %v", status, body)
	}
	if status, body := p.call("POST", "/Client/SendAccountRecoveryEmail", `{"TitleId":"144","Email":"ann@example.com"}`); status != 200 {
		t.Fatalf("recovery: %d %v", status, body)
	}
	p.stop()
	if !strings.Contains(p.log.String(), "mail   "+mailbox) {
		t.Errorf("the banner does not name %s:\n%s", mailbox, p.log)
	}
	files, err := filepath.Glob(filepath.Join(mailbox, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("mails %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	mustf(t, err, "mail")
	plain := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text)) // quoted-printable
	link, err := url.Parse(regexp.MustCompile(`https://\S+`).FindString(plain))
	mustf(t, err, "link")
	if "https://"+link.Host != p.https {
		t.Errorf("the link leads to %s, want %s\n%s", link.Host, p.https, text)
	}

	p = start(t, dir, "dev", "--engine", "simulated")
	form := url.Values{"token": {link.Query().Get("token")}, "password": {"battery staple"}, "again": {"battery staple"}}
	resp, err := http.PostForm(p.http+link.Path, form)
	mustf(t, err, "page")
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("page: %s", resp.Status)
	}
	for password, want := range map[string]int{"correct horse": 400, "battery staple": 200} {
		body := `{"TitleId":"144","Email":"ann@example.com","Password":"` + password + `"}`
		if status, answer := p.call("POST", "/Client/LoginWithEmailAddress", body); status != want {
			t.Errorf("%s: %d %v", password, status, answer)
		}
	}
}
