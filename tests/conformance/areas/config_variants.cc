// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/config_variants.h"

#include <charconv>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kConfigMapGood[] = {
    R"({"data":{"b":"2"}})",
    R"({"data":{"a":null}})",
    R"({"data":null})",
    R"({"data":{}})",
    R"({"data":{"A-._9":"x"}})",
    R"({"data":{"#253#":"x"}})",
    R"({"data":{".a":"x"}})",
    R"({"data":{"e":""}})",
    R"({"data":{"u":"é\n\t<&>"}})",
    R"({"binaryData":{"z":"MQ=="}})",
    R"({"binaryData":{"z":""}})",
    R"({"binaryData":{"z":null}})",
    R"({"binaryData":{"z":"/+8="}})",
    R"({"binaryData":null})",
    R"({"immutable":true})",
    R"({"immutable":false})",
    R"({"immutable":null})",
    R"({"data":{"a":"#20000#"}})",
};
constexpr std::string_view kConfigMapBad[] = {
    R"({"data":{"":"x"}})",
    R"({"data":{"a b":"x"}})",
    R"({"data":{"..":"x"}})",
    R"({"data":{".":"x"}})",
    R"({"data":{"..a":"x"}})",
    R"({"data":{"a/b":"x"}})",
    R"({"data":{"é":"x"}})",
    R"({"data":{"#254#":"x"}})",
    R"({"data":{"a":"1"},"binaryData":{"a":"MQ=="}})",
    R"({"binaryData":{"a b":"MQ=="}})",
    R"({"binaryData":{"z":"!!"}})",
    R"({"binaryData":{"z":"MQ"}})",
    R"({"binaryData":{"z":"MQ==x"}})",
    R"({"binaryData":{"z":1}})",
    R"({"data":{"a":1}})",
    R"({"data":[]})",
    R"({"data":"x"})",
    R"({"immutable":"yes"})",
    R"({"immutable":1})",
    R"({"spec":{}})",
};

constexpr std::string_view kSecretGood[] = {
    R"({"data":{"b":"Mg=="}})",
    R"({"data":null})",
    R"({"data":{"a":""}})",
    R"({"data":{"a":null}})",
    R"({"stringData":{"a":"plain"}})",
    R"({"stringData":{"b":""}})",
    R"({"stringData":{"a":"é"},"data":{"a":"MQ=="}})",
    R"({"stringData":null})",
    R"({"immutable":true})",
    R"({"immutable":false})",
    R"({"type":"Opaque"})",
    R"({"type":""})",
    R"({"type":"example.com/mine"})",
    R"({"type":"kubernetes.io/basic-auth","stringData":{"username":"u","password":"p"}})",
    R"({"type":"kubernetes.io/basic-auth","stringData":{"password":"p"}})",
    R"({"type":"kubernetes.io/ssh-auth","stringData":{"ssh-privatekey":"k"}})",
    R"({"type":"kubernetes.io/tls","stringData":{"tls.crt":"c","tls.key":"k"}})",
    R"({"type":"kubernetes.io/dockercfg","stringData":{".dockercfg":"{}"}})",
    R"({"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{\"auths\":{}}"}})",
    R"({"type":"kubernetes.io/service-account-token","metadata":{"annotations":{"kubernetes.io/service-account.name":"x"}}})",
    R"({"type":"bootstrap.kubernetes.io/token","stringData":{"token-id":"abcdef"}})",
    R"({"data":{"#253#":"MQ=="}})",
};
constexpr std::string_view kSecretBad[] = {
    R"({"type":"kubernetes.io/basic-auth"})",
    R"({"type":"kubernetes.io/ssh-auth"})",
    R"({"type":"kubernetes.io/ssh-auth","data":{"ssh-privatekey":""}})",
    R"({"type":"kubernetes.io/tls"})",
    R"({"type":"kubernetes.io/tls","stringData":{"tls.crt":"c"}})",
    R"({"type":"kubernetes.io/dockercfg"})",
    R"({"type":"kubernetes.io/dockercfg","stringData":{".dockercfg":"x"}})",
    R"({"type":"kubernetes.io/dockerconfigjson"})",
    R"({"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{"}})",
    R"({"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"[]"}})",
    R"({"type":"kubernetes.io/service-account-token"})",
    R"({"type":"kubernetes.io/service-account-token","metadata":{"annotations":{"kubernetes.io/service-account.name":""}}})",
    R"({"data":{"a":"!!"}})",
    R"({"data":{"a":"MQ"}})",
    R"({"data":{"a":1}})",
    R"({"data":{"a b":"MQ=="}})",
    R"({"data":{"..":"MQ=="}})",
    R"({"data":{"":"MQ=="}})",
    R"({"data":{"#254#":"MQ=="}})",
    R"({"stringData":{"a/b":"x"}})",
    R"({"stringData":{"a":1}})",
    R"({"stringData":[]})",
    R"({"type":1})",
    R"({"immutable":"x"})",
};

