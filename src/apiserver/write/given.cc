// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/given.h"

#include "apiserver/body/decode.h"
#include "kube/errors/error_words.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fixpoint::apiserver {
namespace {

// The object before it was decoded; null if nothing can be said of it.
json::Value given_object(const WriteCall& call) {
  if (!call.given.is_null()) return call.given;
  auto given = parse_unchecked(call.request, call.resource.kind);
  return given ? *std::move(given) : json::Value{};
}

// These kinds compare the old and the new field by field of their Go types, in which an empty map
// is not the same as none.
bool tells_empty_maps(const Resource& resource, json::View old_object) {
  static constexpr std::array<std::string_view, 2> kClasses{
      "storageclasses.storage.k8s.io/", "volumeattributesclasses.storage.k8s.io/"};
  return old_object.get("immutable").as_bool() ||
         std::ranges::find(kClasses, resource.prefix) != kClasses.end();
}

}  // namespace

json::Value as_given(const WriteCall& call, const json::Value& candidate, kube::EmptyForm form) {
  if (call.resource.builtin == nullptr) return candidate;
  const json::Value given = given_object(call);
  return kube::with_empties(*call.resource.schema, candidate, given, form);
}

json::Value with_empty_maps(const WriteCall& call, const json::Value& candidate,
                            json::View old_object) {
  if (!tells_empty_maps(call.resource, old_object)) return candidate;
  json::Draft full{candidate};
  const auto given = as_given(call, candidate, kube::EmptyForm::Held);
  for (const auto [key, member] : given.members()) {
    if (member.is_object() && member.empty()) full[key] = json::Draft{member};
  }
  return full.freeze();
}

json::Value with_empty_overhead(const WriteCall& call, const json::Value& candidate) {
  if (call.resource.prefix != "pods/" || !candidate.get("spec", "overhead").is_null()) {
    return candidate;
  }
  const bool sent = !call.given.is_null() || call.request.body.contains("overhead");
  if (!sent) return candidate;
  const json::Value given = given_object(call);
  if (!given.get("spec", "overhead").is_object()) return candidate;
  json::Draft full{candidate};
  full.object_at("spec")["overhead"] = json::Draft::object();
  return full.freeze();
}

void count_empties(const WriteCall& call, json::Draft& object, json::View old_object) {
  static constexpr std::array<std::string_view, 3> kCounting{
      "validatingwebhookconfigurations.admissionregistration.k8s.io/",
      "mutatingwebhookconfigurations.admissionregistration.k8s.io/",
      "networkpolicies.networking.k8s.io/"};
  if (std::ranges::find(kCounting, call.resource.prefix) == kCounting.end()) return;
  const json::Value candidate = object.freeze();
  const json::Value given = as_given(call, candidate, kube::EmptyForm::Held);
  const auto differs = [&](std::string_view key) { return given.get(key) != candidate.get(key); };
  if (!differs("webhooks") && !differs("spec")) return;
  object.object_at("metadata")["generation"] = kube::generation_of(old_object) + 1;
}

namespace {

constexpr std::string_view kAmountLetters = "0123456789.+-eEinumkKMGTP";
// With as many digits a real server counts the short way.
constexpr std::ptrdiff_t kShortDigits = 18;

// Kinds whose amounts are looked at again with each change. Elsewhere an amount that was there
// before is compared, and equal however it is written.
bool looks_again(const Resource& resource) {
  return resource.prefix == "resourcequotas/" || resource.prefix == "limitranges/";
}

// Cheap, since every new object is asked: is there any amount to look at?
bool has_many_digits(std::string_view text) {
  std::ptrdiff_t digits = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (++digits > kShortDigits) return true;
    } else if (c != '.') {
      digits = 0;
    }
  }
  return false;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

LongAmounts::LongAmounts(const WriteCall& call) {
  if (call.resource.builtin == nullptr) return;
  if (call.request.verb != Verb::Create && !looks_again(call.resource)) return;
  const std::string_view body = call.request.body;
  if (!has_many_digits(body)) return;
  for (std::size_t at = 0; at < body.size();) {
    const auto end = std::min(body.find_first_not_of(kAmountLetters, at), body.size());
    const auto word = body.substr(at, end - at);
    at = end + 1;
    const auto digits = std::ranges::count_if(word, [](char c) { return c >= '0' && c <= '9'; });
    if (digits <= kShortDigits) continue;
    const auto amount = kube::Quantity::parse(word);
    if (!amount || !amount->wide()) continue;
    const auto again = kube::Quantity::parse(amount->to_string());
    if (again && !again->wide()) amounts_.push_back({amount->to_string(), std::string{word}});
  }
  if (!amounts_.empty()) given_ = given_object(call);
}

json::Value LongAmounts::put_into(const json::Value& object) const {
  if (amounts_.empty()) return object;
  const json::View given = given_;
  return with_sent(object, given.is_object() ? std::optional{given} : std::nullopt).freeze();
}

json::Draft LongAmounts::with_sent(json::View value, std::optional<json::View> sent) const {
  if (value.is_object()) {
    auto object = json::Draft::object();
    for (const auto [key, member] : value.members()) {
      object[key] = with_sent(member, sent ? sent->find(key) : std::nullopt);
    }
    return object;
  }
  if (value.is_array()) {
    auto array = json::Draft::array();
    std::size_t i = 0;
    for (const auto element : value.elements()) {
      const bool there = sent && i < sent->size();
      array.push_back(with_sent(element, there ? std::optional{(*sent)[i]} : std::nullopt));
      ++i;
    }
    return array;
  }
  if (!value.is_string()) return json::Draft{value};
  const auto found = std::ranges::find(amounts_, value.as_string(), &Amount::shown);
  if (found == amounts_.end()) return json::Draft{value};
  // One amount may be written in several ways.
  return json::Draft{sent && sent->is_string() ? sent->as_string() : std::string_view{found->sent}};
}

void LongAmounts::shorten(kube::FieldErrors& errors) const {
  for (const auto& amount : amounts_) {
    for (auto& error : errors) {
      replace_all(error.value, amount.sent, amount.shown);
      replace_all(error.detail, amount.sent, amount.shown);
    }
  }
}

}  // namespace fixpoint::apiserver
