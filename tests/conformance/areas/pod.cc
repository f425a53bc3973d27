// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/pod.h"

namespace fixpoint::conformance {
namespace {

const Edits& good_container_edits() {
  static const Edits kEdits{
      R"(/ports [{"containerPort":80},{"name":"dns","containerPort":53,"protocol":"UDP"}])",
      R"(/env [{"name":"A","value":"1"},{"name":"B"},{"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},{"name":"K","valueFrom":{"configMapKeyRef":{"name":"c","key":"k","optional":true}}},{"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},{"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}])",
      R"(/envFrom [{"configMapRef":{"name":"c"}},{"prefix":"P_","secretRef":{"name":"s","optional":true}}])",
      R"(/resources {"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":"0.5","memory":"128Mi"}})",
      R"(/resources {"limits":{"cpu":"1","memory":"1Gi","ephemeral-storage":"2G"}})",
      R"(/resources {"limits":{"example.com/gpu":"2"},"requests":{"example.com/gpu":"2"}})",
      R"(/livenessProbe {"httpGet":{"path":"/live","port":8080}})",
      R"(/livenessProbe {"httpGet":{"port":"web","scheme":"HTTPS","httpHeaders":[{"name":"X-A","value":"b"}]},"terminationGracePeriodSeconds":5})",
      R"(/readinessProbe {"tcpSocket":{"port":80},"initialDelaySeconds":3,"successThreshold":2})",
      R"(/startupProbe {"exec":{"command":["true"]},"failureThreshold":30,"periodSeconds":2})",
      R"(/livenessProbe {"grpc":{"port":9000}})",
      R"(/readinessProbe {"grpc":{"port":9000,"service":"ready"},"timeoutSeconds":4})",
      R"(/lifecycle {"preStop":{"exec":{"command":["sleep","1"]}},"postStart":{"httpGet":{"port":80,"path":"/"}}})",
      R"(/lifecycle {"preStop":{"sleep":{"seconds":3}}})",
      R"(/securityContext {"runAsNonRoot":true,"runAsUser":1000,"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"],"add":["NET_BIND_SERVICE"]},"readOnlyRootFilesystem":true,"seccompProfile":{"type":"RuntimeDefault"}})",
      R"(/securityContext {"privileged":true})",
      R"(/securityContext {"procMount":"Default","seLinuxOptions":{"level":"s0:c1"}})",
      R"(/imagePullPolicy "Never")",
      R"(/image "app.example/app:latest")",
      R"(/image "app.example/app@sha256:0123456789012345678901234567890123456789012345678901234567890123")",
      R"(/image "app")",
      R"(/command ["sh","-c"])"
      "\n"
      R"-(/args ["sleep $(A)"])-"
      "\n"
      R"(/workingDir "/tmp")",
      R"(/terminationMessagePath "/tmp/end")"
      "\n"
      R"(/terminationMessagePolicy "FallbackToLogsOnError")",
      R"(/stdin true)"
      "\n"
      R"(/tty true)"
      "\n"
      R"(/stdinOnce true)",
      R"(/resizePolicy [{"resourceName":"cpu","restartPolicy":"NotRequired"}])",
  };
  return kEdits;
}

