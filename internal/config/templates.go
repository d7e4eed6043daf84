package config

import (
	"fmt"
	"strings"
)

// RecoveryTemplate is what a recovery mail of a title says. {title}, {link} and
// {token} stand for what they name.
type RecoveryTemplate struct {
	ID      string `yaml:"id" json:"id" doc:"What calls name it by, as EmailTemplateId."`
	Subject string `yaml:"subject" json:"subject" doc:"Subject; may have {title} in it once."`
	Text    string `yaml:"text" json:"text" doc:"Plain text with {link} or {token} in it, and {title} where wanted."`
}

// Bounds of templates, such that no mail outgrows what mail servers take.
const (
	maxTemplates    = 20
	maxTemplateID   = 100
	maxSubject      = 150     // bytes
	maxTemplateText = 8 << 10 // bytes
	maxPlaces       = 20      // of {title}, {link} and {token} in a text
)

// checkTemplates refuses templates that no mail can be made of.
func (s *TitleSettings) checkTemplates() error {
	if len(s.RecoveryTemplates) > maxTemplates {
		return fmt.Errorf("recovery_templates has %d entries; the most is %d", len(s.RecoveryTemplates), maxTemplates)
	}
	seen := map[string]bool{}
	for i, t := range s.RecoveryTemplates {
		at := fmt.Sprintf("recovery_templates[%d]", i)
		for _, f := range []struct {
			name, text string
			most       int
		}{{"id", t.ID, maxTemplateID}, {"subject", t.Subject, maxSubject}, {"text", t.Text, maxTemplateText}} {
			text := f.text
			if f.name == "text" { // which has lines
				text = strings.NewReplacer("\r", "", "\n", "", "\t", "").Replace(text)
			}
			if f.text == "" {
				return fmt.Errorf("%s.%s is missing", at, f.name)
			}
			if len(f.text) > f.most {
				return fmt.Errorf("%s.%s has %d bytes; the most is %d", at, f.name, len(f.text), f.most)
			}
			if strings.ContainsFunc(text, isHidden) {
				return fmt.Errorf("%s.%s has characters that cannot be shown", at, f.name)
			}
		}
		links, tokens := strings.Count(t.Text, "{link}"), strings.Count(t.Text, "{token}")
		switch {
		case seen[t.ID]:
			return fmt.Errorf("%s.id %q is there twice", at, t.ID)
		case strings.Contains(t.Subject, "{link}") || strings.Contains(t.Subject, "{token}") || strings.Count(t.Subject, "{title}") > 1:
			return fmt.Errorf("%s.subject may have {title} in it once, and neither {link} nor {token}", at)
		case links+tokens == 0:
			return fmt.Errorf("%s.text must have {link} or {token} in it", at)
		case links+tokens+strings.Count(t.Text, "{title}") > maxPlaces:
			return fmt.Errorf("%s.text has {title}, {link} and {token} more than %d times", at, maxPlaces)
		}
		seen[t.ID] = true
	}
	return nil
}
