// Package bridge connects groups to the machine's network, where Ludgate runs as
// root.
//
// An installation has one bridge and one private subnet, chosen so that it
// overlaps nothing the machine has a route to and kept in network.json. A group
// gets a veth pair: one end is its eth0, the other a port of the bridge. Ports
// are isolated, so groups do not reach each other here; what leaves the subnet is
// given the machine's own address (masquerading by nftables), and nothing from
// outside is let in. Published ports do not need any of this.
//
// A group's number in the subnet (2…4093) is chosen and recorded by the caller;
// its address and the name of its port follow from it, so they are the same
// after a restart.
//
// Limits: rules of other programs that drop forwarded packets still apply. A
// Docker daemon on the same machine sets such a policy; its chain DOCKER-USER is
// where an administrator allows the bridge.
package bridge
