package profile

import (
	"context"
	"strings"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	tagAddStmt    = statements.Get("tag_add")
	tagRemoveStmt = statements.Get("tag_remove")
	tagsStmt      = statements.Get("tags")
)

// PlayerTagRequest adds a tag to a player or takes it away. The tag may be given
// with the namespace that it is shown with.
type PlayerTagRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	TagName    string `json:"TagName" required:"true"`
}

// GetPlayerTagsRequest lists a player's tags.
type GetPlayerTagsRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	Namespace  string `json:"Namespace"` // "" is every one
}

// GetPlayerTagsResult is the answer to it.
type GetPlayerTagsResult struct {
	PlatformId string   `json:"PlatformId"`
	Tags       []string `json:"Tags"`
}

// namespace is what the tags that a title gives are shown with.
func namespace(title string) string { return "title." + title + "." }

// check gives the tag without its namespace.
func (r *PlayerTagRequest) check(title string) (string, error) {
	f := &call.Faults{}
	tag := strings.TrimPrefix(r.TagName, namespace(title))
	if tag == "" {
		f.Required("TagName")
	}
	checkText(f, "TagName", tag, maxTag)
	return tag, f.Err()
}

func (s *Service) addTag(ctx context.Context, c *call.Call, r *PlayerTagRequest) (any, error) {
	tag, err := r.check(c.Title.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		if _, err := tx.Exec(tagAddStmt, c.Title.ID, r.PlatformId, tag); err != nil {
			return err
		}
		tags, err := loadTags(tx, c.Title.ID, r.PlatformId)
		if err == nil && len(tags) > maxTags {
			err = call.Refuse("PlayerTagCountLimitExceeded", "A player has at most %d tags.", maxTags)
		}
		return err
	})
}

func (s *Service) removeTag(ctx context.Context, c *call.Call, r *PlayerTagRequest) (any, error) {
	tag, err := r.check(c.Title.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.write(ctx, c, r.PlatformId, func(tx store.Tx) error {
		_, err := tx.Exec(tagRemoveStmt, c.Title.ID, r.PlatformId, tag)
		return err
	})
}

func (s *Service) getTags(ctx context.Context, c *call.Call, r *GetPlayerTagsRequest) (any, error) {
	out := &GetPlayerTagsResult{PlatformId: r.PlatformId}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		if err := account.Require(tx, c.Title.ID, r.PlatformId); err != nil {
			return err
		}
		out.Tags = []string{}
		if r.Namespace != "" && !strings.HasPrefix(namespace(c.Title.ID), strings.TrimSuffix(r.Namespace, ".")+".") {
			return nil
		}
		tags, err := loadTags(tx, c.Title.ID, r.PlatformId)
		for _, tag := range tags {
			out.Tags = append(out.Tags, namespace(c.Title.ID)+tag)
		}
		return err
	})
	return out, err
}

// loadTags gives a player's tags without their namespace.
func loadTags(tx store.Tx, title, player string) ([]string, error) {
	tags := []string{}
	err := tx.Query(tagsStmt, func(r store.Row) error { tags = append(tags, r.Text(0)); return nil }, title, player)
	return tags, err
}
