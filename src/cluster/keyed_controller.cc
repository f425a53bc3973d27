// SPDX-License-Identifier: Apache-2.0
#include "cluster/keyed_controller.h"

#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

bool among(const std::vector<std::string_view>& prefixes, std::string_view prefix) {
  return std::ranges::find(prefixes, prefix) != prefixes.end();
}

std::string filled_in(std::string text, std::string_view with) {
  const auto at = text.find("{}");
  if (at != std::string::npos) text.replace(at, 2, with);
  return text;
}

bool same_request(const apiserver::Request& a, const apiserver::Request& b) {
  return a.verb == b.verb && a.resource == b.resource && a.ns == b.ns && a.name == b.name &&
         a.subresource == b.subresource && a.body == b.body;
}

bool tolerated(const Effect& effect, int code) {
  switch (effect.tolerates) {
    case Effect::Tolerates::Nothing: return false;
    case Effect::Tolerates::Absence: return code == 404;
    case Effect::Tolerates::Anything: return true;
  }
  return false;
}

// Changes of labels or owners make an orphan worth another look, changes of its status do not.
bool may_be_adopted_anew(const store::Event& event) {
  if (!event.before) return true;
  const json::View before = event.before->body.get("metadata");
  const json::View after = event.after->body.get("metadata");
  return !(before.get("labels") == after.get("labels")) ||
         !(before.get("ownerReferences") == after.get("ownerReferences"));
}

}  // namespace

std::string KeyedController::key(std::string_view ns, std::string_view name) const {
  std::string made{declaration_.prefix};
  made.append(ns).append("/").append(name);
  return made;
}

void KeyedController::map(const store::Event&, const Reader&, KeyQueue&) const {}

void KeyedController::begin_with(const Reader&, KeyQueue&) const {}

Result<kube::LabelSelector> KeyedController::selector_of(json::View object) const {
  return kube::LabelSelector::from_object(object.get("spec", "selector"));
}

void KeyedController::begin(Api& api) {
  api.latest().scan(declaration_.prefix, {}, [&](const store::RecordRef& record) {
    keys_.add(record->key);
    return true;
  });
  begin_with(api.reader(), keys_);
}

void KeyedController::observe(const store::Event& event) {
  const auto prefix = split_key(event.key()).prefix;
  const bool echo = !echoes_.empty() && echoes_.erase(event.revision) > 0;
  if (prefix == declaration_.prefix && !echo) keys_.add(event.key());
  if (among(declaration_.children, prefix) || among(declaration_.follows, prefix)) {
    changes_.push_back(event);
  }
}

void KeyedController::map_changes(Api& api) {
  if (changes_.empty()) return;
  const auto reader = api.reader();
  for (const auto& event : std::exchange(changes_, {})) {
    const auto parts = split_key(event.key());
    if (among(declaration_.children, parts.prefix)) {
      if (event.before) map_owned(parts.ns, event.before->body);
      if (event.after) map_owned(parts.ns, event.after->body);
      if (event.after && among(declaration_.adopts, parts.prefix) && may_be_adopted_anew(event)) {
        map_orphan(event.after->body, reader);
      }
    }
    if (among(declaration_.follows, parts.prefix)) map(event, reader, keys_);
  }
}

void KeyedController::map_owned(std::string_view ns, json::View object) {
  for (const json::View owner : object.get("metadata", "ownerReferences").elements()) {
    if (!owner.get("controller").as_bool()) continue;
    if (owner.get("kind").as_string() != declaration_.kind.kind) return;
    const auto version = kube::parse_group_version(owner.get("apiVersion").as_string());
    if (!version || version->group != declaration_.kind.group) return;
    return keys_.add(key(ns, owner.get("name").as_string()));
  }
}

void KeyedController::map_orphan(json::View object, const Reader& reader) {
  if (kube::being_deleted(object) || kube::controller_of(object)) return;
  for (const auto& record : reader.all(declaration_.prefix, kube::namespace_of(object))) {
    const auto selector = selector_of(record->body);
    if (!selector || selector->empty() || !selector->matches(kube::labels_of(object))) continue;
    keys_.add(record->key);
  }
}

