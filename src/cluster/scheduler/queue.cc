// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/queue.h"

#include <algorithm>

namespace fixpoint::cluster::scheduler {

void Queue::add(const std::string& key, std::int64_t priority) {
  auto [at, fresh] = pods_.try_emplace(key);
  Pod& pod = at->second;
  if (!fresh && !pod.waits) return;
  if (fresh) pod.order = ++orders_;
  pod.priority = priority;
  activate(key, pod);
}

void Queue::activate(const std::string& key, Pod& pod) {
  waiting_.erase(key);
  pausing_.clear(key);
  forget_claims(key, pod);
  pod.waits = false;
  pod.interest = {};
  active_.emplace(-pod.priority, pod.order, key);
}

void Queue::forget_claims(const std::string& key, const Pod& pod) {
  for (const auto& claim : pod.interest.claims) {
    const auto known = by_claim_.find(claim);
    if (known == by_claim_.end()) continue;
    known->second.erase(key);
    if (known->second.empty()) by_claim_.erase(known);
  }
}

void Queue::remove(const std::string& key) {
  const auto known = pods_.find(key);
  if (known == pods_.end()) return;
  active_.erase({-known->second.priority, known->second.order, key});
  waiting_.erase(key);
  pausing_.clear(key);
  forget_claims(key, known->second);
  pods_.erase(known);
}

std::optional<std::string> Queue::take(Instant now) {
  release_stirred(now);
  while (const auto due = pausing_.take(now)) activate(*due, pods_.at(*due));
  if (active_.empty()) return std::nullopt;
  std::string key = std::get<2>(*active_.begin());
  active_.erase(active_.begin());
  return key;
}

void Queue::wait(const std::string& key, Interest interest, Instant now) {
  Pod& pod = pods_[key];
  // Four doublings are past the longest pause.
  const Duration pause = kFirstPause * (1 << std::min(pod.attempts, 4));
  ++pod.attempts;
  pod.until = now + std::min<Duration>(pause, kLongestPause);
  pod.waits = true;
  for (const auto& claim : interest.claims) by_claim_[claim].insert(key);
  pod.interest = std::move(interest);
  waiting_.insert(key);
}

void Queue::wait_for_claims(const std::string& key, const std::vector<std::string>& claims) {
  Pod& pod = pods_[key];
  pod.waits = true;
  pod.until = {};
  for (const auto& claim : claims) by_claim_[claim].insert(key);
  pod.interest = {.neighbours = false, .volumes = true, .claims = claims};
  waiting_.insert(key);
}

void Queue::stir(Change change) {
  stirred_.insert(change);
}

void Queue::stir_claim(const std::string& claim) {
  const auto known = by_claim_.find(claim);
  if (known == by_claim_.end()) return;
  for (const auto& key : std::set<std::string>(known->second)) activate(key, pods_.at(key));
}

void Queue::release_stirred(Instant now) {
  if (stirred_.empty()) return;
  const bool room = stirred_.contains(Change::Room);
  const bool neighbours = stirred_.contains(Change::Neighbours);
  const bool volumes = stirred_.contains(Change::Volumes);
  stirred_.clear();
  std::vector<std::string> helped;
  for (const auto& key : waiting_) {
    const auto& interest = pods_.at(key).interest;
    if (room || (neighbours && interest.neighbours) || (volumes && interest.volumes)) {
      helped.push_back(key);
    }
  }
  for (const auto& key : helped) {
    Pod& pod = pods_.at(key);
    if (pod.until <= now) {
      activate(key, pod);
    } else {
      // Its own claims may still bring it back sooner.
      waiting_.erase(key);
      pausing_.set(key, pod.until);
    }
  }
}

}  // namespace fixpoint::cluster::scheduler
