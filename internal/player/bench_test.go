package player

const loadEnv = "LUDGATE_PLAYER_LOAD"

func generateLoad() int { return 0 }