bool KeyedController::step(Api& api) {
  map_changes(api);
  if (work_) {
    send_next(api);
    return true;
  }
  while (const auto due = deadlines_.take(api.now())) {
    not_before_.erase(*due);
    keys_.add(*due);
  }
  const auto next = keys_.take();
  if (!next) return false;
  if (!too_early(*next, api.now())) begin_pass(api, *next, std::nullopt);
  return true;
}

// Puts the key off when its last pass was expensive and is not long ago.
bool KeyedController::too_early(const std::string& key, Instant now) {
  const auto known = not_before_.find(key);
  if (known == not_before_.end()) return false;
  if (known->second <= now) {
    not_before_.erase(known);
    return false;
  }
  deadlines_.bring_forward(key, known->second);
  return true;
}

void KeyedController::begin_pass(Api& api, const std::string& key, std::optional<Refusal> refused) {
  Subject subject{
      .parts = split_key(key), .record = api.latest().find(key), .refused = std::move(refused)};
  if (!subject.record) {
    failures_.erase(key);
    memories_.erase(key);
  }
  if (const auto known = memories_.find(key); known != memories_.end()) {
    subject.memory = known->second;
  }
  const auto reader = api.reader();
  work_ = Work{.key = key, .decision = pass(reader, subject, api.now())};
  if (subject.record && reader.handed_out() > kManyObjects) {
    not_before_[key] = api.now() + kWaitPerObject * static_cast<std::int64_t>(reader.handed_out());
  }
  if (subject.record) {
    work_->uid = std::string{kube::uid_of(subject.record->body)};
    work_->generation = kube::generation_of(subject.record->body);
  }
  work_->refused = subject.refused;
  if (work_->decision.requests.empty()) finish(api);
}

// What was decided for another spec, or for an object that has gone, is not done.
bool KeyedController::outdated(Api& api) const {
  const auto record = api.latest().find(work_->key);
  if (!record) return !work_->uid.empty();
  return kube::uid_of(record->body) != work_->uid ||
         kube::generation_of(record->body) != work_->generation;
}

void KeyedController::send_next(Api& api) {
  if (outdated(api)) {
    keys_.add(work_->key);
    work_.reset();
    return;
  }
  const Effect& effect = work_->decision.requests[work_->next];
  if (work_->refused && same_request(work_->refused->request, effect.request)) {
    return end_refused(api, *work_->refused);
  }
  const auto before = api.latest().revision();
  auto response = api.call(effect.request);
  if (response.ok()) {
    // What is written down about a refusal must not bring the next try forward.
    const bool own = kube::uid_of(response.body) == work_->uid;
    if (own && work_->refused && api.latest().revision() != before) {
      echoes_.insert(api.latest().revision());
    }
    if (effect.done) {
      auto notice = *effect.done;
      notice.message = filled_in(notice.message, kube::name_of(response.body));
      recorder_.tell(api, notice);
    }
  } else if (!tolerated(effect, response.code)) {
    Refusal refusal{.request = effect.request, .code = response.code, .status = response.body};
    if (effect.refused && !namespace_is_terminating(refusal)) {
      auto notice = *effect.refused;
      notice.message = filled_in(notice.message, message_of(refusal));
      recorder_.tell(api, notice);
    }
    return end_refused(api, std::move(refusal));
  }
  if (++work_->next == work_->decision.requests.size()) finish(api);
}

void KeyedController::finish(Api& api) {
  for (const auto& notice : work_->decision.notices) recorder_.tell(api, notice);
  if (work_->decision.memory.is_null() || work_->uid.empty()) {
    memories_.erase(work_->key);
  } else {
    memories_.insert_or_assign(work_->key, std::move(work_->decision.memory));
  }
  // A pass that only wrote down a refusal leaves the pause that follows it.
  if (!work_->refused) {
    failures_.erase(work_->key);
    deadlines_.clear(work_->key);
    if (work_->decision.again) deadlines_.set(work_->key, *work_->decision.again);
  }
  work_.reset();
}

void KeyedController::end_refused(Api& api, Refusal refusal) {
  const std::string key = work_->key;
  const bool follows_another = work_->refused.has_value();
  work_.reset();
  if (follows_another) return;
  // 16 doublings are past the longest pause.
  const int doublings = std::min(failures_[key]++, 16);
  deadlines_.set(key, api.now() + std::min(kLongestPause, kFirstPause * (1 << doublings)));
  begin_pass(api, key, std::move(refusal));
}

}  // namespace fixpoint::cluster
