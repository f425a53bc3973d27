// SPDX-License-Identifier: Apache-2.0
//
// Two JSON texts, a schema and an object, separated by a zero byte. Whatever they hold, nothing
// dies, pruning and defaulting are done once and for all, and what they leave behind stays as valid
// as it was found.
#include "base/error.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "kube/crd/coerce.h"
#include "kube/crd/crd.h"
#include "kube/crd/names.h"
#include "kube/crd/openapi.h"
#include "kube/crd/schema.h"
#include "kube/crd/simple_json_path.h"
#include "kube/crd/validate.h"
#include "kube/crd/validate_schema.h"
#include "kube/schema/default.h"
#include "kube/schema/prune.h"
#include "kube/schema/validate.h"

#include <optional>
#include <string_view>

namespace {

using namespace fixpoint;

void check(const json::Value& schema_text, const json::Value& object) {
  if (kube::nests_too_deep(schema_text)) return;
  const auto errors = kube::validate_schema(schema_text, {}, kube::FieldPath{"s"});
  const auto schema = kube::compile_schema(schema_text);
  if (!schema) return;
  const auto& declared = *schema->declared;

  const auto pruned = kube::prune(object, declared, kube::Place::Resource);
  const auto again = kube::prune(pruned.value, declared, kube::Place::Resource);
  FP_CHECK(again.unknown_fields.empty() && again.value == pruned.value);

  const auto without_nulls = kube::drop_nulls(pruned.value, declared);
  FP_CHECK(kube::drop_nulls(without_nulls, declared) == without_nulls);
  const auto defaulted = kube::set_defaults(without_nulls, declared);
  FP_CHECK(kube::set_defaults(defaulted, declared) == defaulted);

  const auto coerced = kube::coerce_resource(object, *schema, kube::BadMeta::Drop);
  if (coerced) {
    const auto twice = kube::coerce_resource(coerced->value, *schema, kube::BadMeta::Drop);
    FP_CHECK(twice && twice->value == coerced->value && twice->unknown_fields.empty());
  }

  const auto found =
      kube::validate_custom_resource({defaulted, std::nullopt}, *schema, std::nullopt);
  // A resource that is fine is fine to write again, and so is one that was wrong all along, as far
  // as its schema speaks of all of it.
  if (found.empty()) {
    FP_CHECK(kube::validate_custom_resource({defaulted, defaulted.view()}, *schema, std::nullopt)
                 .empty());
  }
  // Defaults of a schema that Kubernetes takes are pruned and valid, so setting them removes
  // nothing.
  if (errors.empty()) {
    FP_CHECK(kube::prune(defaulted, declared, kube::Place::Resource).unknown_fields.empty());
  }
}

// The same two as a CRD with that schema, and as a CRD altogether.
void check_crd(const json::Value& schema_text, const json::Value& object) {
  auto spec = json::Draft::object({
      {"group", "a.b"    },
      {"scope", "Cluster"}
  });
  spec["names"] = json::Draft::object({
      {"plural", "ks"},
      {"kind",   "K" }
  });
  auto version = json::Draft::object({
      {"name",    "v1"},
      {"served",  true},
      {"storage", true}
  });
  version.object_at("schema")["openAPIV3Schema"] = schema_text;
  spec["versions"] = json::Draft::array({std::move(version)});
  auto made = json::Draft::object();
  made["spec"] = std::move(spec);
  made.object_at("metadata")["name"] = "ks.a.b";
  for (auto crd : {std::move(made), json::Draft{object}}) {
    if (!crd.is_object()) continue;
    kube::set_crd_defaults(crd);
    kube::prepare_crd(crd, {});
    const auto frozen = crd.freeze();
    const auto errors = kube::validate_crd(frozen, nullptr);
    (void)kube::crd_warnings(frozen, {});
    if (!errors.empty()) continue;
    // A CRD that was taken once can be written again.
    crd.object_at("metadata")["resourceVersion"] = "1";
    const auto stored = crd.freeze();
    FP_CHECK(kube::validate_crd_update(stored, stored, nullptr).empty());
    FP_CHECK(kube::consider_names(crd, {}, {}) && kube::establish(crd, {}));
    const auto resource = kube::read_custom_resource(frozen);
    for (const auto& each : resource.versions) (void)kube::openapi_schemas(resource, each);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const auto split = input.find('\0');
  if (split == input.npos) return 0;
  if (const auto path = kube::SimpleJsonPath::parse(input.substr(split + 1))) {
    (void)path->find({});
  }
  const auto schema = json::parse(input.substr(0, split));
  const auto object = json::parse(input.substr(split + 1));
  if (!schema || !object) return 0;
  check(*schema, *object);
  check_crd(*schema, *object);
  return 0;
}
