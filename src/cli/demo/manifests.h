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

}  // namespace fixpoint::cli::demo
