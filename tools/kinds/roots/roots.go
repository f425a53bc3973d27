// SPDX-License-Identifier: Apache-2.0
//
// The kinds we serve, the bodies of their subresources, and discovery. Everything else is reached from these.
package roots

import (
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// All of them, as zero values.
func All() []any {
	return []any{
		meta.DeleteOptions{}, meta.Status{}, meta.WatchEvent{},
		meta.CreateOptions{}, meta.UpdateOptions{}, meta.PatchOptions{}, meta.ListOptions{}, meta.GetOptions{},
		core.Binding{}, core.ComponentStatusList{}, core.ConfigMapList{}, core.EndpointsList{}, core.EventList{},
		core.LimitRangeList{}, core.NamespaceList{}, core.NodeList{}, core.PersistentVolumeClaimList{},
		core.PersistentVolumeList{}, core.PodList{}, core.PodTemplateList{}, core.ReplicationControllerList{},
		core.ResourceQuotaList{}, core.SecretList{}, core.ServiceAccountList{}, core.ServiceList{},
		apps.ControllerRevisionList{}, apps.DaemonSetList{}, apps.DeploymentList{}, apps.ReplicaSetList{},
		apps.StatefulSetList{},
		batch.JobList{}, batch.CronJobList{},
		policy.PodDisruptionBudgetList{}, policy.Eviction{},
		autoscaling.HorizontalPodAutoscalerList{}, autoscalingv1.HorizontalPodAutoscalerList{}, autoscalingv1.Scale{},
		networking.IngressList{}, networking.IngressClassList{}, networking.NetworkPolicyList{},
		networking.IPAddressList{}, networking.ServiceCIDRList{},
		storage.StorageClassList{}, storage.CSIDriverList{}, storage.CSINodeList{}, storage.CSIStorageCapacityList{},
		storage.VolumeAttachmentList{}, storage.VolumeAttributesClassList{},
		coordination.LeaseList{}, discovery.EndpointSliceList{}, events.EventList{},
		rbac.RoleList{}, rbac.RoleBindingList{}, rbac.ClusterRoleList{}, rbac.ClusterRoleBindingList{},
		scheduling.PriorityClassList{}, node.RuntimeClassList{},
		admissionregistration.MutatingWebhookConfigurationList{}, admissionregistration.ValidatingWebhookConfigurationList{},
		admissionregistration.ValidatingAdmissionPolicyList{}, admissionregistration.ValidatingAdmissionPolicyBindingList{},
		certificates.CertificateSigningRequestList{},
		apiextensions.CustomResourceDefinitionList{}, apiregistration.APIServiceList{},
		flowcontrol.FlowSchemaList{}, flowcontrol.PriorityLevelConfigurationList{},
		resource.DeviceClassList{}, resource.ResourceClaimList{}, resource.ResourceClaimTemplateList{},
		resource.ResourceSliceList{},
		authentication.TokenReview{}, authentication.SelfSubjectReview{}, authentication.TokenRequest{},
		authorization.SubjectAccessReview{}, authorization.SelfSubjectAccessReview{},
		authorization.LocalSubjectAccessReview{}, authorization.SelfSubjectRulesReview{},
	}
}

// Documents are what a server answers that is no object: discovery and its version.
func Documents() []any {
	return []any{meta.APIVersions{}, meta.APIGroupList{}, meta.APIResourceList{}, version.Info{}}
}
