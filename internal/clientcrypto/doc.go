// Package clientcrypto is what the client of a title uses to hide and to sign a
// request.
//
// # Hiding
//
// Every title may have a [KeyPair]. A client gets the public half as a blob (the
// layout of Windows' CryptoAPI, which client programs import as it is), encrypts
// a small JSON object with the members that nobody on the way should see, and
// sends it as the member EncryptedRequest. [KeyPair.Open] gives the object back,
// and fails in one way only, [ErrSealed], whatever was wrong with it.
//
// There are two paddings. OAEP with SHA-1 is the good one. PKCS #1 v1.5 is
// accepted only where a title allows it, for clients that cannot do better: who
// can ask a server many times whether a padding is right can in the end decrypt
// what others sent. Open keeps the answer to itself. It is made from the
// ciphertext and the key alone what a wrong padding decrypts to (a made-up text,
// always the same one for the same ciphertext), and whatever comes out then runs
// through the same check for a JSON object, so that a right padding around a text
// that is no object, which is all that such an attacker ever gets, and a wrong one
// have the same answer after the same work. What is left is the difference of a
// few machine instructions in choosing between the two, far below what a network
// lets through; a title without old clients should leave v1.5 off all the same.
//
// One Open costs about a millisecond of processor time, two with v1.5, and a
// caller needs no proof to ask for it: the routes that use it belong behind the
// limits per address.
//
// # Signing
//
// A player who has a secret signs a request by hashing body, time and secret; see
// [Sign]. [Verify] compares in constant time and lets a signature live for
// [Window], before and after its time, because clients' clocks are wrong both ways.
package clientcrypto
