// SPDX-License-Identifier: Apache-2.0
//
// Expressions: whatever is written compiles or is refused with a place, and what compiles evaluates
// to something within its cost, on a full object as on an empty one.
#include "cel/rules/program.h"
#include "cel/rules/resource_rules.h"
#include "json/parsing/parse.h"
#include "kube/crd/schema.h"

namespace {

using namespace fixpoint;

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"array","items":{"type":"string"}},
  "d":{"type":"string","format":"duration"},"t":{"type":"string","format":"date-time"},
  "y":{"type":"string","format":"byte"},"f":{"type":"number"},"i":{"x-kubernetes-int-or-string":true},
  "m":{"type":"object","additionalProperties":{"type":"integer"}},
  "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
       "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}}}})";
constexpr std::string_view kFull = R"({"a":3,"b":"text","c":["x","y"],"d":"1h",
  "t":"2026-01-02T03:04:05Z","y":"aGk=","f":1.5,"i":"50%","m":{"k":1},"l":[{"n":"one"}]})";

struct Subject {
  json::Value full = *json::parse(kFull);
  json::Value empty = json::Value::empty_object();
  json::Value given = *json::parse(kSchema);
  kube::CompiledSchema schema = *kube::compile_schema(given);
  cel::ShapePool shapes;
  const cel::Shape* shape = shapes.make(*schema.declared, cel::ShapeRole::Field);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Subject kSubject;
  // Enough to run long, not enough to hide what does not end.
  constexpr std::uint64_t kCostMax = 10'000;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto program =
      cel::Program::compile(text, *kSubject.shape, cel::OldSelf::Optional, *cel::bool_type(), "");
  if (!program) {
    FP_CHECK(!program.error().empty());
    return 0;
  }
  for (const auto* object : {&kSubject.full, &kSubject.empty}) {
    const auto self = cel::Value::of(*object, *kSubject.shape);
    const auto outcome = program->run({self, cel::Value::none()}, kCostMax);
    FP_CHECK(outcome.cost_exceeded == (outcome.cost > kCostMax));
    FP_CHECK(outcome.value.is(cel::Kind::Bool) || outcome.value.is_error());
  }
  return 0;
}
