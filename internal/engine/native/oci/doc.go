// Package oci launches containers through an installed OCI runtime (crun, runc,
// runsc, kata-runtime), as an alternative to the builtin launcher. The runtime is
// given the same spec; it is a program that is called, never linked.
package oci
