// Package config is what an operator can set: the fields, where their values
// come from, and the checks that make a mistake show at start.
//
// A value comes from, strongest first: a command-line flag, the environment
// (LUDGATE_…), the file named by --config, the default of the mode. The comments
// of the fields are the reference: `ludgate config print` shows the effective
// values and docs/config.md is generated from the same tags.
package config

import (
	"time"

	"ludgate/internal/secret"
)

// Mode is development or production.
type Mode string

// Modes.
const (
	Dev   Mode = "dev"
	Serve Mode = "serve"
)

// Config is every setting. Tags: yaml is the name in the file; env is the
// variable; flag is the command-line flag where there is one; doc explains it.
type Config struct {
	HTTP   string `yaml:"http" env:"LUDGATE_HTTP" flag:"http" doc:"Address for plain http, host:port; port 0 picks a free one, off closes it. Development mode listens on loopback only."`
	HTTPS  string `yaml:"https" env:"LUDGATE_HTTPS" flag:"https" doc:"Address for https, likewise."`
	Data   string `yaml:"data" env:"LUDGATE_DATA" flag:"data" doc:"Data directory: store, keys, images, engine state. Made with mode 0700 when missing; one Ludgate at a time uses it."`
	Store  string `yaml:"store" env:"LUDGATE_STORE" flag:"store" secret:"url" doc:"Where records are kept: embedded (SQLite in the data directory), or a postgres:// URL."`
	Naming string `yaml:"naming" env:"LUDGATE_NAMING" flag:"naming" doc:"The words clients speak by default: neutral, vendor, or one defined under namings."`
	Engine string `yaml:"engine" env:"LUDGATE_ENGINE" flag:"engine" doc:"What runs containers: auto (native where it works), native, docker, kubernetes, simulated. Docker and kubernetes are not part of this release and are refused."`

	Launcher       string        `yaml:"launcher" env:"LUDGATE_LAUNCHER" doc:"How the native engine starts containers: auto (an installed crun or runc that works here, else builtin), builtin, oci."`
	AuthorityURL   string        `yaml:"authority_url" env:"LUDGATE_AUTHORITY_URL" doc:"The address that a 401 names for getting a token; the https (or http) address of this server when empty."`
	PublicURL      string        `yaml:"public_url" env:"LUDGATE_PUBLIC_URL" doc:"The address under which players reach this server, such as https://play.example.com: links in e-mails begin with it. When empty, e-mails hold a code in place of a link; in development mode they lead to this server."`
	Locations      string        `yaml:"locations" env:"LUDGATE_LOCATIONS" doc:"A city or country database in the MaxMind DB format (.mmdb), which tells where players sign in from; nobody is located when empty."`
	TitleDomains   []string      `yaml:"title_domains" env:"LUDGATE_TITLE_DOMAINS" doc:"Domains in which host names begin with a title's id (comma-separated in the environment): with play.example, abcde.play.example is title ABCDE's. Any domain when empty; set it where another host name of this server begins with 3 to 5 hexadecimal digits, such as cafe.example."`
	TrustedProxies []string      `yaml:"trusted_proxies" env:"LUDGATE_TRUSTED_PROXIES" doc:"Networks of the proxies in front (comma-separated in the environment), such as 10.0.0.0/8: their X-Forwarded-For says which address a client has."`
	DrainTimeout   time.Duration `yaml:"drain_timeout" env:"LUDGATE_DRAIN_TIMEOUT" doc:"How long requests under way may take to end after SIGTERM."`

	TLS        TLS        `yaml:"tls"`
	Log        Log        `yaml:"log"`
	Limits     Limits     `yaml:"limits"`
	Streaming  Streaming  `yaml:"streaming"`
	Passwords  Passwords  `yaml:"passwords"`
	Containers Containers `yaml:"containers"`
	Tokens     Tokens     `yaml:"tokens"`
	Mail       Mail       `yaml:"mail"`

	Titles  []Title  `yaml:"titles" doc:"Titles of this installation, whose settings only this file changes; others are made by ludgate title add, and in development mode every well-formed id springs up on first use."`
	Namings []Naming `yaml:"namings" doc:"Further namings: tables of words for clients that speak neither the neutral nor the vendor set."`

	// Mode is set by the command, never by a setting.
	Mode Mode `yaml:"-"`
}

// TLS says which certificate https uses.
type TLS struct {
	Cert  string   `yaml:"cert" env:"LUDGATE_TLS_CERT" doc:"PEM file with the certificate chain; empty uses the local certificate authority of the data directory."`
	Key   string   `yaml:"key" env:"LUDGATE_TLS_KEY" doc:"PEM file with the private key of cert."`
	Names []string `yaml:"names" env:"LUDGATE_TLS_NAMES" doc:"Further host names for the certificate of the local authority (comma-separated in the environment). It always covers localhost, *.localhost and loopback addresses."`
}