const Edits& bad_container_edits() {
  static const Edits kEdits{
      R"(- /name)",
      R"(/name "Main")",
      R"(/name "")",
      R"(/image "")",
      R"(/image " app")",
      R"(/imagePullPolicy "Sometimes")",
      R"(/ports [{"containerPort":0}])",
      R"(/ports [{"containerPort":70000}])",
      R"(/ports [{"name":"a-name-that-is-too-long","containerPort":80}])",
      R"(/ports [{"name":"x","containerPort":80},{"name":"x","containerPort":81}])",
      R"(/ports [{"containerPort":80,"protocol":"ICMP"}])",
      R"(/ports [{"containerPort":80},{"containerPort":80}])",
      R"(/ports [{"containerPort":80,"hostPort":99999}])",
      R"(/env [{"value":"1"}])",
      R"(/env [{"name":"","value":"1"}])",
      R"(/env [{"name":"A=B","value":"1"}])",
      R"(/env [{"name":"A","value":"1"},{"name":"A","value":"2"}])",
      R"(/env [{"name":"A","value":"1","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])",
      R"(/env [{"name":"A","valueFrom":{}}])",
      R"(/env [{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.nothing"}}}])",
      R"(/env [{"name":"A","valueFrom":{"configMapKeyRef":{"name":"c"}}}])",
      R"(/env [{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"a/b"}}}])",
      R"(/env [{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.disk"}}}])",
      R"(/envFrom [{}])",
      R"(/envFrom [{"configMapRef":{"name":""}}])",
      R"(/resources {"requests":{"cpu":"2"},"limits":{"cpu":"1"}})",
      R"(/resources {"requests":{"cpu":"-1"}})",
      R"(/resources {"requests":{"cpu":"lots"}})",
      R"(/resources {"requests":{"disk":"1"}})",
      R"(/resources {"requests":{"example.com/gpu":"1"}})",
      R"(/resources {"limits":{"example.com/gpu":"500m"}})",
      R"(/resources {"requests":{"hugepages-2Mi":"2Mi"},"limits":{"hugepages-2Mi":"2Mi"}})",
      R"(/livenessProbe {})",
      R"(/livenessProbe {"httpGet":{"port":0}})",
      R"(/livenessProbe {"httpGet":{"port":"Web Port"}})",
      R"(/livenessProbe {"httpGet":{"port":80},"exec":{"command":["x"]}})",
      R"(/livenessProbe {"httpGet":{"port":80},"successThreshold":2})",
      R"(/livenessProbe {"httpGet":{"port":80},"periodSeconds":-1})",
      R"(/livenessProbe {"httpGet":{"port":80,"scheme":"FTP"}})",
      R"(/readinessProbe {"tcpSocket":{"port":80},"terminationGracePeriodSeconds":3})",
      R"(/startupProbe {"exec":{}})",
      R"(/startupProbe {"exec":{"command":["x"]},"timeoutSeconds":-2})",
      R"(/lifecycle {"preStop":{}})",
      R"(/lifecycle {"postStart":{"sleep":{"seconds":-3}}})",
      R"(/securityContext {"runAsUser":-1})",
      R"(/securityContext {"privileged":true,"allowPrivilegeEscalation":false})",
      R"(/securityContext {"seccompProfile":{"type":"Localhost"}})",
      R"(/securityContext {"seccompProfile":{"type":"RuntimeDefault","localhostProfile":"x"}})",
      R"(/securityContext {"procMount":"Masked"})",
      R"(/terminationMessagePolicy "Always")",
      R"(/volumeMounts [{"name":"none","mountPath":"/a"}])",
      R"(/volumeMounts [{"mountPath":"/a"}])",
      R"(/resizePolicy [{"resourceName":"disk","restartPolicy":"NotRequired"}])",
      R"(/restartPolicy "Always")",
      R"(/unknown 1)",
      R"(/ports {"containerPort":80})",
      R"(/command "sh")",
      R"(/env [{"name":"A","value":1}])",
      R"(/stdin "yes")",
  };
  return kEdits;
}

std::string mounted(std::string_view volume, std::string_view mount = R"("mountPath":"/data")") {
  return R"(/volumes [{"name":"v",)" + std::string{volume} +
         "}]\n"
         R"(/containers/0/volumeMounts [{"name":"v",)" +
         std::string{mount} + "}]";
}

