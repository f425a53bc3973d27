// SPDX-License-Identifier: Apache-2.0
//
// ResourceRules: all rules of a schema, and the check of a custom resource against them.
//
// Rules that speak of oldSelf run only where there is an old value to compare with. A rule that
// fails on a value that an update did not change is only warned of.
#pragma once

#include "json/value.h"
#include "kube/crd/schema.h"
#include "kube/errors/field_error.h"
#include "kube/schema/validate.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint::cel {

// What one rule, and what all rules of a resource together, may cost.
inline constexpr std::uint64_t kRuleCostMax = 1'000'000;
inline constexpr std::int64_t kResourceCostMax = 10'000'000;

class ResourceRules {
 public:
  // nullptr when the schema has no rules.
  static std::shared_ptr<const ResourceRules> compile(const json::Value& open_api_v3_schema,
                                                      const kube::CompiledSchema& schema);
  ~ResourceRules();
  ResourceRules(const ResourceRules&) = delete;
  ResourceRules& operator=(const ResourceRules&) = delete;

  struct Findings {
    kube::FieldErrors errors;
    std::vector<std::string> warnings;
    std::int64_t cost = 0;
  };
  Findings check(const kube::Change& resource) const;

 private:
  struct Tree;
  explicit ResourceRules(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

}  // namespace fixpoint::cel
