package bridge

import (
	"encoding/binary"
	"net"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// setRules writes the installation's nftables table, in place of any it had:
//
//	table ip ludgate<id> {
//		chain postrouting { type nat hook postrouting priority srcnat
//			ip saddr <subnet> oifname != <bridge> masquerade
//		}
//		chain forward { type filter hook forward priority filter
//			oifname <bridge> ct state established,related accept
//			oifname <bridge> drop
//		}
//	}
func (n *Network) setRules() error {
	conn, err := nftables.New()
	if err != nil {
		return err
	}
	if err := n.dropTable(conn); err != nil {
		return err
	}
	table := conn.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: n.name})

	nat := conn.AddChain(&nftables.Chain{Name: "postrouting", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource})
	network := n.subnet.Masked().Addr().AsSlice()
	mask := net.CIDRMask(n.subnet.Bits(), 32)
	conn.AddRule(&nftables.Rule{Table: table, Chain: nat, Exprs: slices.Concat(
		[]expr.Any{
			&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: 12, Len: 4}, // source address
			&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: mask, Xor: make([]byte, 4)},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: network},
		},
		n.leavesBy(expr.CmpOpNeq),
		[]expr.Any{&expr.Masq{}},
	)})

	forward := conn.AddChain(&nftables.Chain{Name: "forward", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookForward, Priority: nftables.ChainPriorityFilter})
	answers := make([]byte, 4)
	binary.NativeEndian.PutUint32(answers, expr.CtStateBitESTABLISHED|expr.CtStateBitRELATED)
	conn.AddRule(&nftables.Rule{Table: table, Chain: forward, Exprs: slices.Concat(
		n.leavesBy(expr.CmpOpEq),
		[]expr.Any{
			&expr.Ct{Register: 1, Key: expr.CtKeySTATE},
			&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: answers, Xor: binaryutil.NativeEndian.PutUint32(0)},
			&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: make([]byte, 4)},
			&expr.Verdict{Kind: expr.VerdictAccept},
		},
	)})
	conn.AddRule(&nftables.Rule{Table: table, Chain: forward, Exprs: append(
		n.leavesBy(expr.CmpOpEq), &expr.Verdict{Kind: expr.VerdictDrop},
	)})
	return conn.Flush()
}

// leavesBy compares the interface a packet leaves by with the bridge.
func (n *Network) leavesBy(op expr.CmpOp) []expr.Any {
	name := make([]byte, unix.IFNAMSIZ)
	copy(name, n.name)
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyOIFNAME, Register: 1},
		&expr.Cmp{Op: op, Register: 1, Data: name},
	}
}

// removeRules removes the table, if there is one.
func (n *Network) removeRules() error {
	conn, err := nftables.New()
	if err != nil {
		return err
	}
	if err := n.dropTable(conn); err != nil {
		return err
	}
	return conn.Flush()
}

// dropTable queues the table's removal, if there is one.
func (n *Network) dropTable(conn *nftables.Conn) error {
	tables, err := conn.ListTablesOfFamily(nftables.TableFamilyIPv4)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.Name == n.name {
			conn.DelTable(t)
		}
	}
	return nil
}
