package containergroup

import (
	"math"

	"ludgate/internal/engine"
)

// wish is what the engine is told of a row.
func (s *Service) wish(g *row) (*engine.Group, error) {
	creds, err := g.open(s.opt.Box, g.key)
	if err != nil {
		return nil, err
	}
	return s.wishOf(g, creds), nil
}

// wishOf is wish with credentials that are open already.
func (s *Service) wishOf(g *row, creds []ImageRegistryCredential) *engine.Group {
	p := g.Group.Properties
	w := &engine.Group{
		Key: g.key, Generation: g.generation, Name: g.ID.Name, RestartPolicy: p.RestartPolicy,
		Timeout: s.opt.StartTimeout,
	}
	var cpu float64
	var memory int64
	for i := range p.Containers {
		c := wishContainer(&p.Containers[i])
		cpu += c.CPURequest
		memory += c.MemoryRequest
		w.Containers = append(w.Containers, c)
	}
	for _, c := range p.InitContainers {
		// An init container runs alone, with all that the group has.
		w.Init = append(w.Init, engine.Container{
			Name: c.Name, Image: c.Properties.Image, Command: orNil(c.Properties.Command),
			Env: wishEnv(c.Properties.EnvironmentVariables), CPULimit: cpu, MemoryLimit: memory,
		})
	}
	if a := p.IPAddress; a != nil {
		w.Address = g.address
		for _, port := range a.Ports {
			w.Publish = append(w.Publish, engine.Publish{Port: uint16(port.Port), Protocol: port.key().Protocol})
		}
	}
	for _, c := range creds {
		w.Logins = append(w.Logins, engine.Login{Server: c.Server, Username: c.Username, Password: c.Password.Reveal()})
	}
	return w
}

func wishContainer(c *Container) engine.Container {
	p := c.Properties
	w := engine.Container{Name: c.Name, Image: p.Image, Command: orNil(p.Command), Env: wishEnv(p.EnvironmentVariables)}
	for _, port := range p.Ports {
		w.Ports = append(w.Ports, engine.Port{Port: uint16(port.Port), Protocol: port.key().Protocol})
	}
	w.CPURequest, w.MemoryRequest = amounts(p.Resources.Requests)
	w.CPULimit, w.MemoryLimit = amounts(p.Resources.Limits)
	return w
}

func wishEnv(vars []EnvironmentVariable) []engine.EnvVar {
	var out []engine.EnvVar
	for _, v := range vars {
		e := engine.EnvVar{Name: v.Name}
		if v.Value != nil {
			e.Value = *v.Value
		}
		out = append(out, e)
	}
	return out
}

// amounts gives cores and bytes; what is absent is 0.
func amounts(r *Resources) (cpu float64, memory int64) {
	if r == nil {
		return 0, 0
	}
	if r.CPU != nil {
		cpu = *r.CPU
	}
	if r.MemoryInGB != nil {
		memory = int64(math.Ceil(*r.MemoryInGB * (1 << 30)))
	}
	return cpu, memory
}
