package wire

// Vendor is the naming of the public services' own SDKs, so that unmodified
// clients work. Clients of it test for the wrapped envelope and decode the
// enumerations into closed types.
var Vendor = &Naming{
	Name: "vendor",
	Namespaces: map[string]string{
		"Vendor.ContainerInstance": "Microsoft.ContainerInstance",
		"Vendor.Sql":               "Microsoft.Sql",
	},
	Player: PlayerNaming{
		Paths: map[string]string{
			"/Client/RegisterPlatformUser":           "/Client/RegisterPlayFabUser",
			"/Client/LoginWithStreamingPlatform":     "/Client/LoginWithTwitch",
			"/Client/LoginWithPlatform":              "/Client/LoginWithPlayFab",
			"/Client/LinkStreamingPlatform":          "/Client/LinkTwitch",
			"/Client/UnlinkStreamingPlatform":        "/Client/UnlinkTwitch",
			"/Client/GetPlatformIDsFromStreamingIDs": "/Client/GetPlayFabIDsFromTwitchIDs",
			"/Server/GetPlatformIDsFromStreamingIDs": "/Server/GetPlayFabIDsFromTwitchIDs",
			"/Server/LoginWithStreamingPlatform":     "/Server/LoginWithTwitch",
			"/Server/LinkStreamingAccount":           "/Server/LinkTwitchAccount",
			"/Server/UnlinkStreamingAccount":         "/Server/UnlinkTwitchAccount",
		},
		Fields: map[string]string{
			"PlatformId":        "PlayFabId",
			"StreamingInfo":     "TwitchInfo",
			"StreamingId":       "TwitchId",
			"StreamingUserName": "TwitchUserName",
			"StreamingIds":      "TwitchIds",
		},
		Enums: map[string]map[string]string{
			"LoginIdentityProvider": {"Platform": "PlayFab", "StreamingPlatform": "Twitch"},
			"UserOrigination":       {"StreamingPlatform": "Twitch"},
		},
		Errors: map[string]string{
			"InvalidStreamingPlatformToken":  "InvalidTwitchToken",
			"StreamingPlatformResponseError": "TwitchResponseError",
		},
		Envelope:      Wrapped,
		CollectParams: true,
		RichStatus:    true,
		TypeString:    true,
		FoldUsernames: true,
	},
	Directory: DirectoryNaming{Strict: true},
}