// Log says what is logged and how; logs go to standard error.
type Log struct {
	Level  string `yaml:"level" env:"LUDGATE_LOG_LEVEL" flag:"log-level" doc:"debug, info, warn or error."`
	Format string `yaml:"format" env:"LUDGATE_LOG_FORMAT" flag:"log-format" doc:"text or json."`
}

// Limits bound what callers can make the server do.
type Limits struct {
	Body        int64         `yaml:"body" env:"LUDGATE_LIMITS_BODY" doc:"Largest body of a management or directory request after decompression, in bytes (player requests: 1 MiB)."`
	BodyTimeout time.Duration `yaml:"body_timeout" env:"LUDGATE_LIMITS_BODY_TIMEOUT" doc:"How long a body may take to arrive."`
	Connections int           `yaml:"connections" env:"LUDGATE_LIMITS_CONNECTIONS" doc:"Most connections open at once per listener; further ones wait."`

	CallsPerAddress   float64 `yaml:"calls_per_address" env:"LUDGATE_LIMITS_CALLS_PER_ADDRESS" doc:"Player calls per second that one client address may make, saved up for ten seconds; 0 is no limit. Limits are those of one node."`
	SignInsPerAddress float64 `yaml:"sign_ins_per_address" env:"LUDGATE_LIMITS_SIGN_INS_PER_ADDRESS" doc:"Registrations, sign-ins and other calls without a proof, likewise."`
	CallsPerPlayer    float64 `yaml:"calls_per_player" env:"LUDGATE_LIMITS_CALLS_PER_PLAYER" doc:"Calls per second that one player may make, likewise."`
	CallsPerTitle     float64 `yaml:"calls_per_title" env:"LUDGATE_LIMITS_CALLS_PER_TITLE" doc:"Calls per second of all players of a title together, likewise."`
}

// Streaming is the streaming platform that sign-in tokens are validated with.
type Streaming struct {
	ValidateURL string        `yaml:"validate_url" env:"LUDGATE_STREAMING_VALIDATE_URL" doc:"The platform's token validation endpoint; in development mode the built-in platform when empty, in production sign-in by streaming token is off when empty."`
	ClientID    string        `yaml:"client_id" env:"LUDGATE_STREAMING_CLIENT_ID" doc:"The platform client id of titles that have none of their own; the built-in platform's is ludgate-dev."`
	Timeout     time.Duration `yaml:"timeout" env:"LUDGATE_STREAMING_TIMEOUT" doc:"How long a validation may take."`
	Cache       time.Duration `yaml:"cache" env:"LUDGATE_STREAMING_CACHE" doc:"How long a valid token is trusted without asking again; 0 asks every time."`
}

// Passwords bounds password hashing.
type Passwords struct {
	Workers int `yaml:"workers" env:"LUDGATE_PASSWORDS_WORKERS" doc:"Hashes computed at once; 0 means one per processor."`
	Queue   int `yaml:"queue" env:"LUDGATE_PASSWORDS_QUEUE" doc:"Hashes that may wait; further ones are refused with 503 and Retry-After."`
}

// Containers is how container groups are placed on the network.
type Containers struct {
	Region       string        `yaml:"region" env:"LUDGATE_CONTAINERS_REGION" doc:"Location of groups that name none, and the region in their DNS names."`
	DNSSuffix    string        `yaml:"dns_suffix" env:"LUDGATE_CONTAINERS_DNS_SUFFIX" doc:"The end of the DNS names of groups: label.region.suffix."`
	Addresses    string        `yaml:"addresses" env:"LUDGATE_CONTAINERS_ADDRESSES" doc:"Where Public groups get an address of their own from: loopback (127.x.y.z, reachable from this machine only), or addresses and networks such as 192.0.2.0/28, comma-separated, every one of which must reach this machine."`
	Strict       bool          `yaml:"strict" env:"LUDGATE_CONTAINERS_STRICT" doc:"Also refuse what only the original service refuses: a missing osType or resources, a Private address without a subnet, zones, a group below 1 CPU or 1 GB."`
	MaxCPU       float64       `yaml:"max_cpu" env:"LUDGATE_CONTAINERS_MAX_CPU" doc:"Most cores that one group may request."`
	MaxMemoryGB  float64       `yaml:"max_memory_gb" env:"LUDGATE_CONTAINERS_MAX_MEMORY_GB" doc:"Most memory that one group may request, in GB."`
	StartTimeout time.Duration `yaml:"start_timeout" env:"LUDGATE_CONTAINERS_START_TIMEOUT" doc:"How long a group may take until every container has started once."`
}

