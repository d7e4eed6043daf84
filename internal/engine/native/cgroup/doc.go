// Package cgroup makes the control groups of containers: their limits on
// processor, memory, number of processes and devices.
//
// Every run has a fresh one, at the path /ludgate/<installation>/<group>/<run>
// counted from the top of each hierarchy; counters therefore begin at nothing,
// and a process that was killed for want of memory can be told from one that was
// killed otherwise. Version 1, version 2 and the hybrid of both are supported
// through opencontainers/cgroups.
package cgroup
