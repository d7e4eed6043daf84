package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// TitleSettings are what an operator decides about a title, in the settings file
// or at run time; package title gives them their meaning. Their zero values are
// what a new title should have. The names in the file and in stored documents are
// the same, and doc explains a member wherever it is shown.
type TitleSettings struct {
	Name   string `yaml:"name" json:"name,omitzero" doc:"What people call the title."`
	Naming string `yaml:"naming" json:"naming,omitzero" doc:"Naming of the title's clients: neutral, vendor or one of the settings file; the server's when empty."`

	StreamingClientID string `yaml:"streaming_client_id" json:"streaming_client_id,omitzero" doc:"Client id on the streaming platform; streaming.client_id of the server when empty."`
	PlayerLimit       int64  `yaml:"player_limit" json:"player_limit,omitzero" doc:"Most players the title may have; 0 is no limit."`
	CreationDisabled  bool   `yaml:"creation_disabled" json:"creation_disabled,omitzero" doc:"No new players; those who exist sign in."`
	DuplicateNames    bool   `yaml:"allow_duplicate_display_names" json:"allow_duplicate_display_names,omitzero" doc:"Several players may share a display name."`

	AllowClientStatistics bool `yaml:"allow_client_statistics" json:"allow_client_statistics,omitzero" doc:"Clients may post statistics."`
	AllowClientCurrency   bool `yaml:"allow_client_currency" json:"allow_client_currency,omitzero" doc:"Clients may add and subtract virtual currency."`

	// AllowedConstraints are the Show flags of profile constraints that client
	// calls may set; nil is ShowDisplayName alone.
	AllowedConstraints []string `yaml:"profile_constraints" json:"profile_constraints,omitzero" doc:"Show flags that clients may set when they ask for profiles; ShowDisplayName when empty."`

	AllowPKCS1v15 bool `yaml:"allow_pkcs1v15" json:"allow_pkcs1v15,omitzero" doc:"Encrypted requests may use the padding PKCS#1 v1.5 besides OAEP."`

	ProfanityFilter bool     `yaml:"profanity_filter" json:"profanity_filter,omitzero" doc:"Display names pass the built-in filter."`
	ForbiddenWords  []string `yaml:"forbidden_words" json:"forbidden_words,omitzero" doc:"Words that display names must not have; one between asterisks neither inside other words."`
	AllowedWords    []string `yaml:"allowed_words" json:"allowed_words,omitzero" doc:"Words that the filter finds but the title allows."`
	NameFilterURL   string   `yaml:"name_filter_url" json:"name_filter_url,omitzero" doc:"An HTTP service that is asked about every display name."`
	NameFilterToken string   `yaml:"name_filter_token" json:"name_filter_token,omitzero" secret:"true" doc:"Bearer token for it."`

	OpenIDConnections []OpenIDConnection `yaml:"openid_connections" json:"openid_connections,omitzero" doc:"OpenID Connect providers that players sign in with."`

	RecoveryURL       string             `yaml:"recovery_url" json:"recovery_url,omitzero" doc:"Page of the game that a recovery mail leads to, with token={token} in it; without one it leads to the server's own page."`
	RecoveryTemplates []RecoveryTemplate `yaml:"recovery_templates" json:"recovery_templates,omitzero" doc:"Recovery mails that calls name by EmailTemplateId."`
}

// OpenIDConnection is an OpenID Connect provider that a title trusts.
type OpenIDConnection struct {
	ID       string `yaml:"id" json:"id" doc:"What sign-in calls name it by."`
	Issuer   string `yaml:"issuer" json:"issuer" doc:"Issuer URL; its discovery document is read."`
	ClientID string `yaml:"client_id" json:"client_id" doc:"Audience that ID tokens must have."`
}

// Bounds of lists and texts in a title's settings, which every node keeps in
// memory.
const (
	maxTitleList = 10_000
	maxTitleText = 1000 // bytes
)

// Check refuses settings that cannot work, in one sentence that begins with the
// setting. namings are the names that exist.
func (s *TitleSettings) Check(namings []string) error {
	if s.Naming != "" && !slices.Contains(namings, s.Naming) {
		return fmt.Errorf("naming is %q; it must be one of %s", s.Naming, strings.Join(namings, ", "))
	}
	if s.PlayerLimit < 0 {
		return fmt.Errorf("player_limit must not be negative")
	}
	for name, text := range map[string]string{
		"name": s.Name, "streaming_client_id": s.StreamingClientID, "name_filter_url": s.NameFilterURL,
		"name_filter_token": s.NameFilterToken, "recovery_url": s.RecoveryURL,
	} {
		if err := checkText(name, text); err != nil {
			return err
		}
	}
	for name, list := range map[string][]string{
		"profile_constraints": s.AllowedConstraints, "forbidden_words": s.ForbiddenWords, "allowed_words": s.AllowedWords,
	} {
		if err := checkList(name, list); err != nil {
			return err
		}
	}
	for _, flag := range s.AllowedConstraints {
		if !strings.HasPrefix(flag, "Show") {
			return fmt.Errorf("profile_constraints has %q; its values are Show flags such as ShowDisplayName", flag)
		}
	}
	for name, u := range map[string]string{"name_filter_url": s.NameFilterURL, "recovery_url": s.RecoveryURL} {
		if u != "" && !isWebAddress(u) {
			return fmt.Errorf("%s is %q; it must be an http or https URL", name, u)
		}
	}
	if s.RecoveryURL != "" && !strings.Contains(s.RecoveryURL, "{token}") {
		return fmt.Errorf("recovery_url must have {token} in it, where the token goes")
	}
	if err := s.checkTemplates(); err != nil {
		return err
	}
	return s.checkConnections()
}

func (s *TitleSettings) checkConnections() error {
	if len(s.OpenIDConnections) > 100 {
		return fmt.Errorf("openid_connections has %d entries; the most is 100", len(s.OpenIDConnections))
	}
	seen := map[string]bool{}
	for i, c := range s.OpenIDConnections {
		at := fmt.Sprintf("openid_connections[%d]", i)
		for name, text := range map[string]string{"id": c.ID, "issuer": c.Issuer, "client_id": c.ClientID} {
			if text == "" {
				return fmt.Errorf("%s.%s is missing", at, name)
			}
			if err := checkText(at+"."+name, text); err != nil {
				return err
			}
		}
		if seen[c.ID] {
			return fmt.Errorf("%s.id %q is there twice", at, c.ID)
		}
		seen[c.ID] = true
		if !isWebAddress(c.Issuer) {
			return fmt.Errorf("%s.issuer is %q; it must be an http or https URL", at, c.Issuer)
		}
	}
	return nil
}

func checkText(name, text string) error {
	if len(text) > maxTitleText {
		return fmt.Errorf("%s has %d bytes; the most is %d", name, len(text), maxTitleText)
	}
	if strings.ContainsFunc(text, isHidden) {
		return fmt.Errorf("%s has characters that cannot be shown", name)
	}
	return nil
}

// isHidden reports whether r is a control character, or stands for bytes that are
// no text.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFFFD'
}

func checkList(name string, list []string) error {
	if len(list) > maxTitleList {
		return fmt.Errorf("%s has %d entries; the most is %d", name, len(list), maxTitleList)
	}
	for i, text := range list {
		if text == "" {
			return fmt.Errorf("%s[%d] is empty", name, i)
		}
		if err := checkText(fmt.Sprintf("%s[%d]", name, i), text); err != nil {
			return err
		}
	}
	return nil
}

// isWebAddress reports whether text is an http or https URL with a host.
func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
