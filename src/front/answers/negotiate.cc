// SPDX-License-Identifier: Apache-2.0
#include "front/answers/negotiate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace fixpoint::front {
namespace {

// Alternatives of one header that are looked at; the header itself is bounded, but every one of
// them costs a comparison with every other.
constexpr std::size_t kAlternativesMax = 64;

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes what stands before the next separator off the front.
std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

struct Alternative {
  std::string_view type;
  std::string_view subtype;
  double quality = 1;
  bool transforms = false;
  std::string_view as;
  std::string_view group;
  std::string_view version;
  std::string_view stream;
  std::string_view server_version;
  bool pretty = false;
};

void read_parameter(std::string_view pair, Alternative& out) {
  const auto key = take(pair, '=');
  if (pair.empty() || pair.find('=') != std::string_view::npos) return;
  const auto value = trim(pair);
  if (key == "q") {
    out.quality = 0;  // unless it is a number
    std::from_chars(value.data(), value.data() + value.size(), out.quality);
  }
  if (key == "as") out.as = value;
  if (key == "g") out.group = value;
  if (key == "v") out.version = value;
  if (key == "as" || key == "g" || key == "v") out.transforms = true;
  if (key == "stream") out.stream = value;
  if (key == "sv") out.server_version = value;
  if (key == "pretty") out.pretty = value == "1";
}

std::vector<Alternative> alternatives_in(std::string_view accept) {
  std::vector<Alternative> found;
  while (!accept.empty() && found.size() < kAlternativesMax) {
    auto part = take(accept, ',');
    auto name = take(part, ';');
    Alternative one;
    one.type = take(name, '/');
    one.subtype = name.empty() && one.type == "*" ? "*" : trim(name);
    if (one.subtype.empty() || one.subtype.find('/') != std::string_view::npos) continue;
    while (!part.empty()) read_parameter(take(part, ';'), one);
    found.push_back(one);
  }
  std::ranges::stable_sort(found, [](const Alternative& a, const Alternative& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    if ((a.type == "*") != (b.type == "*")) return b.type == "*";
    return a.subtype != "*" && b.subtype == "*";
  });
  return found;
}

std::optional<Encoding> encoding_of(const Alternative& one) {
  if (one.type == "*" && one.subtype == "*") return Encoding::Json;
  if (one.type != "application") return std::nullopt;
  if (one.subtype == "json" || one.subtype == "*") return Encoding::Json;
  if (one.subtype == "yaml") return Encoding::Yaml;
  return std::nullopt;
}

std::optional<Form> form_of(const Alternative& one, Offer offer) {
  if (!one.transforms) return Form::Object;
  if (offer == Offer::Groups && one.group == "apidiscovery.k8s.io" && one.version == "v2" &&
      one.as == "APIGroupDiscoveryList") {
    return Form::Discovery;
  }
  if (offer != Offer::Objects && offer != Offer::Untabled) return std::nullopt;
  if (one.group != "meta.k8s.io" || (one.version != "v1" && one.version != "v1beta1")) {
    return std::nullopt;
  }
  if (one.as == "Table" && offer == Offer::Objects) return Form::Table;
  if (one.as == "PartialObjectMetadata") return Form::PartialObject;
  if (one.as == "PartialObjectMetadataList") return Form::PartialList;
  return std::nullopt;
}

std::optional<Wanted> choose(std::string_view accept, Offer offer) {
  if (accept.empty()) return Wanted{};
  for (const auto& one : alternatives_in(accept)) {
    const auto encoding = encoding_of(one);
    const auto form = form_of(one, offer);
    if (!encoding || !form || !one.server_version.empty()) continue;
    // Only "watch" is a stream, and YAML has none.
    if (!one.stream.empty() && (one.stream != "watch" || *encoding == Encoding::Yaml)) continue;
    return Wanted{.encoding = *encoding,
                  .form = *form,
                  .meta = one.version == "v1beta1" ? MetaVersion::V1beta1 : MetaVersion::V1,
                  .pretty = one.pretty};
  }
  return std::nullopt;
}

bool accepts_one(std::string_view accept, std::span<const std::string_view> types) {
  if (accept.empty()) return true;
  while (!accept.empty()) {
    auto part = take(accept, ',');
    const auto type = take(part, ';');
    if (type == "*/*" || std::ranges::find(types, type) != types.end()) return true;
  }
  return false;
}

kube::Status available(std::string_view types) {
  auto status = kube::not_acceptable("406: Not Acceptable\n\nAvailable representations: " +
                                     std::string{types});
  status.details.emplace();
  return status;
}

}  // namespace

kube::Answer<Wanted> negotiate(std::string_view accept, Offer offer) {
  if (auto wanted = choose(accept, offer)) return *wanted;
  return std::unexpected(kube::not_acceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf"));
}

Wanted negotiate_status(std::string_view accept) {
  return choose(accept, Offer::Plain).value_or(Wanted{});
}

kube::Answer<void> check_routed(std::string_view accept, Produces produces) {
  static constexpr std::array<std::string_view, 3> kProduced{"application/json", "application/yaml",
                                                             "application/vnd.kubernetes.protobuf"};
  if (accepts_one(accept, kProduced)) return {};
  std::string text = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  if (produces == Produces::ObjectsAndStreams) {
    text += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  }
  return std::unexpected(available(text));
}

kube::Answer<void> check_produced(std::string_view accept, std::string_view type) {
  if (accepts_one(accept, {&type, 1})) return {};
  return std::unexpected(available(type));
}

std::optional<std::size_t> best_accepted(std::string_view accept,
                                         std::span<const std::string_view> types) {
  if (accept.empty()) return 0;
  for (const auto& one : alternatives_in(accept)) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      auto subtype = types[i];
      const auto type = take(subtype, '/');
      const bool fits =
          (one.type == "*" || one.type == type) && (one.subtype == "*" || one.subtype == subtype);
      if (fits) return i;
    }
  }
  return std::nullopt;
}

bool wants_pretty(std::string_view parameter, std::string_view user_agent) {
  static constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  if (!parameter.empty()) return std::ranges::find(kTrue, parameter) != kTrue.end();
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

}  // namespace fixpoint::front
