// Package bench measures a Ludgate the way a load test does: real connections,
// real requests, every answer checked. `ludgate bench` runs it and prints a table
// with throughput, latency and the server's processor time per operation, beside
// floors from the same run: an empty call through the same edge, and the
// password hash alone. Ratios to the floors are what to compare between runs;
// absolute figures belong to a machine and a day.
package bench
