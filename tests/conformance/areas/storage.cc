// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/storage.h"

namespace fixpoint::conformance {
namespace {

Subject claim() {
  return {
      .sort =
          {"v1",
                 "PersistentVolumeClaim", "persistentvolumeclaims",
                 true, R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
                 {},
                 true},
      .good =
          {R"(/spec/storageClassName "")", R"(/spec/storageClassName "fast")",
                 R"(/spec/volumeMode "Block")", R"(/spec/selector {"matchLabels":{"a":"b"}})",
                 R"(/spec/volumeName "pv-x")", R"(/spec/accessModes ["ReadWriteMany","ReadOnlyMany"])",
                 R"(/spec/accessModes ["ReadWriteOncePod"])", R"(/spec/dataSource {"kind":"PersistentVolumeClaim","name":"from"})",
                 R"(/spec/dataSource {"apiGroup":"snapshot.storage.k8s.io","kind":"VolumeSnapshot","name":"from"})",
                 R"(/spec/dataSourceRef {"apiGroup":"example.com","kind":"Pop","name":"from"})", R"(/spec/resources/limits {"storage":"2Gi"})",
                 R"(/spec/volumeAttributesClassName "gold")", R"(/metadata/annotations {"volume.beta.kubernetes.io/storage-class":"old"})"},
      .bad = {R"(- /spec/accessModes)", R"(/spec/accessModes [])",
                 R"(/spec/accessModes ["WriteOnly"])", R"(/spec/accessModes ["ReadWriteOncePod","ReadOnlyMany"])", R"(- /spec/resources)",
                 R"(/spec/resources/requests {"cpu":"1"})", R"(/spec/resources/requests {"storage":"0"})",
                 R"(/spec/resources/requests {"storage":"-1Gi"})", R"(/spec/resources/requests {"storage":"much"})",
                 R"(/spec/storageClassName "Bad_Class")", R"(/spec/volumeMode "Tape")",
                 R"(/spec/selector {"matchExpressions":[{"key":"a","operator":"In"}]})", R"(/spec/dataSource {"kind":"PersistentVolumeClaim"})",
                 R"(/spec/dataSourceRef {"kind":"Pop","name":"from"})", R"(/spec/resources/limits {"storage":"500Mi"})", R"(- /spec)",
                 R"(/spec/dataSource {"kind":"PersistentVolumeClaim","name":"from"}
/spec/dataSourceRef {"kind":"PersistentVolumeClaim","name":"other"})"},
      .changes = joined(
          {metadata_edits(),
                 {R"(/spec/resources/requests/storage "2Gi")",
            R"(/spec/resources/requests/storage "500Mi")", R"(/spec/accessModes ["ReadWriteMany"])",
            R"(/spec/volumeName "pv-y")", R"(/spec/storageClassName "other")",
            R"(/spec/volumeMode "Block")", R"(/spec/volumeAttributesClassName "silver")",
            R"(/spec/selector {"matchLabels":{"c":"d"}})"}}
           ),
      .status =
          {R"(/status {"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}})",
                 R"(/status/phase "Lost")", R"(/status/capacity {"storage":"-1"})",
                 R"(/status/conditions [{"type":"Resizing","status":"True","lastTransitionTime":"2024-01-01T00:00:00Z"}])",
                 R"(/status/allocatedResources {"storage":"2Gi"})", R"(/status/allocatedResourceStatuses {"storage":"ControllerResizeInProgress"})"},
  };
}

Subject volume() {
  return {
      .sort =
          {"v1",
                 "PersistentVolume", "persistentvolumes",
                 false, R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/data"}}})",
                 {},
                 true},
      .good = {R"(/spec/persistentVolumeReclaimPolicy "Delete"
/spec/hostPath {"path":"/tmp"})",
                 R"(- /spec/hostPath
/spec/nfs {"server":"nfs.example","path":"/x"})", R"(- /spec/hostPath
/spec/csi {"driver":"csi.example.com","volumeHandle":"h"})",
                 R"(- /spec/hostPath
/spec/local {"path":"/mnt"}
/spec/nodeAffinity {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["n"]}]}]}})", R"(/spec/storageClassName "slow")", R"(/spec/mountOptions ["ro"])",
                 R"(/spec/volumeMode "Filesystem")", R"(/spec/claimRef {"namespace":"<<ns>>","name":"c"})",
                 R"(/spec/accessModes ["ReadWriteOnce","ReadOnlyMany"])"},
      .bad = {R"(- /spec/capacity)", R"(/spec/capacity {"storage":"-1Gi"})",
                 R"(/spec/capacity {"cpu":"1"})", R"(- /spec/accessModes)",
                 R"(/spec/accessModes ["Sometimes"])", R"(- /spec/hostPath)",
                 R"(/spec/nfs {"server":"s","path":"/x"})", R"(/spec/hostPath {"path":"/a/.."})",
                 R"(/spec/persistentVolumeReclaimPolicy "Burn")", R"(/spec/volumeMode "Tape")",
                 R"(/spec/storageClassName "Bad_Class")", R"(/spec/claimRef {"namespace":"n"})",
                 R"(/spec/hostPath {"path":"/"}
/spec/persistentVolumeReclaimPolicy "Recycle")", R"(- /spec/hostPath
/spec/local {"path":"/mnt"})",
                 R"(- /spec/hostPath