Edits good_volume_edits() {
  return {
      mounted(R"("emptyDir":{})"),
      mounted(R"("emptyDir":{"medium":"Memory","sizeLimit":"64Mi"})"),
      mounted(R"("configMap":{"name":"c"})"),
      mounted(
          R"("configMap":{"name":"c","defaultMode":256,"items":[{"key":"k","path":"p/q","mode":420}]})"),
      mounted(R"("secret":{"secretName":"s","optional":true})",
              R"("mountPath":"/s","readOnly":true)"),
      mounted(R"("hostPath":{"path":"/var/log"})"),
      mounted(R"("hostPath":{"path":"/var/log","type":"DirectoryOrCreate"})",
              R"("mountPath":"/l","mountPropagation":"HostToContainer")"),
      mounted(R"("persistentVolumeClaim":{"claimName":"data"})",
              R"("mountPath":"/d","subPath":"a/b")"),
      mounted(
          R"("downwardAPI":{"items":[{"path":"labels","fieldRef":{"fieldPath":"metadata.labels"}}]})"),
      mounted(
          R"("projected":{"sources":[{"serviceAccountToken":{"path":"token"}},{"configMap":{"name":"c"}},{"secret":{"name":"s"}},{"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.name"}}]}}]})"),
      mounted(
          R"("ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}})"),
      mounted(R"("nfs":{"server":"nfs.example","path":"/x"})"),
      mounted(R"("csi":{"driver":"csi.example.com","volumeAttributes":{"a":"b"}})"),
      mounted(
          R"("iscsi":{"targetPortal":"10.0.0.1:3260","iqn":"iqn.2001-04.com.example:storage.disk1","lun":0})"),
      mounted(R"("gcePersistentDisk":{"pdName":"d"})"),
      mounted(R"("image":{"reference":"app.example/data:1"})"),
      R"(/volumes [{"name":"v"}])",
  };
}

Edits bad_volume_edits() {
  return {
      mounted(R"("emptyDir":{"sizeLimit":"-1"})"),
      mounted(R"("emptyDir":{},"configMap":{"name":"c"})"),
      mounted(R"("configMap":{"name":""})"),
      mounted(R"("configMap":{"name":"c","defaultMode":512})"),
      mounted(R"("configMap":{"name":"c","items":[{"key":"k","path":"../p"}]})"),
      mounted(R"("secret":{})"),
      mounted(R"("hostPath":{"path":""})"),
      mounted(R"("hostPath":{"path":"/a/../b"})"),
      mounted(R"("hostPath":{"path":"/a","type":"Folder"})"),
      mounted(R"("persistentVolumeClaim":{})"),
      mounted(R"("downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"status.podIP"}}]})"),
      mounted(R"("nfs":{"path":"/x"})"),
      mounted(R"("emptyDir":{})", R"("mountPath":"")"),
      mounted(R"("emptyDir":{})", R"("mountPath":"/a","subPath":"/b")"),
      mounted(R"("emptyDir":{})", R"("mountPath":"/a","mountPropagation":"Both")"),
      R"(/volumes [{"name":"V"}])",
      R"(/volumes [{"name":"v"},{"name":"v"}])",
      R"(/volumes [{"emptyDir":{}}])",
      mounted(R"("emptyDir":{}},{"name":"w","emptyDir":{})",
              R"("mountPath":"/a"},{"name":"w","mountPath":"/a")"),
  };
}

