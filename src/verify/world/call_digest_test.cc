// SPDX-License-Identifier: Apache-2.0
#include "verify/world/call_digest.h"

#include "json/parsing/parse.h"

#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

template <class Call>
std::size_t told_apart(const std::vector<std::function<void(Call&)>>& changes) {
  std::set<Hash128> seen{digest_of(Call{}).exact()};
  for (const auto& change : changes) {
    Call call;
    change(call);
    seen.insert(digest_of(call).exact());
  }
  return seen.size() - 1;
}

// An answer that was remembered is given again only to the same question.
TEST(CallDigest, TellsCallsApartByAllThatAnAnswerMayDependOn) {
  using client::Call;
  const std::vector<std::function<void(Call&)>> changes{
      [](Call& call) { call.verb = client::Verb::Delete; },
      [](Call& call) { call.resource.kind.group = "apps"; },
      [](Call& call) { call.resource.kind.version = "v2"; },
      [](Call& call) { call.resource.plural = "pods"; },
      [](Call& call) { call.key.ns = "a"; },
      [](Call& call) { call.key.name = "a"; },
      [](Call& call) { call.subresource = "status"; },
      [](Call& call) { call.body = json::parse("{}").value(); },
      [](Call& call) { call.patch_type = client::PatchType::Json; },
      [](Call& call) { call.field_manager = "a"; },
      [](Call& call) { call.force = client::Force::Yes; },
      [](Call& call) { call.dry_run = client::DryRun::Yes; },
      [](Call& call) { call.field_validation = client::FieldValidation::Strict; },
      [](Call& call) { call.resource_version = "0"; },
      [](Call& call) { call.resource_version = "7"; },
      [](Call& call) { call.selector.labels = "a=b"; },
      [](Call& call) { call.selector.fields = "a=b"; },
      [](Call& call) { call.preconditions.uid = "a"; },
      [](Call& call) { call.preconditions.resource_version = "7"; },
      [](Call& call) { call.propagation = client::Propagation::Orphan; },
      [](Call& call) { call.grace_seconds = 0; },
      [](Call& call) { call.grace_seconds = 1; },
      [](Call& call) { call.as_user = "a"; },
      [](Call& call) { call.as_groups = {"a"}; },
      [](Call& call) {
        call.query = {
            {"a", "b"}
        };
      }};

  EXPECT_EQ(told_apart<Call>(changes), changes.size());
}

TEST(CallDigest, TellsListsApartByAllThatAnAnswerMayDependOn) {
  using client::ListCall;
  const std::vector<std::function<void(ListCall&)>> changes{
      [](ListCall& call) { call.collection.resource.kind.kind = "Pod"; },
      [](ListCall& call) { call.collection.ns = "a"; },
      [](ListCall& call) { call.collection.selector.labels = "a=b"; },
      [](ListCall& call) { call.collection.selector.fields = "a=b"; },
      [](ListCall& call) { call.collection.metadata_only = true; },
      [](ListCall& call) { call.limit = 1; },
      [](ListCall& call) { call.continue_token = "a"; },
      [](ListCall& call) { call.resource_version = "7"; },
      [](ListCall& call) { call.resource_version_match = "Exact"; }};

  EXPECT_EQ(told_apart<ListCall>(changes), changes.size());
}

}  // namespace
}  // namespace fixpoint::verify::world