/spec/csi {"driver":"csi.example.com"})", R"(- /spec)"},
      .changes = joined(
          {metadata_edits(),
                 {R"(/spec/capacity/storage "2Gi")", R"(/spec/hostPath/path "/other")",
            R"(/spec/persistentVolumeReclaimPolicy "Delete")", R"(/spec/storageClassName "x")",
            R"(/spec/accessModes ["ReadOnlyMany"])", R"(/spec/volumeMode "Block")",
            R"(/spec/claimRef {"namespace":"<<ns>>","name":"c"})",
            R"(/spec/nodeAffinity {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"z","operator":"Exists"}]}]}})"}}
           ),
      .status = {R"(/status/phase "Available")", R"(/status/phase "Bound")",
                 R"(/status {"phase":"Failed","message":"m","reason":"R"})"},
  };
}

Subject storage_class() {
  return {
      .sort = {"storage.k8s.io/v1",
               "StorageClass", "storageclasses",
               false, R"({"provisioner":"csi.example.com"})",
               {}},
      .good = {R"(/parameters {"type":"fast"})", R"(/reclaimPolicy "Retain")",
               R"(/mountOptions ["ro"])", R"(/allowVolumeExpansion true)",
               R"(/volumeBindingMode "WaitForFirstConsumer")", R"(/allowedTopologies [{"matchLabelExpressions":[{"key":"zone","values":["a"]}]}])"},
      .bad =
          {R"(- /provisioner)", R"(/provisioner "Bad Name")", R"(/reclaimPolicy "Burn")",
               R"(/reclaimPolicy "Recycle")", R"(/volumeBindingMode "Never")",
               R"(/parameters {"":"x"})", R"(/allowedTopologies [{"matchLabelExpressions":[{"key":"zone","values":[]}]}])",
               R"(/allowedTopologies [{"matchLabelExpressions":[{"key":"z","values":["a"]},{"key":"z","values":["b"]}]}])"},
      .changes =
          joined({metadata_edits(),
               {R"(/provisioner "other.example.com")", R"(/parameters {"x":"y"})",
                   R"(/reclaimPolicy "Retain")", R"(/allowVolumeExpansion true)",
                   R"(/volumeBindingMode "WaitForFirstConsumer")", R"(/mountOptions ["rw"])"}}
        ),
  };
}

Subject attachment() {
  return {
      .sort =
          {"storage.k8s.io/v1",
                 "VolumeAttachment", "volumeattachments",
                 false, R"({"spec":{"attacher":"csi.example.com","nodeName":"node-1","source":{"persistentVolumeName":"pv"}}})",
                 {},
                 true},
      .good =
          {R"(/spec/source {"inlineVolumeSpec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"csi.example.com","volumeHandle":"h"}}})"},
      .bad =
          {R"(- /spec/attacher)", R"(- /spec/nodeName)", R"(- /spec/source)", R"(/spec/source {})",
                 R"(/spec/attacher "Bad Name")", R"(/spec/source {"persistentVolumeName":"pv","inlineVolumeSpec":{"csi":{"driver":"d","volumeHandle":"h"}}})"},
      .changes = joined(
          {metadata_edits(), {R"(/spec/nodeName "node-2")", R"(/spec/attacher "x.example.com")"}}
           ),
      .status =
          {R"(/status {"attached":true})",
                 R"(/status {"attached":true,"attachmentMetadata":{"a":"b"}})", R"(/status {"attached":false,"attachError":{"message":"m","time":"2024-01-01T00:00:00Z"}})"},
  };
}

