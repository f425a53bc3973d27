// SPDX-License-Identifier: Apache-2.0
//
// FieldsV1: what is accepted prints, parses back to the same set, and obeys the laws of sets.
#include "json/parsing/parse.h"
#include "kube/ownership/field_set.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fixpoint;
  const auto value = json::parse({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto set = kube::parse_fields_v1(*value);
  if (!set) return 0;
  const json::Value wire = kube::to_fields_v1(*set);
  const auto again = kube::parse_fields_v1(wire);
  FP_CHECK(again && *again == *set);
  FP_CHECK(set->paths().size() == set->size());
  const kube::FieldSet leaves = set->leaves();
  const kube::FieldSet rest = kube::subtract(*set, leaves);
  FP_CHECK(kube::unite(rest, leaves) == *set);
  FP_CHECK(kube::intersect(rest, leaves).empty());
  FP_CHECK(kube::subtract_tree(*set, *set).empty());
  return 0;
}
