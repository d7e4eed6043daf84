package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link finds the target of a Markdown link.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// brokenLinks lists the links of a paper that lead to no file of the project.
// Links to other sites and within the page are not looked at.
func brokenLinks(paper, text string, exists func(path string) bool) []string {
	var broken []string
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		target, _, _ := strings.Cut(m[1], "#")
		if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		if !exists(path.Join(path.Dir(paper), target)) {
			broken = append(broken, m[1])
		}
	}
	return broken
}

// TestLinks: no link between the papers leads nowhere.
func TestLinks(t *testing.T) {
	for _, paper := range projectFiles(t, ".md") {
		text, err := os.ReadFile(filepath.Join(repoRoot, paper))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range brokenLinks(paper, string(text), func(p string) bool {
			_, err := os.Stat(filepath.Join(repoRoot, p))
			return err == nil
		}) {
			t.Errorf("%s: the link to %s leads nowhere", paper, target)
		}
	}
}

// TestLinkChecker shows which links count.
func TestLinkChecker(t *testing.T) {
	exists := func(p string) bool { return p == "docs/here.md" || p == "README.md" }
	for text, want := range map[string]string{
		"[a](here.md) [b](../README.md#part)":          "",
		"[a](https://example.org/x) [b](#part)":        "",
		"[a](gone.md), [b](here.md), [c](design/x.md)": "gone.md design/x.md",
	} {
		if got := strings.Join(brokenLinks("docs/page.md", text, exists), " "); got != want {
			t.Errorf("%s: broken %q, want %q", text, got, want)
		}
	}
}
