package hello

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		line string
		want [][]string // nil: refused
	}{
		{`print a`, [][]string{{"print", "a"}}},
		{`  print   a  `, [][]string{{"print", "a"}}},
		{`print a && exit 3`, [][]string{{"print", "a"}, {"exit", "3"}}},
		{`print a&&exit 3`, [][]string{{"print", "a"}, {"exit", "3"}}},
		{`print "a && b"`, [][]string{{"print", "a && b"}}},
		{`print 'a "b" \'`, [][]string{{"print", `a "b" \`}}},
		{`print "say \"hi\" \\ \n"`, [][]string{{"print", `say "hi" \ \n`}}},
		{`print a\ b \&\& c`, [][]string{{"print", "a b", "&&", "c"}}},
		{`print '' ""x`, [][]string{{"print", "", "x"}}},
		{`print a'b'"c"d`, [][]string{{"print", "abcd"}}},
		{`fetch http://x/?a=1&b=2`, [][]string{{"fetch", "http://x/?a=1&b=2"}}},
		{"print\ta\nb", [][]string{{"print", "a", "b"}}},
		{`print é`, [][]string{{"print", "é"}}},
		{`print $HOME *`, [][]string{{"print", "$HOME", "*"}}},
		{``, nil},
		{`&&`, nil},
		{`print a &&`, nil},
		{`&& print a`, nil},
		{`print a && && print b`, nil},
		{`print 'a`, nil},
		{`print "a\"`, nil},
	}
	for _, tt := range tests {
		got, err := split(tt.line)
		if tt.want == nil {
			var usage usageError
			if !errors.As(err, &usage) {
				t.Errorf("split(%q) = %q, %v; want a usage error", tt.line, got, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("split(%q) = %q, %v; want %q", tt.line, got, err, tt.want)
		}
	}
}

// FuzzSplit: what is split can be quoted and split again, to the same words.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`a b && c`, `'a' "b\"" \c`, `&&`, `"`, `a\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		commands, err := split(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, words := range commands {
			if len(words) == 0 {
				t.Fatalf("split(%q) has an empty command", line)
			}
			var q []string
			for _, w := range words {
				q = append(q, `'`+strings.ReplaceAll(w, `'`, `'"'"'`)+`'`)
			}
			quoted = append(quoted, strings.Join(q, " "))
		}
		again, err := split(strings.Join(quoted, " && "))
		if err != nil || !reflect.DeepEqual(again, commands) {
			t.Errorf("split(%q) = %q, again %q, %v", line, commands, again, err)
		}
	})
}