constexpr std::string_view kServiceAccountGood[] = {
    R"({"automountServiceAccountToken":true})",
    R"({"automountServiceAccountToken":null})",
    R"({"secrets":[{"name":"s"}]})",
    R"({"secrets":[{"name":"s"},{"name":"t"}]})",
    R"({"secrets":[{"name":"s","namespace":"n","uid":"u","fieldPath":"f","kind":"Secret","apiVersion":"v1","resourceVersion":"1"}]})",
    R"({"secrets":[]})",
    R"({"secrets":null})",
    R"({"secrets":[{}]})",
    R"({"imagePullSecrets":[{"name":"r"}]})",
    R"({"imagePullSecrets":[{}]})",
    R"({"imagePullSecrets":[{"name":"r"},{"name":"r"}]})",
    R"({"imagePullSecrets":null})",
    R"({"metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}}})",
};
constexpr std::string_view kServiceAccountBad[] = {
    R"({"automountServiceAccountToken":"no"})",
    R"({"secrets":{"name":"s"}})",
    R"({"secrets":["s"]})",
    R"({"secrets":[{"name":1}]})",
    R"({"imagePullSecrets":[1]})",
    R"({"imagePullSecrets":[{"nam":"r"}]})",
    R"({"secrets":[null]})",
};

constexpr std::string_view kLeaseGood[] = {
    R"({"spec":{"renewTime":"2026-01-02T03:04:05.000006Z"}})",
    R"({"spec":{"renewTime":"2026-01-02T03:04:05.123456+02:00"}})",
    R"({"spec":{"renewTime":null}})",
    R"({"spec":{"acquireTime":"2026-01-02T03:04:05.999999Z"}})",
    R"({"spec":{"leaseDurationSeconds":15}})",
    R"({"spec":{"leaseDurationSeconds":1}})",
    R"({"spec":{"leaseDurationSeconds":2147483647}})",
    R"({"spec":{"leaseTransitions":0}})",
    R"({"spec":{"leaseTransitions":3}})",
    R"({"spec":{"holderIdentity":"c"}})",
    R"({"spec":{"holderIdentity":null}})",
    R"({"spec":null})",
    R"({"spec":{}})",
    R"({"spec":{"renewTime":"2026-01-02T03:04:05.0000061Z"}})",
};
constexpr std::string_view kLeaseBad[] = {
    R"({"spec":{"renewTime":"2026-01-02T03:04:05Z"}})",
    R"({"spec":{"renewTime":"2026-01-02T03:04:05.123Z"}})",
    R"({"spec":{"renewTime":"2026-01-02 03:04:05.000006Z"}})",
    R"({"spec":{"renewTime":"2026-13-02T03:04:05.000006Z"}})",
    R"({"spec":{"renewTime":""}})",
    R"({"spec":{"renewTime":7}})",
    R"({"spec":{"acquireTime":"now"}})",
    R"({"spec":{"leaseDurationSeconds":0}})",
    R"({"spec":{"leaseDurationSeconds":-1}})",
    R"({"spec":{"leaseDurationSeconds":2147483648}})",
    R"({"spec":{"leaseDurationSeconds":1.5}})",
    R"({"spec":{"leaseDurationSeconds":"15"}})",
    R"({"spec":{"leaseTransitions":-1}})",
    R"({"spec":{"holderIdentity":""}})",
    R"({"spec":{"holderIdentity":7}})",
    R"({"spec":{"strategy":"OldestEmulationVersion"}})",
    R"({"spec":{"strategy":"Bogus"}})",
    R"({"spec":{"preferredHolder":"d"}})",
    R"({"spec":{"preferredHolder":"d","strategy":"OldestEmulationVersion"}})",
};

