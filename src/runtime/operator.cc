// SPDX-License-Identifier: Apache-2.0
//
// What an operator does when its author says nothing else.
#include "runtime/operator.h"

#include "base/error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fixpoint::runtime {
namespace {

// A condition's message may have 32,768 bytes; nobody reads more than this.
constexpr std::size_t kRejectMessageBytesMax = 4'096;

}  // namespace

const Watch& Declaration::primary() const {
  const auto found = std::ranges::find(watches, WatchRole::Primary, &Watch::role);
  FP_CHECK(found != watches.end());
  return *found;
}

const Watch* Declaration::find(const kube::GroupVersionKind& kind) const {
  const auto found = std::ranges::find_if(
      watches, [&](const Watch& watch) { return watch.collection.resource.kind == kind; });
  return found == watches.end() ? nullptr : &*found;
}

Conclusion Operator::reject(json::View, const kube::FieldErrors& errors) const {
  std::string message;
  for (const auto& error : errors) {
    if (!message.empty()) message += "; ";
    message += error.to_string();
    if (message.size() > kRejectMessageBytesMax) {
      message += "; and more";
      break;
    }
  }
  Conclusion conclusion;
  conclusion.status = json::Value::empty_object();
  conclusion.conditions.push_back(
      {.type = "Ready", .is_true = false, .reason = "InvalidSpec", .message = std::move(message)});
  return conclusion;
}

Plan Operator::cleanup(const Facts&, Instant) const {
  return {};
}

Samples Operator::samples(const Facts&) const {
  return {};
}

}  // namespace fixpoint::runtime
