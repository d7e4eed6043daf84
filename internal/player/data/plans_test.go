package data

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

var parameter = regexp.MustCompile(`\$(\d+)`)

// TestPlans: every statement that runs often finds its rows by an index, a
// player's by the primary key and a board's by the index of boards.
func TestPlans(t *testing.T) {
	st := storetest.OpenEmbedded(t, account.Area, Area)
	const primary, board = "USING PRIMARY KEY", "player_statistics_board"
	for name, tc := range map[string]struct{ use, but string }{
		"heads": {primary, ""}, "head": {primary, ""}, "data": {primary, ""}, "data_of": {primary, ""}, "data_size": {primary, ""},
		"statistics": {primary, board}, "statistics_of": {primary, board}, "statistic_to_write": {primary, board}, "statistic_place": {primary, board},
		"change_statistic": {primary, board}, "close_statistic": {primary, board}, "delete_statistics": {primary, board},
		"board_from":    {board + " (title=? AND name=? AND version=? AND (negative,updated,player)>(?,?,?))", primary},
		"board_before":  {board + " (title=? AND name=? AND version=? AND (negative,updated,player)<(?,?,?))", primary},
		"board_count":   {"COVERING INDEX " + board + " (title=? AND name=? AND version=? AND (negative,updated,player)>(?,?,?)", primary},
		"display_names": {primary, ""}, "objects": {primary, ""}, "events": {primary, ""}, "oldest_events": {primary, ""}, "device": {primary, ""},
	} {
		sql := statements.Get(name).SQL(store.SQLite)
		args := 0
		for _, m := range parameter.FindAllStringSubmatch(sql, -1) {
			n, _ := strconv.Atoi(m[1])
			args = max(args, n)
		}
		var plan []string
		err := st.Write(t.Context(), func(tx store.Tx) error {
			return tx.Query(store.NewStmt("plan_"+name, "EXPLAIN QUERY PLAN "+sql), func(r store.Row) error {
				plan = append(plan, r.Text(3))
				return nil
			}, make([]any, args)...)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := strings.Join(plan, "; ")
		if !strings.Contains(text, tc.use) || tc.but != "" && strings.Contains(text, tc.but) || strings.Contains(text, "TEMP B-TREE") && strings.Contains(name, "board") ||
			strings.Contains(text, "SCAN player") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