constexpr std::string_view kEventGood[] = {
    R"({"count":3})",
    R"({"count":-1})",
    R"({"type":"Warning"})",
    R"({"type":"Other"})",
    R"({"type":""})",
    R"({"message":"#2000#"})",
    R"({"reason":"#200#"})",
    R"({"reason":""})",
    R"({"firstTimestamp":"2026-01-02T03:04:05Z","lastTimestamp":"2026-01-02T03:05:05Z"})",
    R"({"firstTimestamp":null})",
    R"({"eventTime":null})",
    R"({"source":{"component":"c","host":"h"}})",
    R"({"source":{}})",
    R"({"reportingComponent":"example.com/c","reportingInstance":"i"})",
    R"({"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:05.000006Z"}})",
    R"({"related":{"kind":"Node","name":"n"}})",
    R"({"involvedObject":{"uid":"u","apiVersion":"v1","resourceVersion":"7","fieldPath":"spec"}})",
    R"({"action":"Do"})",
    R"({"eventTime":"2026-01-02T03:04:05.000006Z","reportingComponent":"example.com/c","reportingInstance":"i","action":"Do"})",
};
constexpr std::string_view kEventBad[] = {
    R"({"involvedObject":{"namespace":"other"}})",
    R"({"involvedObject":{"namespace":null}})",
    R"({"involvedObject":{"namespace":null,"kind":"Node","apiVersion":"v1"}})",
    R"({"involvedObject":{"namespace":null,"kind":"Bogus","apiVersion":"example.com/v1"}})",
    R"({"involvedObject":{"kind":""}})",
    R"({"involvedObject":null})",
    R"({"count":"3"})",
    R"({"count":2147483648})",
    R"({"firstTimestamp":"2026"})",
    R"({"eventTime":"2026-01-02T03:04:05Z"})",
    R"({"eventTime":"2026-01-02T03:04:05.000006Z"})",
    R"({"eventTime":"2026-01-02T03:04:05.000006Z","reportingComponent":"example.com/c"})",
    R"({"eventTime":"2026-01-02T03:04:05.000006Z","reportingComponent":"a b","reportingInstance":"i","action":"Do"})",
    R"({"eventTime":"2026-01-02T03:04:05.000006Z","reportingComponent":"example.com/c","reportingInstance":"#129#","action":"Do"})",
    R"({"series":{"count":2}})",
    R"({"series":{}})",
    R"({"source":"c"})",
};

constexpr std::string_view kNewEventGood[] = {
    R"({"type":"Warning"})",
    R"({"note":"#1024#"})",
    R"({"note":""})",
    R"({"note":null})",
    R"({"reason":"#128#"})",
    R"({"action":"#128#"})",
    R"({"reportingInstance":"#128#"})",
    R"({"reportingController":"c"})",
    R"({"regarding":{"namespace":"<<ns>>","uid":"u"}})",
    R"({"related":{"kind":"Node","name":"n"}})",
    R"({"series":{"count":3,"lastObservedTime":"2026-01-02T03:04:07.000006Z"}})",
    R"({"series":null})",
    R"({"metadata":{"labels":{"x":"y"}}})",
};
constexpr std::string_view kNewEventBad[] = {
    R"({"eventTime":null})",
    R"({"eventTime":"2026-01-02T03:04:05Z"})",
    R"({"eventTime":"2026-02-02T03:04:05.000006Z"})",
    R"({"reportingController":""})",
    R"({"reportingController":"a b"})",
    R"({"reportingInstance":""})",
    R"({"reportingInstance":"#129#"})",
    R"({"action":""})",
    R"({"action":"#129#"})",
    R"({"reason":""})",
    R"({"reason":"#129#"})",
    R"({"note":"#1025#"})",
    R"({"type":"Other"})",
    R"({"type":""})",
    R"({"regarding":{"namespace":"other"}})",
    R"({"regarding":{"namespace":null}})",
    R"({"regarding":null})",
    R"({"series":{"count":1,"lastObservedTime":"2026-01-02T03:04:07.000006Z"}})",
    R"({"series":{"count":2}})",
    R"({"series":{"count":"2"}})",
    R"({"deprecatedSource":{"component":"c"}})",
    R"({"deprecatedCount":2})",
    R"({"deprecatedFirstTimestamp":"2026-01-02T03:04:05Z"})",
    R"({"deprecatedLastTimestamp":"2026-01-02T03:04:05Z"})",
};

constexpr Variants kConfigVariants[] = {
    {"configmaps",      "v1",                     kConfigMapGood,      kConfigMapBad,      18},
    {"secrets",         "v1",                     kSecretGood,         kSecretBad,         20},
    {"serviceaccounts", "v1",                     kServiceAccountGood, kServiceAccountBad, 8 },
    {"leases",          "coordination.k8s.io/v1", kLeaseGood,          kLeaseBad,          12},
    {"events",          "v1",                     kEventGood,          kEventBad,          10},
    {"events",          "events.k8s.io/v1",       kNewEventGood,       kNewEventBad,       10},
};

}  // namespace

std::span<const Variants> config_variants() {
  return kConfigVariants;
}

std::string expanded(std::string_view text) {
  std::string out;
  for (;;) {
    const auto start = text.find('#');
    out += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    const auto end = text.find('#', start + 1);
    std::size_t count = 0;
    std::from_chars(text.data() + start + 1, text.data() + end, count);
    out.append(count, 'a');
    text.remove_prefix(end + 1);
  }
}

}  // namespace fixpoint::conformance
