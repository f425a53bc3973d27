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

void Queue::begin_waiting(const std::string& key, Pod& pod, Interest interest) {
  pod.waits = true;
  for (const auto& claim : interest.claims) by_claim_[claim].insert(key);
  waiting_.insert(key);
  if (interest.neighbours) wanting_neighbours_.insert(key);
  if (interest.volumes) wanting_volumes_.insert(key);
  pod.interest = std::move(interest);
}

void Queue::end_waiting(const std::string& key) {
  waiting_.erase(key);
  wanting_neighbours_.erase(key);
  wanting_volumes_.erase(key);
}

void Queue::activate(const std::string& key, Pod& pod) {
  end_waiting(key);
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
  end_waiting(key);
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
  begin_waiting(key, pod, std::move(interest));
}

void Queue::wait_for_claims(const std::string& key, const std::vector<std::string>& claims) {
  Pod& pod = pods_[key];
  pod.until = {};
  begin_waiting(key, pod, {.neighbours = false, .volumes = true, .claims = claims});
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
  std::set<std::string> helped;
  if (room) helped = waiting_;
  if (neighbours) helped.insert(wanting_neighbours_.begin(), wanting_neighbours_.end());
  if (volumes) helped.insert(wanting_volumes_.begin(), wanting_volumes_.end());
  for (const auto& key : helped) {
    Pod& pod = pods_.at(key);
    if (pod.until <= now) {
      activate(key, pod);
    } else {
      // Its own claims may still bring it back sooner.
      end_waiting(key);
      pausing_.set(key, pod.until);
    }
  }
}

}  // namespace fixpoint::cluster::scheduler
