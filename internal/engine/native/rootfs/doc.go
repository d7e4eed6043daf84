// Package rootfs makes the root file system of one run of a container, and looks
// things up in it.
//
// [Mount] lays a fresh writable layer over the image's read-only ones with
// overlayfs. [Lookup] finds the numeric ids of the user an image or a wish names,
// in the /etc/passwd and /etc/group of that file system, which is not trusted:
// it is opened without leaving the root, read only up to a limit, and only when
// it is an ordinary file.
package rootfs
