package containergroup

import "ludgate/internal/secret"

// Container is one container of a group (C-2.Container).
type Container struct {
	Name       string               `json:"name,omitzero"`
	Properties *ContainerProperties `json:"properties,omitzero"`
}

// ContainerProperties is what a container runs and what it gets. Ports and
// EnvironmentVariables stand in replies also when empty.
type ContainerProperties struct {
	Image                string                     `json:"image,omitzero"`
	Command              []string                   `json:"command,omitzero"`
	Ports                []Port                     `json:"ports"`
	EnvironmentVariables []EnvironmentVariable      `json:"environmentVariables"`
	Resources            *ResourceRequirements      `json:"resources,omitzero"`
	ConfigMap            *ConfigMap                 `json:"configMap,omitzero"`
	VolumeMounts         []VolumeMount              `json:"volumeMounts,omitzero"`
	LivenessProbe        *ContainerProbe            `json:"livenessProbe,omitzero"`
	ReadinessProbe       *ContainerProbe            `json:"readinessProbe,omitzero"`
	SecurityContext      *SecurityContextDefinition `json:"securityContext,omitzero"`
}

// InitContainerDefinition is a container that runs to its end before the
// containers start (C-2.InitContainerDefinition).
type InitContainerDefinition struct {
	Name       string                   `json:"name,omitzero"`
	Properties *InitContainerProperties `json:"properties,omitzero"`
}

// InitContainerProperties is what an init container runs.
type InitContainerProperties struct {
	Image                string                     `json:"image,omitzero"`
	Command              []string                   `json:"command,omitzero"`
	EnvironmentVariables []EnvironmentVariable      `json:"environmentVariables"`
	VolumeMounts         []VolumeMount              `json:"volumeMounts,omitzero"`
	SecurityContext      *SecurityContextDefinition `json:"securityContext,omitzero"`
}

// EnvironmentVariable is one variable. SecureValue never comes back.
type EnvironmentVariable struct {
	Name                 string      `json:"name,omitzero"`
	Value                *string     `json:"value,omitzero"`
	SecureValue          secret.Text `json:"secureValue,omitzero"`
	SecureValueReference string      `json:"secureValueReference,omitzero"`
}

// ResourceRequirements is what a container is promised and may use at most.
type ResourceRequirements struct {
	Requests *Resources `json:"requests,omitzero"`
	Limits   *Resources `json:"limits,omitzero"`
}

// Resources are ResourceRequests, where CPU and MemoryInGB are required, or
// ResourceLimits. CPU is in cores, MemoryInGB in units of 2^30 bytes.
type Resources struct {
	CPU        *float64     `json:"cpu,omitzero"`
	MemoryInGB *float64     `json:"memoryInGB,omitzero"`
	GPU        *GPUResource `json:"gpu,omitzero"`
}

// GPUResource is a number of graphics processors of one kind.
type GPUResource struct {
	Count *int32 `json:"count,omitzero"`
	SKU   string `json:"sku,omitzero"`
}

// ConfigMap is a set of files by name.
type ConfigMap struct {
	KeyValuePairs map[string]string `json:"keyValuePairs,omitzero"`
}

// VolumeMount puts a volume at a path of a container.
type VolumeMount struct {
	Name      string `json:"name,omitzero"`
	MountPath string `json:"mountPath,omitzero"`
	ReadOnly  *bool  `json:"readOnly,omitzero"`
}

// ContainerProbe asks a container how it is.
type ContainerProbe struct {
	Exec                *ContainerExec    `json:"exec,omitzero"`
	HTTPGet             *ContainerHTTPGet `json:"httpGet,omitzero"`
	FailureThreshold    *int32            `json:"failureThreshold,omitzero"`
	InitialDelaySeconds *int32            `json:"initialDelaySeconds,omitzero"`
	PeriodSeconds       *int32            `json:"periodSeconds,omitzero"`
	SuccessThreshold    *int32            `json:"successThreshold,omitzero"`
	TimeoutSeconds      *int32            `json:"timeoutSeconds,omitzero"`
}

// ContainerExec is a command whose exit code decides.
type ContainerExec struct {
	Command []string `json:"command,omitzero"`
}

// ContainerHTTPGet is a request whose status decides.
type ContainerHTTPGet struct {
	HTTPHeaders []HTTPHeader `json:"httpHeaders,omitzero"`
	Path        string       `json:"path,omitzero"`
	Port        *int32       `json:"port,omitzero"`
	Scheme      string       `json:"scheme,omitzero"`
}

// HTTPHeader is one header of a probe's request.
type HTTPHeader struct {
	Name  string `json:"name,omitzero"`
	Value string `json:"value,omitzero"`
}

// SecurityContextDefinition is what a container's process may do.
type SecurityContextDefinition struct {
	AllowPrivilegeEscalation *bool                        `json:"allowPrivilegeEscalation,omitzero"`
	Capabilities             *SecurityContextCapabilities `json:"capabilities,omitzero"`
	Privileged               *bool                        `json:"privileged,omitzero"`
	RunAsGroup               *int32                       `json:"runAsGroup,omitzero"`
	RunAsUser                *int32                       `json:"runAsUser,omitzero"`
	SeccompProfile           string                       `json:"seccompProfile,omitzero"`
}

// SecurityContextCapabilities are added to and taken from the usual ones.
type SecurityContextCapabilities struct {
	Add  []string `json:"add,omitzero"`
	Drop []string `json:"drop,omitzero"`
}
