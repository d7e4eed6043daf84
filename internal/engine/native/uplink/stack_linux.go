package uplink

import (
	"errors"
	"fmt"
	"os"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/fdbased"
	"gvisor.dev/gvisor/pkg/tcpip/link/nested"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"ludgate/internal/engine/native/tun"
)

// nic is the only interface of the stack.
const nic = 1

// serve runs a stack on the device. It returns once that works; closed is called
// when the device is closed at the other end.
func serve(device *os.File, closed func(error)) error {
	s := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
	})
	sack, moderate := tcpip.TCPSACKEnabled(true), tcpip.TCPModerateReceiveBufferOption(true)
	for _, option := range []tcpip.SettableTransportProtocolOption{&sack, &moderate} {
		if err := s.SetTransportProtocolOption(tcp.ProtocolNumber, option); err != nil {
			return fmt.Errorf("set up TCP: %s", err)
		}
	}
	link, err := fdbased.New(&fdbased.Options{
		FDs: []int{int(device.Fd())}, MTU: tun.MTU,
		ClosedFunc: func(err tcpip.Error) { closed(fmt.Errorf("the group's device: %v", err)) },
	})
	if err != nil {
		return fmt.Errorf("open the group's device: %w", err)
	}
	filtered := &withoutPings{}
	filtered.Init(link, filtered)
	if err := s.CreateNIC(nic, filtered); err != nil {
		return errors.New(err.String())
	}
	// The interface takes packets to, and sends packets from, any address: it
	// stands for all the world.
	s.SetPromiscuousMode(nic, true)
	s.SetSpoofing(nic, true)
	s.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})

	s.SetTransportProtocolHandler(tcp.ProtocolNumber, tcp.NewForwarder(s, 0, maxOpening, forwardTCP()).HandlePacket)
	s.SetTransportProtocolHandler(udp.ProtocolNumber, udp.NewForwarder(s, forwardUDP()).HandlePacket)
	return nil
}

// withoutPings is a link that drops ICMP: the stack would answer echo requests in
// the name of machines that nobody has asked.
type withoutPings struct{ nested.Endpoint }

// DeliverNetworkPacket passes a packet from the group on to the stack.
func (w *withoutPings) DeliverNetworkPacket(protocol tcpip.NetworkProtocolNumber, pkt *stack.PacketBuffer) {
	if protocol == ipv4.ProtocolNumber {
		h, ok := pkt.Data().PullUp(header.IPv4MinimumSize)
		if !ok || header.IPv4(h).TransportProtocol() == header.ICMPv4ProtocolNumber {
			return
		}
	}
	w.Endpoint.DeliverNetworkPacket(protocol, pkt)
}
