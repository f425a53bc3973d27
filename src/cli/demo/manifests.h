// SPDX-License-Identifier: Apache-2.0
//
// What the demo applies, as a person would write it.
#pragma once

#include <string_view>

namespace fixpoint::cli::demo {

// A kind of our own: databases, with a schema, defaults, a status and columns.
inline constexpr std::string_view kDefinition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: databases.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Database, plural: databases, singular: database, shortNames: [db]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Engine, type: string, jsonPath: .spec.engine}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Phase, type: string, jsonPath: .status.phase}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [engine]
            properties:
              engine: {type: string, enum: [postgres, valkey]}
              replicas: {type: integer, minimum: 1, maximum: 9, default: 1}
          status:
            type: object
            properties:
              phase: {type: string}
)";

inline constexpr std::string_view kOrders = R"(apiVersion: example.com/v1
kind: Database
metadata: {name: orders, namespace: shop}
spec: {engine: postgres, replicas: 3}
)";

// Says nothing of replicas: the schema's default does.
inline constexpr std::string_view kSessions = R"(apiVersion: example.com/v1
kind: Database
metadata: {name: sessions, namespace: shop}
spec: {engine: valkey}
)";

inline constexpr std::string_view kWrong = R"(apiVersion: example.com/v1
kind: Database
metadata: {name: wrong, namespace: shop}
spec: {engine: paper, replicas: 12}
)";

// What an autoscaler would apply: only the field it cares for.
inline constexpr std::string_view kScaled = R"(apiVersion: example.com/v1
kind: Database
metadata: {name: orders, namespace: shop}
spec: {replicas: 5}
)";

// Three programs that do nothing, to be seen coming and going.
inline constexpr std::string_view kWeb = R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: demo}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: web
        image: busybox:1.36
        command: [sh, -c, 'echo "web $VERSION"; exec sleep 86400']
        env: [{name: VERSION, value: "1"}]
)";

// The name by which each server of kValkey is found.
inline constexpr std::string_view kValkeyService = R"(apiVersion: v1
kind: Service
metadata: {name: valkey, namespace: demo}
spec:
  clusterIP: None
  selector: {app: valkey}
  ports: [{name: valkey, port: 6379}]
)";

// A write is acknowledged once it is on disk, and the disk outlives the pod.
inline constexpr std::string_view kValkey = R"(apiVersion: apps/v1
kind: StatefulSet
metadata: {name: valkey, namespace: demo}
spec:
  serviceName: valkey
  replicas: 3
  selector: {matchLabels: {app: valkey}}
  template:
    metadata: {labels: {app: valkey}}
    spec:
      terminationGracePeriodSeconds: 5
      containers:
      - name: valkey
        image: valkey/valkey:8.0
        args: [--appendonly, 'yes', --appendfsync, always]
        ports: [{name: valkey, containerPort: 6379}]
        readinessProbe: {tcpSocket: {port: valkey}, periodSeconds: 1}
        volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1Gi}}
)";

}  // namespace fixpoint::cli::demo