Subject driver() {
  return {
      .sort = {"storage.k8s.io/v1", "CSIDriver", "csidrivers", false, R"({"spec":{}})", {}},
      .good = {R"(/spec/attachRequired false)", R"(/spec/podInfoOnMount true)",
               R"(/spec/fsGroupPolicy "File")", R"(/spec/volumeLifecycleModes ["Persistent","Ephemeral"])",
               R"(/spec/storageCapacity true)", R"(/spec/tokenRequests [{"audience":"a","expirationSeconds":3600}])",
               R"(/spec/requiresRepublish true)", R"(/spec/seLinuxMount true)",
               R"(/spec/nodeAllocatableUpdatePeriodSeconds 60)"},
      .bad = {R"(/spec/fsGroupPolicy "Some")", R"(/spec/volumeLifecycleModes ["Forever"])",
               R"(/spec/tokenRequests [{"audience":"a"},{"audience":"a"}])", R"(/spec/tokenRequests [{"audience":"a","expirationSeconds":1}])",
               R"(/metadata/name "Bad_Name")"},
      .changes = joined(
          {metadata_edits(),
               {R"(/spec/attachRequired false)", R"(/spec/podInfoOnMount true)",
            R"(/spec/fsGroupPolicy "None")", R"(/spec/storageCapacity true)",
            R"(/spec/volumeLifecycleModes ["Ephemeral"])", R"(/spec/requiresRepublish true)"}}
        ),
  };
}

Subject node_drivers() {
  return {
      .sort = {"storage.k8s.io/v1",
               "CSINode", "csinodes",
               false, R"({"spec":{"drivers":[{"name":"csi.example.com","nodeID":"n"}]}})",
               {}},
      .good = {R"(/spec/drivers [])", R"(/spec/drivers/0/topologyKeys ["zone"])",
               R"(/spec/drivers/0/allocatable {"count":5})"},
      .bad = {R"(/spec/drivers [{"name":"a","nodeID":""}])",
               R"(/spec/drivers [{"name":"a","nodeID":"n"},{"name":"a","nodeID":"m"}])", R"(/spec/drivers [{"name":"Bad Name","nodeID":"n"}])",
               R"(/spec/drivers/0/allocatable {"count":-1})", R"(/spec/drivers/0/topologyKeys ["a","a"])", R"(- /spec)"},
      .changes = joined({metadata_edits(),
               {R"(/spec/drivers/0/nodeID "m")", R"(/spec/drivers [])",
                          R"(/spec/drivers/0/allocatable {"count":9})"}}
        ),
  };
}

Subject capacity() {
  return {
      .sort = {"storage.k8s.io/v1",
               "CSIStorageCapacity", "csistoragecapacities",
               true, R"({"storageClassName":"fast"})",
               {}},
      .good = {R"(/capacity "10Gi")", R"(/maximumVolumeSize "1Gi")",
               R"(/nodeTopology {"matchLabels":{"a":"b"}})"},
      .bad = {R"(- /storageClassName)", R"(/storageClassName "Bad_Class")", R"(/capacity "-1")",
               R"(/nodeTopology {"matchExpressions":[{"key":"a","operator":"In"}]})"},
      .changes = joined({metadata_edits(),
               {R"(/storageClassName "x")", R"(/capacity "3Gi")",
                          R"(/nodeTopology {"matchLabels":{"a":"c"}})"}}
        ),
  };
}

Subject attributes_class() {
  return {
      .sort = {"storage.k8s.io/v1",
               "VolumeAttributesClass", "volumeattributesclasses",
               false, R"({"driverName":"csi.example.com","parameters":{"iops":"100"}})",
               {}},
      .good = {R"(/parameters {"iops":"5","x":"y"})"},
      .bad = {R"(- /driverName)", R"(- /parameters)", R"(/parameters {"":"x"})",
               R"(/driverName "Bad Name")"},
      .changes = joined(
          {metadata_edits(), {R"(/driverName "x.example.com")", R"(/parameters {"iops":"1"})"}}
        ),
  };
}

}  // namespace

const std::vector<Subject>& storage_subjects() {
  static const std::vector<Subject> kSubjects{
      claim(),      claim(),  claim(),        volume(),   volume(),          storage_class(),
      attachment(), driver(), node_drivers(), capacity(), attributes_class()};
  return kSubjects;
}

}  // namespace fixpoint::conformance
