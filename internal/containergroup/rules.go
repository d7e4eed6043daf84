package containergroup

import (
	"regexp"
	"strings"

	"ludgate"
)

// Limits of a group (C-8 and what the public service documents).
const (
	maxContainers     = 60
	maxInitContainers = 59
	maxAddressPorts   = 5
	maxEnvName        = 63
)

// Defaults of members that a request leaves out, those of the public command line.
const (
	defaultCPU        = 1.0
	defaultMemoryInGB = 1.5
)

// policy is what this server's settings make of the rules.
type policy struct {
	strict      bool    // refuse also what only the real service refuses
	region      string  // location of groups that name none
	maxCPU      float64 // of a group, in cores
	maxMemoryGB float64 // of a group, in units of 2^30 bytes
}

// request is one PUT body on its way through the rules.
type request struct {
	policy
	*ContainerGroup
	name string // the group's, for messages
	// missing explains a required member that the body lacks; see
	// wire.Request.MissingMember.
	missing func(path, name string) *ludgate.Error

	faults
	ports   map[Port]string // who uses a port
	names   map[string]bool // of containers and init containers
	cpu     float64         // the group's, as requested
	memory  float64
	ipWish  string // the address that was wished for, taken out of the record
	profile bool   // a profile was named, which has the images
	inLimit []limited
}

// limited is a container whose limits are compared with the group's total.
type limited struct {
	path, name string
	limits     *Resources
}

var groupName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$`)

// checkName checks the name of a group.
func checkName(name string) error {
	if len(name) >= 1 && len(name) <= 63 && groupName.MatchString(name) {
		return nil
	}
	return ludgate.Errorf(ludgate.Invalid, "InvalidContainerGroupName",
		"The container group name '%s' is invalid. It must contain no more than 63 characters and must match the regex '[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?' (e.g. 'my-name').", clip(name)).At("containerGroupName")
}

// check refuses what breaks a rule, with every fault, and puts the rest into its
// canonical form: defaults added, enumerations in the contract's spelling,
// members without effect removed. Checking a canonical record changes nothing.
func (r *request) check() error {
	r.ports, r.names = map[Port]string{}, map[string]bool{}
	if r.Properties == nil {
		r.requireObject("", "properties")
		return r.err()
	}
	r.checkGroup()
	r.refuseGroup()
	if !r.checkContainers() {
		return r.err()
	}
	r.checkResources()
	r.checkAddress()
	r.checkCredentials()
	return r.err()
}

// require notes that a member the reader found empty is missing. It reports
// false when it is there after all, only empty, which is then for another rule.
func (r *request) require(path, name string) bool {
	e := r.missing(path, name)
	if e == nil {
		return false
	}
	r.note(e)
	return true
}

// requireObject notes that the object name is missing.
func (r *request) requireObject(path, name string) {
	if !r.require(path, name) {
		r.add("InvalidRequestContent", path, "The request content was invalid: the property '%s' is needed.", name)
	}
}

// checkGroup checks the members of the group itself.
func (r *request) checkGroup() {
	p := r.Properties
	r.Location = r.canonicalLocation(r.Location)
	r.Zones = orNil(r.Zones)
	if len(r.Tags) == 0 {
		r.Tags = nil
	}
	r.checkOS()
	if p.RestartPolicy != "" && !fold(&p.RestartPolicy, ludgate.RestartAlways, ludgate.RestartOnFailure, ludgate.RestartNever) {
		r.notOneOf("InvalidRestartPolicy", "properties.restartPolicy", "restartPolicy", "Always,OnFailure,Never")
	}
	if p.SKU == "" {
		p.SKU = SkuStandard
	} else if !fold(&p.SKU, SkuNotSpecified, SkuStandard, SkuDedicated, SkuConfidential) {
		r.notOneOf("InvalidSku", "properties.sku", "sku", "NotSpecified,Standard,Dedicated,Confidential")
	}
	if p.Priority != "" && !fold(&p.Priority, Regular, Spot) {
		r.add("PriorityNotSpecified", "properties.priority", "The 'Priority' must be one of 'Regular,Spot' for container group '%s'.", r.name)
	}
}

func (r *request) checkOS() {
	p := r.Properties
	switch {
	case p.OSType == "" && !r.strict:
		p.OSType = Linux
	case !fold(&p.OSType, Windows, Linux):
		r.notOneOf("InvalidOsType", "properties.osType", "osType", "Windows,Linux")
	case p.OSType == Windows && len(p.Containers) > 1:
		r.add("InvalidWindowsContainerGroup", "properties.containers", "The container group '%s' has %d containers. A Windows container group can have one container only.", r.name, len(p.Containers))
	}
}

var location = regexp.MustCompile(`^[a-z0-9][-a-z0-9]{0,62}$`)

// canonicalLocation gives a location in lower case and without blanks, or the
// server's region when there is none. It is part of public names and of polling
// addresses, so it has their characters.
func (r *request) canonicalLocation(l string) string {
	l = strings.ToLower(strings.Join(strings.Fields(l), ""))
	if l == "" {
		return r.region
	}
	if !location.MatchString(l) {
		r.add("InvalidLocation", "location", "The location '%s' for container group '%s' is invalid. It can contain only letters, numbers, hyphens and blanks.", clip(l), r.name)
	}
	return l
}

// orNil makes an empty list and none the same.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// notOneOf notes a value outside its enumeration.
func (r *request) notOneOf(code, target, property, values string) {
	r.add(code, target, "The '%s' for container group '%s' is invalid. The value must be one of '%s'.", property, r.name, values)
}

// fold replaces *v by the allowed value that differs from it at most in case, and
// reports whether there is one.
func fold[T ~string](v *T, allowed ...T) bool {
	for _, a := range allowed {
		if strings.EqualFold(string(*v), string(a)) {
			*v = a
			return true
		}
	}
	return false
}

// checkCredentials checks how images are fetched.
func (r *request) checkCredentials() {
	for i := range r.Properties.ImageRegistryCredentials {
		if r.full() {
			return
		}
		c := &r.Properties.ImageRegistryCredentials[i]
		path := index("properties.imageRegistryCredentials", i)
		switch {
		case c.Server == "" && r.require(path, "server"):
		case c.Server == "" || strings.Contains(c.Server, "/") || strings.ContainsAny(c.Server, " \t\r\n\x00"):
			r.add("InvalidImageRegistryServer", path+".server",
				"The server '%s' in the 'imageRegistryCredentials' of container group '%s' is invalid. It must be the host name of a registry, without a protocol.", clip(c.Server), r.name)
		}
		if (c.Username == "") == (c.Identity == "") {
			r.add("AmbiguousImageResitryCredentialType", path,
				"The registry credential type in the 'imageRegistryCredentials' of container group '%s' cannot be detected. Please set exactly one of username or identity", r.name)
			continue
		}
		r.refuse(path+".passwordReference", c.PasswordReference)
		r.refuse(path+".identity", c.Identity)
		r.refuse(path+".identityUrl", c.IdentityURL)
	}
}
