package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("http: 127.0.0.1:1\nhttps: 127.0.0.1:1\nengine: simulated\nlimits: {body: 5}\ndata: /d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Dev, file, []string{"LUDGATE_HTTP=127.0.0.1:2", "LUDGATE_HTTPS=127.0.0.1:2", "LUDGATE_LIMITS_BODY_TIMEOUT=3s", "OTHER=x"}, map[string]string{"http": "127.0.0.1:3"})
	if err != nil {
		t.Fatal(err)
	}
	if c.HTTP != "127.0.0.1:3" || c.HTTPS != "127.0.0.1:2" || c.Engine != "simulated" || c.Naming != "neutral" || c.Limits.Body != 5 || c.Limits.BodyTimeout.Seconds() != 3 {
		t.Errorf("got %+v", c)
	}
}

// Every mistake is one sentence that names the setting.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, file string
		env        []string
		flags      map[string]string
		want       string
	}{
		{"unknown member", "htp: x", nil, nil, "htp"},
		{"wrong type", "limits: {body: many}", nil, nil, "body"},
		{"unknown variable", "", []string{"LUDGATE_HTPP=x"}, nil, "LUDGATE_HTPP is not a setting"},
		{"bad duration", "", []string{"LUDGATE_DRAIN_TIMEOUT=soon"}, nil, `LUDGATE_DRAIN_TIMEOUT: "soon" is not a duration`},
		{"bad number", "", []string{"LUDGATE_LIMITS_BODY=many"}, nil, `"many" is not a whole number`},
		{"bad fraction", "", []string{"LUDGATE_CONTAINERS_MAX_CPU=many"}, nil, `"many" is not a number`},
		{"no processors", "", []string{"LUDGATE_CONTAINERS_MAX_CPU=0"}, nil, "containers.max_cpu"},
		{"bad switch", "", []string{"LUDGATE_CONTAINERS_STRICT=perhaps"}, nil, `"perhaps" is not true or false`},
		{"zero limit", "", []string{"LUDGATE_LIMITS_BODY=0"}, nil, "limits.body must be more than 0"},
		{"not loopback", "", nil, map[string]string{"http": "0.0.0.0:80"}, "development mode listens on loopback only"},
		{"all interfaces", "", nil, map[string]string{"http": ":80"}, "loopback only"},
		{"no port", "", nil, map[string]string{"https": "127.0.0.1"}, "https is"},
		{"nothing open", "", nil, map[string]string{"http": "off", "https": "off"}, "both http and https are off"},
		{"engine", "", nil, map[string]string{"engine": "podman"}, "engine is \"podman\"; it must be one of auto"},
		{"naming", "", nil, map[string]string{"naming": "acme"}, "naming is \"acme\""},
		{"store", "", nil, map[string]string{"store": "mysql://x"}, "store must be embedded or a postgres:// URL"},
		{"half a certificate", "tls: {cert: a.pem}", nil, nil, "tls.cert and tls.key go together"},
		{"validate url", "streaming: {validate_url: 'ftp://x'}", nil, nil, "streaming.validate_url"},
		{"public url", "public_url: play.example.com", nil, nil, "public_url is \"play.example.com\"; it must be an http or https URL"},
		{"network", "containers: {addresses: everywhere}", nil, nil, "containers.addresses"},
		{"title id", "titles: [{id: XYZ}]", nil, nil, "titles[0].id"},
		{"title twice", "titles: [{id: aa1}, {id: AA1}]", nil, nil, "there twice"},
		{"title's naming", "titles: [{id: aa1, naming: acme}]", nil, nil, "titles[0].naming"},
		{"naming without a name", "namings: [{envelope: bare}]", nil, nil, "namings[0].name"},
		{"naming that exists", "namings: [{name: vendor}]", nil, nil, "namings[0].name"},
		{"mail without a sender", "mail: {host: mx.example.com}", nil, nil, "mail.from is not"},
		{"mail's sender", "mail: {host: mx.example.com, from: nobody}", nil, nil, "mail.from is \"nobody\""},
		{"mail's host", "mail: {host: 'mx.example.com:25', from: a@example.com}", nil, nil, "its port goes to mail.port"},
		{"mail's port", "", []string{"LUDGATE_MAIL_PORT=70000"}, nil, "mail.port is 70000"},
		{"mail's protection", "mail: {tls: perhaps}", nil, nil, "mail.tls is \"perhaps\""},
		{"mail in the open", "mail: {host: mx.example.com, from: a@example.com, tls: none}", nil, nil, "on this machine"},
		{"mail without a password", "mail: {host: mx.example.com, from: a@example.com, username: u}", nil, nil, "go together"},
		{"mail without a host", "mail: {username: u, password: p}", nil, nil, "mail.host is not"},
		{"mail without time", "mail: {timeout: 0s}", nil, nil, "mail.timeout must be more than 0"},
		{"domain of titles", "title_domains: ['*.play.example']", nil, nil, "title_domains has"},
		{"proxies", "trusted_proxies: [10.0.0.1]", nil, nil, "trusted_proxies has"},
		{"rate", "limits: {calls_per_player: -1}", nil, nil, "limits.calls_per_player is -1"},
		{"envelope", "namings: [{name: acme, envelope: letter}]", nil, nil, "namings[0].envelope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := ""
			if c.file != "" {
				file = filepath.Join(t.TempDir(), "c.yaml")
				if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Load(Dev, file, c.env, c.flags); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a sentence with %s", err, c.want)
			}
		})
	}
	if _, err := Load(Dev, filepath.Join(t.TempDir(), "absent"), nil, nil); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Load(Serve, "", nil, map[string]string{"http": "0.0.0.0:80"}); err != nil {
		t.Errorf("serve listens where it is told: %v", err)
	}
}