Edits good_spec_edits() {
  return {
      R"(/initContainers [{"name":"init","image":"app.example/init:1","resources":{"limits":{"cpu":"1"}}}])",
      R"(/initContainers [{"name":"side","image":"app.example/side:1","restartPolicy":"Always"}])",
      R"(/containers/1 {"name":"second","image":"app.example/second"})",
      R"(/hostNetwork true)",
      R"(/hostNetwork true)"
      "\n"
      R"(/containers/0/ports [{"containerPort":8080}])",
      R"(/dnsPolicy "None")"
      "\n"
      R"(/dnsConfig {"nameservers":["10.1.1.1"],"searches":["a.example"],"options":[{"name":"ndots","value":"2"}]})",
      R"(/terminationGracePeriodSeconds 5)",
      R"(/nodeSelector {"disk":"ssd"})",
      R"(/nodeName "node-1")",
      R"(/tolerations [{"key":"a","operator":"Exists","effect":"NoSchedule"},{"key":"b","value":"c","effect":"NoExecute","tolerationSeconds":30}])",
      R"(/tolerations [{"operator":"Exists"}])",
      R"(/tolerations [{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":7}])",
      R"(/affinity {"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]},{"key":"cores","operator":"Gt","values":["3"]}]}]},"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"preference":{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}}]}})",
      R"(/affinity {"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"x"}}}],"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"topologyKey":"zone","namespaces":["n"],"labelSelector":{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}}}]}})",
      R"(/topologySpreadConstraints [{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"x"}}}])",
      R"(/securityContext {"runAsUser":1,"fsGroup":2,"supplementalGroups":[3,4],"sysctls":[{"name":"net.ipv4.ip_local_port_range","value":"1 2"}],"fsGroupChangePolicy":"OnRootMismatch"})",
      R"(/serviceAccountName "builder")",
      R"(/serviceAccount "builder")",
      R"(/automountServiceAccountToken false)",
      R"(/imagePullSecrets [{"name":"pull"}])",
      R"(/hostname "web-0")"
      "\n"
      R"(/subdomain "web")",
      R"(/hostAliases [{"ip":"10.0.0.9","hostnames":["a.example","b"]}])",
      R"(/enableServiceLinks false)",
      R"(/shareProcessNamespace true)",
      R"(/hostPID true)"
      "\n"
      R"(/hostIPC true)",
      R"(/readinessGates [{"conditionType":"example.com/ready"}])",
      R"(/runtimeClassName "gone")",
      R"(/priorityClassName "system-node-critical")",
      R"(/preemptionPolicy "PreemptLowerPriority")",
      R"(/schedulerName "mine")",
      R"(/os {"name":"linux"})",
      R"(/setHostnameAsFQDN true)",
      R"(/schedulingGates [{"name":"example.com/hold"}])",
      R"(/overhead {"cpu":"1m"})",
      R"(/activeDeadlineSeconds 60)",
  };
}

Edits bad_spec_edits() {
  return {
      R"(/containers [])",
      R"(- /containers)",
      R"(/containers/1 {"name":"main","image":"x"})",
      R"(/initContainers [{"name":"main","image":"x"}])",
      R"(/initContainers [{"name":"init","image":"x","readinessProbe":{"exec":{"command":["a"]}}}])",
      R"(/initContainers [{"name":"init","image":"x","restartPolicy":"Never"}])",
      R"(/restartPolicy "Sometimes")",
      R"(/dnsPolicy "Mine")",
      R"(/dnsPolicy "None")",
      R"(/dnsConfig {"nameservers":["x"]})",
      R"(/terminationGracePeriodSeconds -1)",
      R"(/nodeSelector {"a b":"c"})",
      R"(/nodeName "Node_1")",
      R"(/tolerations [{"key":"a b"}])",
      R"(/tolerations [{"operator":"Exists","value":"x"}])",
      R"(/tolerations [{"key":"a","operator":"Near"}])",
      R"(/tolerations [{"key":"a","effect":"NoSchedule","tolerationSeconds":3}])",
      R"(/affinity {"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}})",
      R"(/affinity {"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":{}}]}})",
      R"(/affinity {"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}})",
      R"(/affinity {"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z","labelSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}]}})",
      R"(/topologySpreadConstraints [{"maxSkew":0,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}])",
      R"(/topologySpreadConstraints [{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"Maybe"}])",
      R"(/securityContext {"runAsUser":-5})",
      R"(/securityContext {"sysctls":[{"name":"a..b","value":"1"}]})",
      R"(/securityContext {"fsGroupChangePolicy":"Never"})",
      R"(/serviceAccountName "Builder")",
      R"(/hostname "web.0")",
      R"(/subdomain "Web")",
      R"(/hostAliases [{"ip":"x","hostnames":["a"]}])",
      R"(/hostAliases [{"ip":"10.0.0.9","hostnames":["A_b"]}])",
      R"(/readinessGates [{"conditionType":"not ready"}])",
      R"(/runtimeClassName "No")",
      R"(/os {"name":"plan9"})",
      R"(/os {"name":"windows"})"
      "\n"
      R"(/hostPID true)",
      R"(/activeDeadlineSeconds 0)",
      R"(/priorityClassName "no-such-class")",
      R"(/schedulingGates [{"name":"a"},{"name":"a"}])",
      R"(/overhead {"cpu":"-1m"})",
      R"(/hostNetwork true)"
      "\n"
      R"(/containers/0/ports [{"containerPort":80,"hostPort":81}])",
      R"(/hostPID true)"
      "\n"
      R"(/shareProcessNamespace true)",
      R"(/hostUsers false)"
      "\n"
      R"(/hostNetwork true)",
      R"(/preemptionPolicy "Never")",
      R"(/priority 5)",
      R"(/nodeSelector ["a"])",
      R"(/unknown {"a":1})",
  };
}

}  // namespace

