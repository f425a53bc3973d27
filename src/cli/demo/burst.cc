// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/burst.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cli::demo {

std::uint64_t revision_of(json::View object) {
  const auto text = object.get("metadata", "resourceVersion").as_string();
  std::uint64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

namespace {

std::string name_of(std::size_t number) {
  return fmt::format("order-{:05}", number);
}

std::string amount_of(std::size_t number) {
  return fmt::format("{}", number % 7 + 1);
}

}  // namespace

void Burst::start() {
  for (std::size_t i = 0; i < kBurstWidth; ++i) send_next();
}

void Burst::send_next() {
  ++in_flight_;
  Call create{.method = "POST", .target = "/api/v1/namespaces/shop/configmaps"};
  create.body = fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"amount":"{}"}}}})",
                            name_of(next_), amount_of(next_));
  ++next_;
  session_.send(std::move(create), [this](Result<Reply> reply) { answered(std::move(reply)); });
}

void Burst::answered(Result<Reply> reply) {
  --in_flight_;
  if (!reply) {
    ++unanswered_;
    stopped_ = true;
    return;
  }
  if (reply->status != 201) {
    refused_ = reply->status;
    stopped_ = true;
    return;
  }
  const auto meta = reply->body.get("metadata");
  acknowledged_[std::string{meta.get("name").as_string()}] = {
      std::string{meta.get("uid").as_string()},
      std::string{meta.get("resourceVersion").as_string()}};
  last_revision_ = std::max(last_revision_, revision_of(reply->body));
  if (!stopped_) send_next();
}

std::size_t Burst::missing_from(json::View list) const {
  std::set<std::string_view> found;
  for (const auto item : list.get("items").elements()) {
    const auto meta = item.get("metadata");
    const auto known = acknowledged_.find(meta.get("name").as_string());
    if (known == acknowledged_.end()) continue;
    if (meta.get("uid").as_string() == known->second.uid &&
        meta.get("resourceVersion").as_string() == known->second.revision) {
      found.insert(known->first);
    }
  }
  return acknowledged_.size() - found.size();
}

std::size_t Burst::broken_in(json::View list) const {
  std::map<std::string, std::string, std::less<>> sent;
  for (std::size_t i = 0; i < next_; ++i) sent[name_of(i)] = amount_of(i);
  std::size_t broken = 0;
  for (const auto item : list.get("items").elements()) {
    const auto known = sent.find(item.get("metadata", "name").as_string());
    const auto data = item.get("data");
    const bool whole =
        known != sent.end() && data.size() == 1 && data.get("amount").as_string() == known->second;
    if (!whole) ++broken;
  }
  return broken;
}

}  // namespace fixpoint::cli::demo
