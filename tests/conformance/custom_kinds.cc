// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/custom_kinds.h"

#include <array>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kGadget = R"yaml(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.conform.example.com}
spec:
  group: conform.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList, shortNames: [gg], categories: [all]}
  conversion: {strategy: None}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Mode, type: string, jsonPath: .spec.mode, description: How fast., priority: 1}
    - {name: When, type: date, jsonPath: .spec.when}
    - {name: Flag, type: boolean, jsonPath: .spec.flag}
    - {name: Ratio, type: number, format: float, jsonPath: .spec.ratio}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    selectableFields:
    - {jsonPath: .spec.mode}
    - {jsonPath: .spec.size}
    - {jsonPath: .spec.flag}
    schema:
      openAPIV3Schema:
        type: object
        description: Something with a field for every keyword.
        required: [spec]
        properties:
          metadata:
            type: object
            properties:
              name: {type: string, maxLength: 20}
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 10}
              replicas: {type: integer, format: int32, minimum: 0, maximum: 5, default: 1}
              ratio: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true}
              step: {type: integer, multipleOf: 3}
              tenth: {type: number, multipleOf: 0.5}
              big: {type: integer, format: int64}
              float: {type: number, format: double}
              flag: {type: boolean, default: true}
              title: {type: string, minLength: 2, maxLength: 8}
              code: {type: string, pattern: '^[a-z][a-z0-9]*$'}
              mode: {type: string, enum: [Fast, Slow, ""], default: Fast}
              level: {type: integer, enum: [1, 2, 3]}
              when: {type: string, format: date-time}
              day: {type: string, format: date}
              wait: {type: string, format: duration}
              bytes: {type: string, format: byte}
              uuid: {type: string, format: uuid}
              uuid4: {type: string, format: uuid4}
              v4: {type: string, format: ipv4}
              v6: {type: string, format: ipv6}
              cidr: {type: string, format: cidr}
              mac: {type: string, format: mac}
              email: {type: string, format: email}
              host: {type: string, format: hostname}
              uri: {type: string, format: uri}
              hex: {type: string, format: hexcolor}
              rgb: {type: string, format: rgbcolor}
              card: {type: string, format: creditcard}
              isbn: {type: string, format: isbn}
              ssn: {type: string, format: ssn}
              oid: {type: string, format: bsonobjectid}
              secret: {type: string, format: password}
              odd: {type: string, format: not-a-format}
              label: {type: string, format: k8s-short-name}
              note: {type: string, nullable: true, default: hello}
              maybe: {type: string, nullable: true}
              port: {x-kubernetes-int-or-string: true, minimum: 1, maximum: 65535}
              amount:
                x-kubernetes-int-or-string: true
                anyOf: [{type: integer}, {type: string}]
                pattern: '^[0-9]+[KMG]?$'
              numbers: {type: array, minItems: 1, maxItems: 4, items: {type: integer, minimum: 0, maximum: 9}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 10}}
              ranks: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, kind]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    kind: {type: string, default: plain}
                    count: {type: integer, default: 1, maximum: 100}
                    extra: {type: object, properties: {"on": {type: boolean, default: false}}}
              colors: {type: array, x-kubernetes-list-type: atomic, items: {type: string, enum: [red, green, blue]}}
              matrix: {type: array, items: {type: array, maxItems: 2, items: {type: number}}}
              bag: {type: object, x-kubernetes-preserve-unknown-fields: true}
              half:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                required: [known]
                properties:
                  known: {type: integer}
                  closed: {type: object, properties: {a: {type: string}}}
              anything: {x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, minProperties: 1, maxProperties: 3, additionalProperties: {type: string, maxLength: 5}}
              limits: {type: object, x-kubernetes-map-type: granular, additionalProperties: {x-kubernetes-int-or-string: true}}
              boxes:
                type: object
                additionalProperties:
                  type: object
                  required: [w]
                  properties: {w: {type: integer}, h: {type: integer, default: 7}}
              pair:
                type: object
                x-kubernetes-map-type: atomic
                properties: {left: {type: string}, right: {type: string, default: r}}
              choice:
                type: object
                properties: {a: {type: integer}, b: {type: integer}}
                oneOf: [{required: [a]}, {required: [b]}]
              any:
                type: string
                anyOf: [{maxLength: 2}, {pattern: '^x'}]
              all:
                type: integer
                allOf: [{minimum: 3}, {multipleOf: 2}]
              none:
                type: string
                not: {enum: [bad, worse]}
              deep:
                type: object
                default: {}
                properties:
                  one: {type: integer, default: 1}
                  more:
                    type: object
                    default: {two: 3}
                    properties:
                      two: {type: integer, default: 2}
                      three: {type: string, default: three}
                  list: {type: array, default: [{"n": 1}], items: {type: object, properties: {"n": {type: integer}, m: {type: integer, default: 5}}}}
              lazy:
                type: object
                properties: {"on": {type: boolean, default: true}, must: {type: string}}
                required: [must]
              ruled:
                type: string
                maxLength: 30
                x-kubernetes-validations: [{rule: "self.startsWith('r')", message: begins with an r}]
              fixed:
                type: string
                maxLength: 30
                x-kubernetes-validations: [{rule: self == oldSelf, message: does not change, reason: FieldValueForbidden}]
              span:
                type: object
                properties: {low: {type: integer}, high: {type: integer}}
                x-kubernetes-validations:
                - rule: "!has(self.low) || !has(self.high) || self.low <= self.high"
                  messageExpression: "'%d is above %d'.format([self.low, self.high])"
                  fieldPath: .low
              either: {x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "type(self) == int ? self < 10 : self.endsWith('%')"}]}
              shares: {type: array, maxItems: 20, items: {type: integer, x-kubernetes-validations: [{rule: 100 / self > 1}]}}
              stages:
                type: array
                maxItems: 10
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                x-kubernetes-validations: [{rule: "self.all(s, s.name.matches('^[a-z]+$'))", reason: FieldValueRequired}]
                items:
                  type: object
                  required: [name]
                  x-kubernetes-validations: [{rule: "!has(oldSelf.at) || (has(self.at) && self.at >= oldSelf.at)", message: never goes back}]
                  properties: {name: {type: string, maxLength: 20}, at: {type: integer}}
              kept:
                type: array
                maxItems: 5
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                x-kubernetes-validations:
                - {rule: self == oldSelf + self, message: nothing is taken away}
                - {rule: "(self + self.filter(x, has(x.at) && x.at > 1)).size() < 4"}
                items: {type: object, required: [name], properties: {name: {type: string, maxLength: 5}, at: {type: integer}}}
              marks:
                type: array
                maxItems: 5
                x-kubernetes-list-type: set
                x-kubernetes-validations: [{rule: oldSelf + self == self}, {rule: "(self + ['z']).size() < 4"}]
                items: {type: string, maxLength: 5}
              address: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "ip(self).family() == 4"}]}
              network: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "cidr(self).prefixLength() == 8"}]}
              place: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "timestamp('2020-07-01T12:30:00Z').getHours(self) < 12"}]}
              lasting: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "duration(self) < duration('1h')"}]}
              since: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "timestamp(self) > timestamp('2020-01-01T00:00:00Z')"}]}
              much: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "quantity(self).isGreaterThan(quantity('1'))"}]}
              site: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "url(self).getHost() == 'a'"}]}
              release: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "semver(self).major() > 0"}]}
              named: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "!format.dns1123Label().validate(self).hasValue()"}]}
              cut: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "self.indexOf('c', 2) == 2"}]}
              number: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: "int(self) + 1 > 0 && double(self) < 100.0"}]}
              whole: {type: integer, x-kubernetes-validations: [{rule: "9223372036854775807 - self > 0 && 10 % self == 0 && [1, 2, 5][self] > 1"}]}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              child:
                type: object
                x-kubernetes-embedded-resource: true
                properties:
                  apiVersion: {type: string}
                  kind: {type: string}
                  metadata: {type: object}
                  spec: {type: object, properties: {"n": {type: integer, default: 4}}}
          status:
            type: object
            properties:
              replicas: {type: integer, format: int32, minimum: 0}
              selector: {type: string}
              phase: {type: string, enum: [New, Old], default: New}
              seen: {type: integer, maximum: 100}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string, enum: ["True", "False", Unknown]}
                    reason: {type: string, minLength: 1}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: conform.example.com/v1beta1 Gadget is going away; use v1
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              replicas: {type: integer}
              ratio: {type: number}
              step: {type: integer}
              title: {type: string}
              code: {type: string}
              mode: {type: string, default: Slow}
              level: {type: integer}
              when: {type: string}
              numbers: {type: array, items: {type: integer}}
              labels: {type: object, additionalProperties: {type: string}}
              any: {type: string}
              all: {type: integer}
              none: {type: string}
              choice: {type: object, properties: {a: {type: integer}, b: {type: integer}}}
              colors: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
              old: {type: string, default: gone}
              ruled: {type: string}
              span: {type: object, properties: {low: {type: integer}, high: {type: integer}}}
          status:
            type: object
            properties: {phase: {type: string}, seen: {type: integer}}
)yaml";