// What a pod says of itself as a whole, and what is only advised against.
const Edits& whole_pod_edits() {
  static const Edits kEdits{
      R"(/resources {"limits":{"cpu":"1"}})",
      R"(/resources {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}})",
      R"(/resources {"requests":{"cpu":"1"}})",
      R"(/resources {"limits":{"cpu":"2"}}
/containers/0/resources {"requests":{"cpu":"500m"},"limits":{"memory":"64Mi"}})",
      R"(/resources {"limits":{"memory":"1Gi"}}
/initContainers [{"name":"init","image":"x","resources":{"requests":{"cpu":"300m","memory":"1Mi"}}}])",
      R"(/resources {"limits":{"cpu":"1","hugepages-2Mi":"4Mi"}})",
      R"(/resources {})",
      R"(/resources {"limits":{},"requests":{}})",
      R"(/initContainers [{"name":"side","image":"x","restartPolicy":"Always","resources":{"limits":{"cpu":"1"}}},{"name":"init","image":"x","resources":{"limits":{"cpu":"1"}}}])",
      R"(/resourceClaims [{"name":"gpu","resourceClaimName":"c"}]
/containers/0/resources {"claims":[{"name":"gpu"}]})",
      R"(/resourceClaims [{"name":"gpu","resourceClaimTemplateName":"t"}]
/containers/0/resources {"claims":[{"name":"gpu","request":"a"},{"name":"gpu","request":"b"}]})",
      R"(/hostAliases [{"ip":"010.0.0.1","hostnames":["a"]},{"ip":"10.0.0.1","hostnames":["b"]}])",
      R"(/hostAliases [{"ip":"10.0.0.1","hostnames":["a"]},{"ip":"10.0.0.1","hostnames":["b"]}])",
      R"(/dnsConfig {"nameservers":["fd00:0::1","::ffff:1.2.3.4"]})",
      R"(/containers/0/ports [{"name":"a","containerPort":80},{"containerPort":80,"hostPort":81}])",
      R"(/containers/0/ports [{"containerPort":80,"hostPort":80},{"containerPort":80,"hostPort":80,"hostIP":"10.0.0.1"}])",
      R"(/containers/0/ports [{"containerPort":80,"hostIP":"10.0.0.1"}])",
      R"(/containers/0/ports [{"name":"a","containerPort":80}]
