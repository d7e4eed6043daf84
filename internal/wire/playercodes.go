package wire

// playerCode is one row of the player surface's table of errors (P-7 and the
// neighbouring calls): the number clients compare, and the HTTP status under
// namings with a rich status. Rows marked everywhere keep that status under
// every naming.
type playerCode struct {
	number     int
	status     int
	everywhere bool
}

var playerCodes = map[string]playerCode{
	"InvalidParams":                         {1000, 400, false},
	"AccountNotFound":                       {1001, 400, false},
	"AccountBanned":                         {1002, 403, false},
	"InvalidUsernameOrPassword":             {1003, 401, false},
	"InvalidTitleId":                        {1004, 400, false},
	"InvalidEmailAddress":                   {1005, 400, false},
	"EmailAddressNotAvailable":              {1006, 400, false},
	"InvalidUsername":                       {1007, 400, false},
	"InvalidPassword":                       {1008, 400, false},
	"UsernameNotAvailable":                  {1009, 400, false},
	"ReceiptAlreadyUsed":                    {1022, 400, false},
	"UserisNotValid":                        {1030, 400, false},
	"PlayerNotInGame":                       {1033, 400, false},
	"NameNotAvailable":                      {1058, 400, false},
	"BodyTooLarge":                          {1068, 413, true},
	"InvalidRequest":                        {1071, 400, false},
	"NotAuthenticated":                      {1074, 401, false},
	"NotAuthorized":                         {1089, 401, false},
	"InternalServerError":                   {1110, 500, true},
	"ServiceUnavailable":                    {1123, 503, true},
	"DownstreamServiceUnavailable":          {1127, 503, true},
	"InvalidAPIEndpoint":                    {1131, 404, true},
	"MethodNotAllowed":                      {1131, 405, true},
	"ConcurrentEditError":                   {1133, 409, false},
	"InvalidContentType":                    {1144, 400, false},
	"KeyLengthExceeded":                     {1145, 400, false},
	"DataLengthExceeded":                    {1146, 400, false},
	"TooManyKeys":                           {1147, 400, false},
	"ExpiredAuthToken":                      {1153, 400, false},
	"FeatureNotConfiguredForTitle":          {1177, 400, false},
	"NotAuthorizedByTitle":                  {1191, 403, true},
	"InvalidPartnerResponse":                {1193, 400, false},
	"APIClientRequestRateLimitExceeded":     {1199, 429, true},
	"OverLimit":                             {1214, 400, false},
	"InvalidStreamingPlatformToken":         {1232, 400, false},
	"StreamingPlatformResponseError":        {1233, 400, false},
	"ProfaneDisplayName":                    {1234, 400, false},
	"PlayerTagCountLimitExceeded":           {1248, 400, false},
	"MisconfiguredIdentityProvider":         {1264, 400, false},
	"EncryptionKeyMissing":                  {1290, 400, false},
	"PlayerSecretAlreadyConfigured":         {1294, 400, false},
	"InvalidSharedSecretKey":                {1296, 400, false},
	"SignedRequestNotAllowed":               {1302, 400, false},
	"RequestViewConstraintParamsNotAllowed": {1303, 400, false},
	"PlayerSecretNotConfigured":             {1323, 400, false},
	"InvalidAuthToken":                      {1326, 400, false},
	"AuthTokenDoesNotExist":                 {1327, 400, false},
	"AuthTokenExpired":                      {1328, 400, false},
	"EntityTokenMissing":                    {1334, 401, false},
	"EntityTokenInvalid":                    {1335, 401, false},
	"EntityTokenExpired":                    {1336, 401, false},
	"EntityTokenRevoked":                    {1337, 401, false},
	"EvaluationModePlayerCountExceeded":     {1490, 400, false},
}
