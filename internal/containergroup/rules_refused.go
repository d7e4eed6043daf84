package containergroup

import (
	"reflect"
	"strings"
)

// What the contract has and Ludgate does not carry out yet is refused, member by
// member, rather than ignored. A member that is null, empty, or made of nothing
// but such members asks for nothing and is dropped.

// refuse notes that the member at path is not supported if v gives one.
func (r *request) refuse(path string, v any) bool {
	if !given(reflect.ValueOf(v)) {
		return false
	}
	r.add("FeatureNotSupported", path, "The property '%s' of container group '%s' is not supported by this server. Remove it from the request.", path, r.name)
	return true
}

// given reports whether a member of a record says anything. A pointer to a plain
// value (false, 0) does; empty text, lists, maps and records do not.
func given(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
		return v.Elem().Kind() != reflect.Struct || given(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if given(v.Field(i)) {
				return true
			}
		}
		return false
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() > 0
	default:
		return true
	}
}

// refuseGroup refuses members of the group.
func (r *request) refuseGroup() {
	r.refuseIdentity()
	p := r.Properties
	if p.SKU == SkuDedicated || p.SKU == SkuConfidential {
		r.refuse("properties.sku", p.SKU)
	}
	if p.Priority == Spot {
		r.refuse("properties.priority", p.Priority)
	}
	if r.strict {
		r.refuse("zones", r.Zones)
	}
	r.refuse("properties.confidentialComputeProperties", p.ConfidentialComputeProperties)
	r.profile = r.refuse("properties.containerGroupProfile", p.ContainerGroupProfile)
	r.refuse("properties.diagnostics", p.Diagnostics)
	r.refuse("properties.dnsConfig", p.DNSConfig)
	r.refuse("properties.encryptionProperties", p.EncryptionProperties)
	r.refuse("properties.extensions", p.Extensions)
	r.refuse("properties.identityAcls", p.IdentityACLs)
	r.refuse("properties.secretReferences", p.SecretReferences)
	r.refuse("properties.standbyPoolProfile", p.StandbyPoolProfile)
	r.refuse("properties.subnetIds", p.SubnetIDs)
	r.refuse("properties.volumes", p.Volumes)
	p.ConfidentialComputeProperties, p.ContainerGroupProfile, p.Diagnostics, p.DNSConfig = nil, nil, nil, nil
	p.EncryptionProperties, p.Extensions, p.IdentityACLs, p.SecretReferences = nil, nil, nil, nil
	p.StandbyPoolProfile, p.SubnetIDs, p.Volumes = nil, nil, nil
}

// refuseIdentity refuses every identity but None, which takes all away.
func (r *request) refuseIdentity() {
	id := r.Identity
	r.Identity = nil
	if id == nil || strings.EqualFold(string(id.Type), string(IdentityNone)) || !given(reflect.ValueOf(id)) {
		return
	}
	kind := ResourceIdentityType(strings.ReplaceAll(string(id.Type), " ", ""))
	switch kinds := strings.Split(string(IdentityBoth), ", "); {
	case kind == "", fold(&kind, IdentitySystem, IdentityUser, ResourceIdentityType(strings.Join(kinds, ","))):
		r.refuse("identity", id)
	default:
		r.notOneOf("InvalidIdentityType", "identity.type", "identity.type", "SystemAssigned|UserAssigned|SystemAssigned, UserAssigned|None")
	}
}

// refuseContainer refuses members of a container.
func (r *request) refuseContainer(path string, p *ContainerProperties) {
	if p.ConfigMap != nil {
		r.refuse(path+".configMap", p.ConfigMap.KeyValuePairs)
	}
	r.refuse(path+".volumeMounts", p.VolumeMounts)
	r.refuse(path+".livenessProbe", p.LivenessProbe)
	r.refuse(path+".readinessProbe", p.ReadinessProbe)
	r.refuse(path+".securityContext", p.SecurityContext)
	p.ConfigMap, p.VolumeMounts, p.LivenessProbe, p.ReadinessProbe, p.SecurityContext = nil, nil, nil, nil, nil
}

// refuseInitContainer refuses members of an init container.
func (r *request) refuseInitContainer(path string, p *InitContainerProperties) {
	r.refuse(path+".volumeMounts", p.VolumeMounts)
	r.refuse(path+".securityContext", p.SecurityContext)
	p.VolumeMounts, p.SecurityContext = nil, nil
}
