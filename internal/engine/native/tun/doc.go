// Package tun gives a group of an ordinary user its network interface.
//
// Without root there is no bridge to connect to. Instead the shim makes a TUN
// device, eth0, in the group's network namespace and hands its descriptor to an
// uplink process outside (package uplink), which speaks for the group with
// ordinary sockets. The network behind the device is the same for every group, as
// none sees another: see [Subnet].
package tun
