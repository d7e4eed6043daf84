package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// What the players who sign in with all info flags have.
const (
	fullPlayers  = 64
	statistics   = 20
	dataKeys     = 20
	items        = 50
	titleDataLen = 10
)

// board is the statistic that the leaderboard shows; every known player has it.
const board = "score00"

// allFlags asks at sign-in for everything that there is.
const allFlags = `,"InfoRequestParameters":{"GetCharacterInventories":true,"GetCharacterList":true,"GetPlayerProfile":true,` +
	`"GetPlayerStatistics":true,"GetTitleData":true,"GetUserAccountInfo":true,"GetUserData":true,"GetUserInventory":true,` +
	`"GetUserReadOnlyData":true,"GetUserVirtualCurrency":true,"ProfileConstraints":{"ShowDisplayName":true}}}`

// player is a player who signs in again and again.
type player struct {
	id     string
	body   string // of its sign-in
	ticket string
}

// prepareGame gives a title a catalog, a currency and title data, every known
// player a score and money, and the first of them all that allFlags shows, by the
// calls that a game's server would make.
func (k *work) prepareGame(ctx context.Context) (err error) {
	if k.secret, err = titleKey(ctx, k.data, k.title); err != nil {
		return err
	}
	c, err := dial(ctx, k.host)
	if err != nil {
		return err
	}
	defer c.c.Close()
	calls := []request{
		k.byServer("/Admin/AddVirtualCurrencyTypes", `{"VirtualCurrencies":[{"CurrencyCode":"GC","InitialDeposit":0}]}`),
		k.byServer("/Admin/SetCatalogItems", `{"CatalogVersion":"bench","SetAsDefaultCatalog":true,"Catalog":[`+
			`{"ItemId":"sword","DisplayName":"Sword","ItemClass":"weapon","VirtualCurrencyPrices":{"GC":1}},`+
			`{"ItemId":"potion","DisplayName":"Potion","ItemClass":"drink","Consumable":{"UsageCount":3}}]}`),
	}
	for i := range titleDataLen {
		calls = append(calls, k.byServer("/Server/SetTitleData", fmt.Sprintf(`{"Key":"setting%02d","Value":"a value of the title"}`, i)))
	}
	for _, q := range calls {
		if err := c.json(q, nil, 200); err != nil {
			return err
		}
	}
	return k.each(ctx, len(k.known), func(c *conn, i int) error {
		p := k.known[i]
		calls := []request{
			k.byServer("/Server/AddUserVirtualCurrency", `{"PlatformId":"`+p.id+`","VirtualCurrency":"GC","Amount":1000000}`),
			k.byServer("/Server/UpdatePlayerStatistics", fmt.Sprintf(`{"PlatformId":"%s","Statistics":[{"StatisticName":"%s","Value":%d}]}`, p.id, board, i)),
		}
		if i < fullPlayers {
			calls = append(calls, k.fullCalls(p)...)
		}
		for _, q := range calls {
			if err := c.json(q, nil, 200); err != nil {
				return err
			}
		}
		return nil
	})
}

// fullCalls give a player its statistics, data and items.
func (k *work) fullCalls(p player) []request {
	who := `{"PlatformId":"` + p.id + `",`
	return []request{
		k.byServer("/Server/UpdatePlayerStatistics", who+`"Statistics":[`+list(statistics, func(i int) string {
			return fmt.Sprintf(`{"StatisticName":"score%02d","Value":%d}`, i, 1000+i)
		})+`]}`),
		k.byServer("/Server/UpdateUserData", who+`"Data":{`+list(dataKeys, func(i int) string {
			return fmt.Sprintf(`"key%02d":"a value of forty characters, as many are"`, i)
		})+`}}`),
		k.byServer("/Server/GrantItemsToUser", who+`"ItemIds":[`+list(items, func(i int) string {
			return []string{`"sword"`, `"potion"`}[i%2]
		})+`]}`),
	}
}

// list joins the elements of a list.
func list(n int, element func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = element(i)
	}
	return strings.Join(all, ",")
}

// each does n preparations over a few connections.
func (k *work) each(ctx context.Context, n int, fn func(c *conn, i int) error) error {
	const workers = 8
	var wg sync.WaitGroup
	errs := make(chan error, workers)
	for w := range workers {
		wg.Go(func() {
			c, err := dial(ctx, k.host)
			if err == nil {
				defer c.c.Close()
			}
			for i := w; err == nil && i < n; i += workers {
				if err = ctx.Err(); err == nil {
					err = fn(c, i)
				}
			}
			if err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// byServer is a call with the title's secret key.
func (k *work) byServer(path, body string) request {
	return request{"POST", path, "X-SecretKey: " + k.secret, body}
}

func (k *work) someone(w, i int) player { return k.known[(w*31+i)%len(k.known)] }

// signInFull signs in a player with much and wants to see all of it.
func (k *work) signInFull(c *conn, w, i int) error {
	body := k.known[(w*31+i)%fullPlayers].body
	return c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", strings.TrimSuffix(body, "}") + allFlags}, nil, 200)
}

// checkFull looks once whether allFlags shows what was prepared.
func (k *work) checkFull(ctx context.Context) error {
	c, err := dial(ctx, k.host)
	if err != nil {
		return err
	}
	defer c.c.Close()
	var reply struct {
		InfoResultPayload struct {
			PlayerStatistics []struct{ StatisticName string }
			UserData         map[string]struct{ Value string }
			UserInventory    []struct{ ItemId string }
			TitleData        map[string]string
			PlayerProfile    struct{ PlayerId string }
		}
	}
	body := strings.TrimSuffix(k.known[0].body, "}") + allFlags
	if err := c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", body}, &reply, 200); err != nil {
		return err
	}
	p := reply.InfoResultPayload
	if len(p.PlayerStatistics) != statistics || len(p.UserData) != dataKeys || len(p.UserInventory) != items || len(p.TitleData) < titleDataLen {
		return fmt.Errorf("a sign-in with all flags shows %d statistics, %d data keys, %d items and %d title data",
			len(p.PlayerStatistics), len(p.UserData), len(p.UserInventory), len(p.TitleData))
	}
	return nil
}

// updateData changes one key of a player's data, durably. A game's server does it,
// because clients may not as often as this.
func (k *work) updateData(c *conn, w, i int) error {
	return c.json(k.byServer("/Server/UpdateUserData", `{"PlatformId":"`+k.someone(w, i).id+`","Data":{"key00":"value `+strconv.Itoa(i)+`"}}`), nil, 200)
}

// leaderboard asks for the best ten.
func (k *work) leaderboard(c *conn, w, i int) error {
	return c.json(request{"POST", "/Client/GetLeaderboard", "X-Authorization: " + k.someone(w, i).ticket,
		`{"StatisticName":"` + board + `","StartPosition":0,"MaxResultsCount":10}`}, nil, 200)
}

// purchase buys an item. The first players are left as they were prepared.
func (k *work) purchase(c *conn, w, i int) error {
	p := k.known[fullPlayers+(w*31+i)%(len(k.known)-fullPlayers)]
	return c.json(request{"POST", "/Client/PurchaseItem", "X-Authorization: " + p.ticket,
		`{"ItemId":"sword","VirtualCurrency":"GC","Price":1}`}, nil, 200)
}