constexpr std::string_view kBag = R"yaml(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: bags.conform.example.com}
spec:
  group: conform.example.com
  scope: Namespaced
  names: {plural: bags, kind: Bag}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
)yaml";

constexpr std::string_view kZone = R"yaml(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.conform.example.com}
spec:
  group: conform.example.com
  scope: Cluster
  names: {plural: zones, singular: zone, kind: Zone, listKind: ZoneList}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            default: {region: north}
            properties:
              region: {type: string, enum: [north, south]}
              weight: {type: integer, minimum: 0}
          status:
            type: object
            properties: {ready: {type: boolean, default: false}, note: {type: string}}
)yaml";

constexpr std::string_view kCrate = R"yaml(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.conform.example.com}
spec:
  group: conform.example.com
  scope: Namespaced
  names: {plural: crates, singular: crate, kind: Crate}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
    additionalPrinterColumns:
    - {name: Count, type: integer, jsonPath: .spec.count}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              count: {type: integer, minimum: 0, maximum: 9}
              word: {type: string}
              free: {type: string, nullable: true}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              plain: {type: array, items: {type: string}}
              map: {type: object, additionalProperties: {type: string}}
              frozen: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              nest:
                type: object
                properties:
                  left: {type: string}
                  right: {type: string}
                  inner: {type: object, properties: {a: {type: integer}, b: {type: integer, default: 2}}}
              rows:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    value: {type: string}
                    tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                    cells:
                      type: array
                      x-kubernetes-list-type: map
                      x-kubernetes-list-map-keys: [x, "y"]
                      items:
                        type: object
                        required: [x, "y"]
                        properties: {x: {type: integer}, "y": {type: integer}, v: {type: string}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, protocol]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer}
                    protocol: {type: string, default: TCP}
                    name: {type: string}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true}
              inline: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              count: {type: integer}
              note: {type: string}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type]
                  properties: {type: {type: string}, status: {type: string}}
)yaml";

constexpr std::array kCustomDefinitions{kGadget, kBag, kZone, kCrate};

}  // namespace

std::span<const std::string_view> custom_definitions() {
  return kCustomDefinitions;
}

}  // namespace fixpoint::conformance
