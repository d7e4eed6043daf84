package containergroup

import (
	"context"
	"encoding/base64"
	"strings"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
)

// pageSize is how many groups a page of a list has, unless Options say otherwise.
const pageSize = 1000

// Page is a part of a list.
type Page struct {
	Groups []ContainerGroupReply
	Next   string // token of the next page, "" on the last
}

// List gives the groups of a resource group, or of the whole subscription when
// scope names none, sorted by name, a page at a time: token is "" or the Next of
// the page before. Instance views are not in it.
func (s *Service) List(ctx context.Context, scope ID, namespace, token string) (*Page, error) {
	if err := access.Management(ctx, namespace+"/containerGroups/read", scope.scope()); err != nil {
		return nil, err
	}
	name, group, err := parseToken(token)
	if err != nil {
		return nil, err
	}
	folded, size := scope.fold(), s.opt.PageSize
	stmt, args := listBySub, []any{folded.Subscription, name, group, int64(size + 1)}
	if scope.ResourceGroup != "" {
		stmt, args = listByGroup, []any{folded.Subscription, folded.ResourceGroup, name, int64(size + 1)}
	}
	var rows []*row
	err = s.read(ctx, func(tx store.Tx) error {
		rows = nil
		return tx.Query(stmt, func(r store.Row) error {
			g, err := scanRow(r)
			rows = append(rows, g)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	page := &Page{Groups: []ContainerGroupReply{}}
	if len(rows) > size {
		rows = rows[:size]
		last := rows[size-1].ID.fold()
		page.Next = makeToken(last.Name, last.ResourceGroup)
	}
	for _, g := range rows {
		st, live := s.observe(ctx, g)
		page.Groups = append(page.Groups, *s.replyPlain(g, namespace, st, live))
	}
	return page, nil
}

// A token is the name and the resource group of the last group that was given.
func makeToken(name, group string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(name + "/" + group))
}

func parseToken(token string) (name, group string, err error) {
	if token == "" {
		return "", "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	name, group, ok := strings.Cut(string(b), "/")
	if err != nil || !ok || checkName(name) != nil || store.CheckArgs(listBySub, []any{group}) != nil {
		return "", "", ludgate.Errorf(ludgate.Invalid, "InvalidSkipToken", "The value of $skiptoken is not one that this server gave.").At("$skiptoken")
	}
	return name, group, nil
}