/initContainers [{"name":"side","image":"x","restartPolicy":"Always","ports":[{"name":"a","containerPort":81}]}])",
      R"(/containers/0/env [{"name":"A","value":"1"},{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])",
      R"-(/containers/0/env [{"name":"A","value":"1"},{"name":"A","value":"$(A)"}])-",
      R"(/imagePullSecrets [{"name":"a"},{"name":"a"},{}])",
      R"(/volumes [{"name":"v","configMap":{"name":"c","items":[{"key":"a","path":"p"},{"key":"b","path":"p/q"}]}}])",
      R"(/volumes [{"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"a","path":"p"}]}},{"configMap":{"name":"c","items":[{"key":"a","path":"p/q"}]}}]}}])",
      R"(/affinity {"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"beta.kubernetes.io/os","operator":"In","values":["a b"]}]}}]}})",
      R"(/affinity {"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone"}]}})",
      R"(/topologySpreadConstraints [{"maxSkew":1,"topologyKey":"beta.kubernetes.io/arch","whenUnsatisfiable":"ScheduleAnyway"}])",
  };
  return kEdits;
}

const Edits& bad_whole_pod_edits() {
  static const Edits kEdits{
      R"(/resources {"requests":{"cpu":"1"}}
/containers/0/resources {"requests":{"cpu":"3"}})",
      R"(/resources {"requests":{"cpu":"3"},"limits":{"cpu":"1"}})",
      R"(/resources {"requests":{"ephemeral-storage":"3"}})",
      R"(/resources {"limits":{"example.com/x":"1"}})",
      R"(/resources {"limits":{"hugepages-2Mi":"4Mi"}})",
      R"(/resources {"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}})",
      R"(/resources {"limits":{"cpu":"-1"}})",
      R"(/resources {"limits":{"cpu":"1"},"claims":[{"name":"x"}]})",
      R"(/resources {"limits":{"cpu":"1"}}
/os {"name":"windows"})",
      R"(/resources {"limits":{"memory":"1Mi"}}
/containers/0/resources {"limits":{"memory":"2Mi"}})",
      R"(/containers/0/resources {"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}})",
      R"(/containers/0/resources {"claims":[{"name":"gpu"}]})",
      R"(/containers/0/resources {"claims":[{}]})",
      R"(/resourceClaims [{"name":"gpu","resourceClaimName":"c"}]
/containers/0/resources {"claims":[{"name":"gpu"},{"name":"gpu"}]})",
      R"(/resourceClaims [{"name":"gpu","resourceClaimName":"c"}]
/containers/0/resources {"claims":[{"name":"gpu","request":"a"},{"name":"gpu"}]})",
      R"(/resourceClaims [{"name":"gpu"}])",
      R"(/resourceClaims [{"name":"gpu","resourceClaimName":"c","resourceClaimTemplateName":"t"}])",
      R"(/resourceClaims [{"name":"GPU","resourceClaimName":"C"},{"resourceClaimTemplateName":"T!"}])",
      R"(/overhead {})",
      R"(/overhead {"cpu":"1"})",
      R"(/volumes [{"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"a","path":"p"}]}},{"configMap":{"name":"c","items":[{"key":"a","path":"p"}]}}]}}])",
  };
  return kEdits;
}

const Edits& good_pod_edits() {
  static const Edits kEdits = joined({good_spec_edits(), good_volume_edits(), whole_pod_edits(),
                                      under("/containers/0", good_container_edits())});
  return kEdits;
}

const Edits& bad_pod_edits() {
  static const Edits kEdits = joined({bad_spec_edits(), bad_volume_edits(), bad_whole_pod_edits(),
                                      under("/containers/0", bad_container_edits())});
  return kEdits;
}

const Edits& pod_template_edits() {
  static const Edits kEdits{
      R"(/containers/0/image "app.example/app:2")",
      R"(/containers/0/image "")",
      R"(/containers/0/env [{"name":"A","value":"2"}])",
      R"(/containers/0/resources {"requests":{"cpu":"0.25"}})",
      R"(/terminationGracePeriodSeconds 9)",
      R"(/nodeSelector {"disk":"hdd"})",
      R"(/volumes [{"name":"v","emptyDir":{}}])",
      R"(/serviceAccountName "other")",
      R"(/hostNetwork true)",
      R"(/priorityClassName "system-cluster-critical")",
  };
  return kEdits;
}

}  // namespace fixpoint::conformance
