package password

import (
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/crypto/argon2"
)

// The pipe between server and helper carries two kinds of frames, integers in
// little-endian order.
//
//	request: id u32, memory u32, time u32, threads u8, key size u8,
//	         salt size u16, password size u16, salt, password
//	reply:   id u32, key size u8, key
//
// Replies come in the order in which hashes finish.
const (
	requestHead = 18
	replyHead   = 5
	maxPassword = 4096 // bytes; a rule of the service allows far less
)

var errFrame = errors.New("password: broken frame on the helper's pipe")

// request is one hash to compute.
type request struct {
	Params
	keySize  uint8
	salt     []byte
	password []byte
}

// compute does the work, in whichever process it is called.
func (r request) compute() []byte {
	return argon2.IDKey(r.password, r.salt, r.Time, r.Memory, r.Threads, uint32(r.keySize))
}

// appendRequest appends the frame of r to b.
func appendRequest(b []byte, id uint32, r request) []byte {
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.LittleEndian.AppendUint32(b, r.Memory)
	b = binary.LittleEndian.AppendUint32(b, r.Time)
	b = append(b, r.Threads, r.keySize)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.salt)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.password)))
	b = append(b, r.salt...)
	return append(b, r.password...)
}

// readRequest reads one frame; io.EOF means that the server closed the pipe
// between two frames.
func readRequest(src io.Reader) (id uint32, r request, err error) {
	var head [requestHead]byte
	if _, err := io.ReadFull(src, head[:]); err != nil {
		return 0, r, err
	}
	id = binary.LittleEndian.Uint32(head[0:])
	r.Memory = binary.LittleEndian.Uint32(head[4:])
	r.Time = binary.LittleEndian.Uint32(head[8:])
	r.Threads, r.keySize = head[12], head[13]
	salt, pw := int(binary.LittleEndian.Uint16(head[14:])), int(binary.LittleEndian.Uint16(head[16:]))
	if r.Memory > maxMemory || r.Time < 1 || r.Time > maxTime || r.Threads < 1 || r.Threads > maxThreads || r.keySize == 0 || pw > maxPassword {
		return 0, r, errFrame
	}
	body := make([]byte, salt+pw)
	if _, err := io.ReadFull(src, body); err != nil {
		return 0, r, errFrame
	}
	r.salt, r.password = body[:salt:salt], body[salt:]
	return id, r, nil
}

// appendReply appends the frame of a computed key to b.
func appendReply(b []byte, id uint32, key []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, id)
	b = append(b, uint8(len(key)))
	return append(b, key...)
}

// readReply reads one reply.
func readReply(src io.Reader) (id uint32, key []byte, err error) {
	var head [replyHead]byte
	if _, err := io.ReadFull(src, head[:]); err != nil {
		return 0, nil, err
	}
	key = make([]byte, head[4])
	if _, err := io.ReadFull(src, key); err != nil {
		return 0, nil, errFrame
	}
	return binary.LittleEndian.Uint32(head[0:]), key, nil
}
