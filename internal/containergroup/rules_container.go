package containergroup

import (
	"regexp"
	"strconv"
	"strings"

	"ludgate"
)

var (
	containerName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	envName       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// checkContainers checks containers and init containers. It reports false when
// there are so many that they were not looked at.
func (r *request) checkContainers() bool {
	p := r.Properties
	switch n := len(p.Containers); {
	case p.Containers == nil && r.require("properties", "containers"):
	case n == 0:
		r.add("MissingContainers", "properties.containers", "The containers in container group '%s' cannot be empty.", r.name)
	case n > maxContainers:
		r.tooMany("properties.containers", "containers", maxContainers)
		return false
	}
	if len(p.InitContainers) > maxInitContainers {
		r.tooMany("properties.initContainers", "init containers", maxInitContainers)
		return false
	}
	p.InitContainers = orNil(p.InitContainers)
	for i := range p.InitContainers {
		r.checkInitContainer(index("properties.initContainers", i), &p.InitContainers[i])
	}
	for i := range p.Containers {
		r.checkContainer(index("properties.containers", i), &p.Containers[i])
	}
	return true
}

func (r *request) checkContainer(path string, c *Container) {
	r.checkContainerName(path, c.Name)
	p, inner := c.Properties, path+".properties"
	if p == nil {
		r.requireObject(path, "properties")
		return
	}
	r.checkProgram(inner, c.Name, p.Image, p.Command, p.EnvironmentVariables)
	r.checkPorts(inner, c.Name, p.Ports)
	r.refuseContainer(inner, p)
	p.Ports, p.EnvironmentVariables = orNil(p.Ports), orNil(p.EnvironmentVariables)
}

func (r *request) checkInitContainer(path string, c *InitContainerDefinition) {
	r.checkContainerName(path, c.Name)
	p, inner := c.Properties, path+".properties"
	if p == nil {
		r.requireObject(path, "properties")
		return
	}
	r.checkProgram(inner, c.Name, p.Image, p.Command, p.EnvironmentVariables)
	r.refuseInitContainer(inner, p)
	p.EnvironmentVariables = orNil(p.EnvironmentVariables)
}

// checkContainerName checks one name; containers and init containers share one
// set of names.
func (r *request) checkContainerName(path, name string) {
	if name == "" && r.require(path, "name") {
		return
	}
	if len(name) > 63 || !containerName.MatchString(name) {
		r.add("InvalidContainerName", path+".name",
			"The container name '%s' in container group '%s' is invalid. The container name must contain no more than 63 characters and must match the regex '[a-z0-9]([-a-z0-9]*[a-z0-9])?' (e.g. 'my-name').", clip(name), r.name)
		return
	}
	if r.names[name] {
		r.add("DuplicateContainerName", path+".name", "The container name '%s' is used more than once in container group '%s'. Containers and init containers need names of their own.", name, r.name)
	}
	r.names[name] = true
}

// checkProgram checks what a container runs.
func (r *request) checkProgram(path, name, image string, command []string, env []EnvironmentVariable) {
	if strings.TrimSpace(image) == "" && !r.profile {
		r.add("MissingContainerImage", path+".image", "The image of container '%s' in container group '%s' is not specified.", clip(name), r.name)
	}
	for i, word := range command {
		if strings.ContainsRune(word, 0) {
			r.add("InvalidContainerCommand", index(path+".command", i), "The command of container '%s' in container group '%s' holds a zero byte, which no program can be given.", clip(name), r.name)
		}
	}
	for i := range env {
		if r.full() {
			return
		}
		r.checkVariable(index(path+".environmentVariables", i), name, &env[i])
	}
}

func (r *request) checkVariable(path, container string, v *EnvironmentVariable) {
	if v.Name == "" && r.require(path, "name") {
		return
	}
	if len(v.Name) > maxEnvName || !envName.MatchString(v.Name) {
		r.add("InvalidContainerEnvironmentVariable", path+".name",
			"The environment variable name in container '%s' of container group '%s' is invalid. A valid environment variable name must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName').", clip(container), r.name)
		return
	}
	if v.Value != nil && strings.ContainsRune(*v.Value, 0) {
		r.add("InvalidContainerEnvironmentVariable", path+".value", "The value of the environment variable '%s' in container '%s' of container group '%s' holds a zero byte.", v.Name, clip(container), r.name)
	}
	r.refuse(path+".secureValue", v.SecureValue)
	r.refuse(path+".secureValueReference", v.SecureValueReference)
}

// checkPorts checks the ports of one container; in a group, which has one
// address, no two containers can have the same.
func (r *request) checkPorts(path, name string, ports []Port) {
	for i := range ports {
		if r.full() {
			return
		}
		at := index(path+".ports", i)
		if !r.checkPort(at, &ports[i]) {
			continue
		}
		key := ports[i].key()
		if other, used := r.ports[key]; used {
			r.add("DuplicateContainerPort", at+".port", "Port '%d' (%s) is used by containers '%s' and '%s' in container group '%s'.", key.Port, key.Protocol, clip(other), clip(name), r.name)
			continue
		}
		r.ports[key] = name
	}
}

// checkPort checks one port and reports whether it is whole.
func (r *request) checkPort(path string, p *Port) bool {
	ok := true
	if p.Protocol != "" && !fold(&p.Protocol, ludgate.TCP, ludgate.UDP) {
		r.notOneOf("InvalidProtocol", path+".protocol", "protocol", "TCP,UDP")
		ok = false
	}
	switch {
	case p.Port == 0 && r.require(path, "port"):
		return false
	case p.Port < 1 || p.Port > 65535:
		r.add("InvalidPort", path+".port", "The port '%d' in container group '%s' is invalid. It must be between 1 and 65535.", p.Port, r.name)
		return false
	}
	return ok
}

// key is the port with the protocol it has when none is given.
func (p Port) key() Port {
	if p.Protocol == "" {
		p.Protocol = ludgate.TCP
	}
	return p
}

func (r *request) tooMany(target, what string, limit int) {
	r.add("ContainerGroupLimitExceeded", target, "The number of %s in container group '%s' exceeds the limit '%d'.", what, r.name, limit)
}

// index gives the path of an element of the list at path.
func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
