package containergroup

// checkResources checks what the containers of the group ask for, each and
// together.
func (r *request) checkResources() {
	p := r.Properties
	for i := range p.Containers {
		if c := &p.Containers[i]; c.Properties != nil {
			r.checkRequirements(index("properties.containers", i), c)
		}
	}
	if r.cpu > r.maxCPU {
		r.add("InvalidResourceRequests", "properties.containers", "The containers of container group '%s' request %g CPU together. The limit is %g.", r.name, r.cpu, r.maxCPU)
	}
	if r.memory > r.maxMemoryGB {
		r.add("InvalidResourceRequests", "properties.containers", "The containers of container group '%s' request %g GB of memory together. The limit is %g.", r.name, r.memory, r.maxMemoryGB)
	}
	if r.strict && len(r.faults) == 0 && (r.cpu < 1 || r.memory < 1) {
		r.add("InvalidResourceRequests", "properties.containers", "The containers of container group '%s' request %g CPU and %g GB of memory together. A group needs at least 1 CPU and 1 GB.", r.name, r.cpu, r.memory)
	}
	for _, l := range r.inLimit {
		r.checkTotal(l, "cpu", l.limits.CPU, r.cpu)
		r.checkTotal(l, "memoryInGB", l.limits.MemoryInGB, r.memory)
	}
}

// checkRequirements checks the resources of one container.
func (r *request) checkRequirements(path string, c *Container) {
	p, at := c.Properties, path+".properties.resources"
	if p.Resources == nil && !r.strict {
		cpu, memory := defaultCPU, defaultMemoryInGB
		p.Resources = &ResourceRequirements{Requests: &Resources{CPU: &cpu, MemoryInGB: &memory}}
	}
	q := (*Resources)(nil)
	if p.Resources != nil {
		q = p.Resources.Requests
	}
	if q == nil || q.CPU == nil && q.MemoryInGB == nil {
		r.add("ResourceRequestsNotSpecified", at+".requests",
			"The resource requests are not specified in container '%s' of contain group '%s'. Both memory and CPU requests are required since API version '2017-07-01-preview'.", clip(c.Name), r.name)
		return
	}
	r.refuse(at+".requests.gpu", q.GPU)
	whole := r.checkRequest(at+".requests.cpu", "CPU", c.Name, q.CPU)
	whole = r.checkRequest(at+".requests.memoryInGB", "MemoryInGB", c.Name, q.MemoryInGB) && whole
	if !whole {
		return
	}
	r.cpu += *q.CPU
	r.memory += *q.MemoryInGB
	l := p.Resources.Limits
	if l == nil {
		return
	}
	r.refuse(at+".limits.gpu", l.GPU)
	if l.CPU == nil && l.MemoryInGB == nil {
		p.Resources.Limits = nil
		return
	}
	ok := r.checkLimit(at+".limits.cpu", c.Name, l.CPU, *q.CPU)
	ok = r.checkLimit(at+".limits.memoryInGB", c.Name, l.MemoryInGB, *q.MemoryInGB) && ok
	if ok {
		r.inLimit = append(r.inLimit, limited{at + ".limits", c.Name, l})
	}
}

func (r *request) checkRequest(path, what, container string, v *float64) bool {
	switch {
	case v == nil:
		r.add("ResourceSomeRequestsNotSpecified", path,
			"The '%s' request is not specified in 'requests' in container '%s' of contain group '%s'. It is required since API version '2017-07-01-preview'.", what, clip(container), r.name)
		return false
	case *v <= 0:
		r.add("InvalidResourceRequests", path, "The %s request '%g' in container '%s' of container group '%s' is invalid. It must be greater than 0.", what, *v, clip(container), r.name)
		return false
	}
	return true
}

func (r *request) checkLimit(path, container string, limit *float64, request float64) bool {
	if limit == nil || *limit >= request {
		return true
	}
	r.add("InvalidResourceLimits", path, "The limit '%g' in container '%s' of container group '%s' is invalid. It must not be below the request '%g'.", *limit, clip(container), r.name, request)
	return false
}

// checkTotal: a limit may reach what the group has, and no further.
func (r *request) checkTotal(l limited, member string, limit *float64, total float64) {
	if limit != nil && *limit > total {
		r.add("InvalidResourceLimits", l.path+"."+member, "The limit '%g' in container '%s' of container group '%s' is invalid. It must not be above what all containers of the group request, '%g'.", *limit, clip(l.name), r.name, total)
	}
}
