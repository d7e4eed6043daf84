package profile

import (
	"strings"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
)

// TestStatementsFindTheirRows: no statement that a sign-in or a profile needs
// looks at the rows of other players, of whom there are very many.
func TestStatementsFindTheirRows(t *testing.T) {
	st := storetest.OpenEmbedded(t, Area)
	player := []any{"ABCDE", "P"}
	for name, args := range map[string][]any{
		"ban_in_force": {"ABCDE", "P", "192.0.2.7", int64(1)}, "ban_get": player, "bans": player,
		"contact_by_token": {[]byte("x")}, "contacts": player, "contact_mails": player, "tags": player, "locations": player,
		"location_seen": {"ABCDE", "P", "EU", "FI", ""}, "memberships": player, "campaigns": player, "push": player, "values": player,
		"purchases": player, "purchase_by_receipt": player,
	} {
		explain := store.NewStmt("explain_"+name, "EXPLAIN QUERY PLAN "+statements.Get(name).SQL(store.SQLite))
		err := st.Read(t.Context(), func(tx store.Tx) error {
			return tx.Query(explain, func(r store.Row) error {
				if step := r.Text(3); strings.HasPrefix(step, "SCAN player") || strings.HasSuffix(step, "(title=?)") {
					t.Errorf("%s: %s", name, step)
				}
				return nil
			}, args...)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
