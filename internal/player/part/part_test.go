package part

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/store"
)

// notes is a part that keeps one text of each player.
type notes struct {
	kept  map[string]string // by title/player
	wiped []string
}

type notesDump struct {
	Text string `json:"text,omitzero"`
}

func (n *notes) Delete(_ store.Tx, title, player string) error {
	delete(n.kept, title+"/"+player)
	return nil
}

func (n *notes) Export(_ store.Tx, title, player string) (*notesDump, error) {
	return &notesDump{n.kept[title+"/"+player]}, nil
}

func (n *notes) Import(_ store.Tx, title, player string, d *notesDump) error {
	if d.Text == "bad" {
		return errors.New("the text is bad")
	}
	n.kept[title+"/"+player] = d.Text
	return nil
}

func (n *notes) DeleteTitle(_ store.Tx, title string) error {
	n.wiped = append(n.wiped, title)
	return nil
}

func TestOf(t *testing.T) {
	n := &notes{kept: map[string]string{"A1B/1": "hello"}}
	p := Of("notes", n)
	if p.Name() != "notes" {
		t.Errorf("name %q", p.Name())
	}
	text, err := p.Export(nil, "A1B", "1")
	if err != nil || string(text) != `{"text":"hello"}` {
		t.Fatalf("export: %s, %v", text, err)
	}
	if none, err := p.Export(nil, "A1B", "2"); err != nil || none != nil {
		t.Errorf("a player without rows: %s, %v", none, err)
	}
	d, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Import(nil, "A1B", "3"); err != nil || n.kept["A1B/3"] != "hello" {
		t.Errorf("import: %v, %v", err, n.kept)
	}
	if err := p.Delete(nil, "A1B", "3"); err != nil || n.kept["A1B/3"] != "" {
		t.Errorf("delete: %v, %v", err, n.kept)
	}
	if err := p.DeleteTitle(nil, "A1B"); err != nil || len(n.wiped) != 1 {
		t.Errorf("delete title: %v, %v", err, n.wiped)
	}
}

// TestFaultsNameThePart: whoever reads the message has a file of many parts.
func TestFaultsNameThePart(t *testing.T) {
	p := Of("notes", &notes{kept: map[string]string{}})
	for _, text := range []string{`{"texts":"x"}`, `{"text":1}`, `[]`, `{"text":"a","text":"b"}`} {
		if _, err := p.Parse(jsontext.Value(text)); err == nil || !strings.HasPrefix(err.Error(), "notes: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	d, err := p.Parse(jsontext.Value(`{"text":"bad"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Import(nil, "A1B", "1"); err == nil || err.Error() != "notes: the text is bad" {
		t.Errorf("import: %v", err)
	}
}
