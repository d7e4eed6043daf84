// Package image keeps container images ready to run: it pulls them from
// registries, loads them from files, and unpacks each layer once into a
// directory that overlayfs can use as a lower layer.
//
// An engine needs no more than [Puller]. [Store] is the implementation; open one
// per data directory with [Open]. The way of an image: a reference is parsed
// (reference.go) and looked up (records.go); if it is absent, its manifest comes
// from a registry (registry.go, transport.go) or a file (load.go), its layers
// are checked and unpacked (install.go, unpack_linux.go), and only then do
// records make it visible. One image needs none of that: [Builtin] is made of
// the running binary itself (builtin.go). What nobody refers to any more is
// collected (collect.go).
//
// # On disk
//
//	lock                     shared lock of every open store, exclusive while collecting
//	refs/<hash>.json         canonical reference -> digest of its manifest
//	images/<digest>.json     what Image says, and the chain ids of its layers
//	layers/<id>/layer.json   which chain id this is, its size
//	layers/<id>/fs/          the unpacked layer
//	tmp/                     everything that is not finished yet
//
// Files appear by rename after their content is on disk, directories likewise,
// and in the order layers, image, reference; so whatever happens in between, a
// reference that can be read leads to an image that is whole. The ids of layers
// are 26 characters, which lets over a hundred lower directories fit into the
// one page of mount options when they are given relative to layers/.
//
// Registries, images and archives are not trusted: every size and count is
// limited ([Limits]), blobs must have the digest the manifest gives and layers
// the diff id the configuration gives, device nodes and overlay's own attributes
// are dropped, and nothing is written outside a layer's directory.
package image
