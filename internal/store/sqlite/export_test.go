package sqlite

// MaxBatch sets how many calls one commit takes, for tests outside the package.
func (o Options) MaxBatch(n int) Options { o.maxBatch = n; return o }