func TestOwnNamingCanBeChosen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "naming: acme\nnamings: [{name: acme, envelope: both, fields: {PlatformId: AcmeId}}]\ntitles: [{id: '144', naming: vendor, player_limit: 5}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Serve, file, nil, nil)
	if err != nil || c.Namings[0].Fields["PlatformId"] != "AcmeId" || c.Titles[0].PlayerLimit != 5 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	c := Defaults(Serve)
	c.Store = "postgres://ludgate:hunter2@db/ludgate?sslpassword=hunter2"
	c.Mail.Password = "hunter2"
	for _, s := range Settings(&c) {
		if strings.Contains(s.Text(), "hunter2") {
			t.Errorf("%s shows %s", s.Name, s.Text())
		}
		if s.Name == "store" && !strings.Contains(s.Text(), "ludgate:***@db") {
			t.Errorf("store is %s", s.Text())
		}
		if s.Name == "mail.password" && s.Text() != "***" {
			t.Errorf("mail.password is %s", s.Text())
		}
	}
}

// A fault beside a secret does not show the secret.
func TestFaultsShowNoSecret(t *testing.T) {
	for _, text := range []string{"mail:\n  password: hunter2\n  hots: x\n", "mail:\n  password: hunter2\n  port: many\n", "mail:\n  port: [\n  password: hunter2\n"} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(Serve, file, nil, nil); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "[3:") && !strings.Contains(err.Error(), "[2:") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "mail: {host: mx.example.com, port: 2525, tls: tls, username: ludgate, password: from-file, from: 'Ludgate <no-reply@example.com>', timeout: 9s}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Serve, file, nil, nil)
	if err != nil || c.Mail.Password.Reveal() != "from-file" || c.Mail.Port != 2525 || c.Mail.Timeout.Seconds() != 9 {
		t.Errorf("%+v, %v", c.Mail, err)
	}
	c, err = Load(Serve, file, []string{"LUDGATE_MAIL_PASSWORD=from-env", "LUDGATE_MAIL_TLS=none", "LUDGATE_MAIL_HOST=::1"}, nil)
	if err != nil || c.Mail.Password.Reveal() != "from-env" || c.Mail.Host != "::1" {
		t.Errorf("%+v, %v", c.Mail, err)
	}
}

// Every setting can be found and explained.
func TestSettingsAreDescribed(t *testing.T) {
	c := Defaults(Dev)
	seen := map[string]bool{}
	for _, s := range Settings(&c) {
		want := "LUDGATE_" + strings.ToUpper(strings.ReplaceAll(s.Name, ".", "_"))
		if s.Env != want || s.Doc == "" || seen[s.Env] {
			t.Errorf("%s: env %s, doc %q", s.Name, s.Env, s.Doc)
		}
		seen[s.Env] = true
	}
	for _, l := range Lists() {
		if l.Doc == "" || len(l.Members) == 0 {
			t.Errorf("list %s is not described", l.Name)
		}
		for _, m := range l.Members {
			if m.Name == "" || m.Doc == "" {
				t.Errorf("%s.%s is not described", l.Name, m.Name)
			}
		}
	}
}