// Tokens are accepted by management and directory calls.
type Tokens struct {
	ManagementAudiences []string `yaml:"management_audiences" env:"LUDGATE_TOKENS_MANAGEMENT_AUDIENCES" doc:"Further audiences that management calls accept."`
	DirectoryAudiences  []string `yaml:"directory_audiences" env:"LUDGATE_TOKENS_DIRECTORY_AUDIENCES" doc:"Further audiences that directory calls accept."`
}

// Mail is how e-mails leave: recovery of accounts, verification of addresses.
type Mail struct {
	Host     string        `yaml:"host" env:"LUDGATE_MAIL_HOST" doc:"The mail server (SMTP) that e-mails are handed to. When empty, development mode puts them into the directory mailbox of the data directory, and production refuses calls that would send one."`
	Port     int           `yaml:"port" env:"LUDGATE_MAIL_PORT" doc:"Its port; 0 means that of mail.tls: 587, 465 or 25."`
	TLS      string        `yaml:"tls" env:"LUDGATE_MAIL_TLS" doc:"How the connection is protected: starttls (must turn to TLS), tls (from the first byte), none (to this machine only)."`
	Username string        `yaml:"username" env:"LUDGATE_MAIL_USERNAME" doc:"User name at the mail server; no sign-in when empty."`
	Password secret.Text   `yaml:"password" env:"LUDGATE_MAIL_PASSWORD" doc:"Password at the mail server; never printed."`
	From     string        `yaml:"from" env:"LUDGATE_MAIL_FROM" doc:"Sender of e-mails, such as Example Games <no-reply@example.com>; required with mail.host."`
	Timeout  time.Duration `yaml:"timeout" env:"LUDGATE_MAIL_TIMEOUT" doc:"How long handing over one e-mail may take."`
}

// Title is one game. Only the file changes the settings of a title it declares;
// others are made with `ludgate title add`.
type Title struct {
	ID            string `yaml:"id" doc:"Title id: 3 to 5 hexadecimal digits."`
	TitleSettings `yaml:",inline"`
}

// Naming is a naming defined in the file; see docs/design/naming.md.
type Naming struct {
	Name          string                       `yaml:"name" doc:"What --naming and titles refer to."`
	Namespaces    map[string]string            `yaml:"namespaces" doc:"Provider namespaces: neutral to this naming's."`
	Paths         map[string]string            `yaml:"paths" doc:"Player paths: neutral to this naming's."`
	Fields        map[string]string            `yaml:"fields" doc:"Member names of player records."`
	Enums         map[string]map[string]string `yaml:"enums" doc:"Enumeration values of player records, by enumeration."`
	Errors        map[string]string            `yaml:"errors" doc:"Error names of player calls."`
	Envelope      string                       `yaml:"envelope" doc:"bare, wrapped or both."`
	CollectParams bool                         `yaml:"collect_params" doc:"All shape errors are one InvalidParams."`
	RichStatus    bool                         `yaml:"rich_status" doc:"HTTP 401, 403, 404, 409 where they fit, instead of 400."`
	TypeString    bool                         `yaml:"type_string" doc:"Entity keys also carry TypeString."`
	StrictGroups  bool                         `yaml:"strict_groups" doc:"Groups behave as the public directory API where it differs from the contract."`
}

// Defaults gives the settings of a mode before anything is set.
func Defaults(mode Mode) Config {
	c := Config{
		Mode: mode, HTTP: "127.0.0.1:8080", HTTPS: "127.0.0.1:8443", Store: "embedded", Naming: "neutral",
		Engine: "auto", Launcher: "auto", DrainTimeout: 20 * time.Second, Data: defaultData(mode),
		Log:        Log{Level: "info", Format: "text"},
		Limits:     Limits{Body: 4 << 20, BodyTimeout: 15 * time.Second, Connections: 10_000},
		Streaming:  Streaming{Timeout: 5 * time.Second, Cache: 30 * time.Second},
		Passwords:  Passwords{Queue: 1024},
		Containers: Containers{Region: "local", DNSSuffix: "ludgate.internal", Addresses: Loopback, MaxCPU: 31, MaxMemoryGB: 240, StartTimeout: 30 * time.Minute},
		Mail:       Mail{TLS: "starttls", Timeout: 30 * time.Second},
	}
	if mode == Dev {
		c.Streaming.ClientID = "ludgate-dev"
	} else {
		c.Limits.CallsPerAddress, c.Limits.SignInsPerAddress, c.Limits.CallsPerPlayer = 100, 10, 20
	}
	return c
}

// Loopback as containers.addresses gives groups an address of this machine's own
// network.
const Loopback = "loopback"

// masked is what a secret setting shows of itself.
var masked = secret.Text("").String()
