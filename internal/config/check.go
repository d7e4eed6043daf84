package config

import (
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var domainPattern = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$`)

var titlePattern = regexp.MustCompile(`^[0-9A-Fa-f]{3,5}$`)

// check refuses settings that cannot work, in one sentence that names the
// setting.
func (c *Config) check() error {
	if c.Data == "" {
		return fmt.Errorf("no data directory: set --data, or HOME so that a default can be made")
	}
	for name, addr := range map[string]string{"http": c.HTTP, "https": c.HTTPS} {
		if err := c.checkAddress(name, addr); err != nil {
			return err
		}
	}
	if c.HTTP == "off" && c.HTTPS == "off" {
		return fmt.Errorf("both http and https are off: nothing could reach the server")
	}
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		return fmt.Errorf("tls.cert and tls.key go together: set both or neither")
	}
	for _, e := range []struct {
		name, value string
		allowed     []string
	}{
		{"engine", c.Engine, []string{"auto", "native", "docker", "kubernetes", "simulated"}},
		{"launcher", c.Launcher, []string{"auto", "builtin", "oci"}},
		{"log.level", c.Log.Level, []string{"debug", "info", "warn", "error"}},
		{"log.format", c.Log.Format, []string{"text", "json"}},
		{"naming", c.Naming, c.namingNames()},
		{"mail.tls", c.Mail.TLS, []string{"starttls", "tls", "none"}},
	} {
		if !slices.Contains(e.allowed, e.value) {
			return fmt.Errorf("%s is %q; it must be one of %s", e.name, e.value, strings.Join(e.allowed, ", "))
		}
	}
	if c.Store != "embedded" && !strings.HasPrefix(c.Store, "postgres://") && !strings.HasPrefix(c.Store, "postgresql://") {
		return fmt.Errorf("store must be embedded or a postgres:// URL")
	}
	for name, u := range map[string]string{"streaming.validate_url": c.Streaming.ValidateURL, "public_url": c.PublicURL} {
		if p, err := url.Parse(u); u != "" && (err != nil || p.Host == "" || p.Scheme != "https" && p.Scheme != "http") {
			return fmt.Errorf("%s is %q; it must be an http or https URL", name, u)
		}
	}
	for _, d := range c.TitleDomains {
		if !domainPattern.MatchString(d) {
			return fmt.Errorf("title_domains has %q; a domain is written like play.example.com", d)
		}
	}
	if _, err := c.Proxies(); err != nil {
		return err
	}
	for name, n := range map[string]float64{
		"calls_per_address": c.Limits.CallsPerAddress, "sign_ins_per_address": c.Limits.SignInsPerAddress,
		"calls_per_player": c.Limits.CallsPerPlayer, "calls_per_title": c.Limits.CallsPerTitle,
	} {
		if n < 0 || n > 1e6 {
			return fmt.Errorf("limits.%s is %v; it must be 0 (no limit) to 1000000", name, n)
		}
	}
	for _, a := range strings.Split(c.Containers.Addresses, ",") {
		_, prefixErr := netip.ParsePrefix(a)
		if _, err := netip.ParseAddr(a); err != nil && prefixErr != nil && c.Containers.Addresses != Loopback {
			return fmt.Errorf("containers.addresses is %q; it must be loopback, or addresses and networks such as 192.0.2.0/28", c.Containers.Addresses)
		}
	}
	for name, n := range map[string]int64{
		"limits.body": c.Limits.Body, "limits.body_timeout": int64(c.Limits.BodyTimeout), "limits.connections": int64(c.Limits.Connections),
		"streaming.timeout": int64(c.Streaming.Timeout), "containers.start_timeout": int64(c.Containers.StartTimeout), "drain_timeout": int64(c.DrainTimeout), "passwords.queue": int64(c.Passwords.Queue),
		"mail.timeout": int64(c.Mail.Timeout),
	} {
		if n <= 0 {
			return fmt.Errorf("%s must be more than 0", name)
		}
	}
	if c.Containers.MaxCPU <= 0 || c.Containers.MaxMemoryGB <= 0 {
		return fmt.Errorf("containers.max_cpu and containers.max_memory_gb must be more than 0")
	}
	if err := c.Mail.check(); err != nil {
		return err
	}
	return c.checkTitles()
}

// check checks the settings of e-mail against each other.
func (m *Mail) check() error {
	_, fromErr := mail.ParseAddress(m.From)
	ip, ipErr := netip.ParseAddr(m.Host)
	switch {
	case m.Port < 0 || m.Port > 65535:
		return fmt.Errorf("mail.port is %d; it must be 1 to 65535, or 0 for the usual one", m.Port)
	case m.From != "" && fromErr != nil:
		return fmt.Errorf("mail.from is %q; it must be an e-mail address, with or without a name before it", m.From)
	case (m.Username == "") != (m.Password == ""):
		return fmt.Errorf("mail.username and mail.password go together: set both or neither")
	case m.Host == "" && m.Username != "":
		return fmt.Errorf("mail.username is set but mail.host is not: name the mail server")
	case m.Host == "":
		return nil
	case m.From == "":
		return fmt.Errorf("mail.host is set but mail.from is not: e-mails need a sender")
	case strings.ContainsAny(m.Host, "/@ []") || ipErr != nil && strings.Contains(m.Host, ":"):
		return fmt.Errorf("mail.host is %q; it must be a host name or address, and its port goes to mail.port", m.Host)
	case m.TLS == "none" && m.Host != "localhost" && (ipErr != nil || !ip.IsLoopback()):
		return fmt.Errorf("mail.tls is none, which is for a mail server on this machine (localhost, 127.0.0.1, ::1) only, and mail.host is %q", m.Host)
	}
	return nil
}

// checkAddress checks a listening address; development mode stays on loopback.
func (c *Config) checkAddress(name, addr string) error {
	if addr == "off" {
		return nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return fmt.Errorf("%s is %q; it must be host:port (port 0 picks one) or off", name, addr)
	}
	if c.Mode != Dev || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is %q; development mode listens on loopback only (127.0.0.1, [::1], localhost): use `ludgate serve` to be reachable from elsewhere", name, addr)
	}
	return nil
}

func (c *Config) namingNames() []string {
	names := []string{"neutral", "vendor"}
	for _, n := range c.Namings {
		names = append(names, n.Name)
	}
	return names
}

// checkTitles checks the lists of the file.
func (c *Config) checkTitles() error {
	seen := map[string]bool{}
	for i, t := range c.Titles {
		id := strings.ToUpper(t.ID)
		switch {
		case !titlePattern.MatchString(t.ID):
			return fmt.Errorf("titles[%d].id is %q; a title id is 3 to 5 hexadecimal digits", i, t.ID)
		case seen[id]:
			return fmt.Errorf("titles[%d].id %q is there twice", i, t.ID)
		}
		if err := t.Check(c.namingNames()); err != nil {
			return fmt.Errorf("titles[%d].%w", i, err)
		}
		seen[id] = true
	}
	seen = map[string]bool{"neutral": true, "vendor": true}
	for i, n := range c.Namings {
		switch {
		case n.Name == "" || seen[n.Name]:
			return fmt.Errorf("namings[%d].name is %q; it must be new and not empty", i, n.Name)
		case n.Envelope != "" && !slices.Contains([]string{"bare", "wrapped", "both"}, n.Envelope):
			return fmt.Errorf("namings[%d].envelope is %q; it must be bare, wrapped or both", i, n.Envelope)
		}
		seen[n.Name] = true
	}
	return nil
}

// Proxies gives the networks of trusted_proxies.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range c.TrustedProxies {
		n, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("trusted_proxies has %q; a network is written like 10.0.0.0/8", text)
		}
		networks = append(networks, n)
	}
	return networks, nil
}
