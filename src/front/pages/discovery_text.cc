// SPDX-License-Identifier: Apache-2.0
#include "front/pages/discovery_text.h"

#include "json/print.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace fixpoint::front {
namespace {

struct Layout;

struct LayoutMember {
  std::string_view key;
  const Layout* layout = nullptr;  // of its value, or of each element of it; null: as it is sorted
};

struct Layout {
  std::span<const LayoutMember> members;
};

constexpr LayoutMember kVersionOfGroupMembers[] = {{"groupVersion"}, {"version"}};
constexpr Layout kVersionOfGroupLayout{kVersionOfGroupMembers};

constexpr LayoutMember kGroupMembers[] = {
    {"kind"},
    {"apiVersion"},
    {"name"},
    {"versions", &kVersionOfGroupLayout},
    {"preferredVersion", &kVersionOfGroupLayout},
};
constexpr Layout kGroupLayout{kGroupMembers};

constexpr LayoutMember kGroupListMembers[] = {
    {"kind"},
    {"apiVersion"},
    {"groups", &kGroupLayout}
};
constexpr Layout kGroupListLayout{kGroupListMembers};

constexpr LayoutMember kVersionsMembers[] = {
    {"kind"}, {"versions"}, {"serverAddressByClientCIDRs"}};
constexpr Layout kVersionsLayout{kVersionsMembers};

constexpr LayoutMember kResourceMembers[] = {
    {"name"}, {"singularName"}, {"namespaced"}, {"group"},      {"version"},
    {"kind"}, {"verbs"},        {"shortNames"}, {"categories"}, {"storageVersionHash"},
};
constexpr Layout kResourceLayout{kResourceMembers};

constexpr LayoutMember kResourceListMembers[] = {
    {"kind"},
    {"apiVersion"},
    {"groupVersion"},
    {"resources", &kResourceLayout}
};
constexpr Layout kResourceListLayout{kResourceListMembers};

constexpr LayoutMember kKindMembers[] = {{"group"}, {"version"}, {"kind"}};
constexpr Layout kKindLayout{kKindMembers};

constexpr LayoutMember kSubresourceMembers[] = {
    {"subresource"},
    {"responseKind", &kKindLayout},
    {"acceptedTypes", &kKindLayout},
    {"verbs"}
};
constexpr Layout kSubresourceLayout{kSubresourceMembers};

constexpr LayoutMember kFoundResourceMembers[] = {
    {"resource"},
    {"responseKind", &kKindLayout},
    {"scope"},
    {"singularResource"},
    {"verbs"},
    {"shortNames"},
    {"categories"},
    {"subresources", &kSubresourceLayout},
};
constexpr Layout kFoundResourceLayout{kFoundResourceMembers};

constexpr LayoutMember kFoundVersionMembers[] = {
    {"version"},
    {"resources", &kFoundResourceLayout},
    {"freshness"}
};
constexpr Layout kFoundVersionLayout{kFoundVersionMembers};

constexpr LayoutMember kFoundGroupMembers[] = {
    {"metadata"},
    {"versions", &kFoundVersionLayout}
};
constexpr Layout kFoundGroupLayout{kFoundGroupMembers};

constexpr LayoutMember kFoundMembers[] = {
    {"kind"},
    {"apiVersion"},
    {"metadata"},
    {"items", &kFoundGroupLayout}
};
constexpr Layout kFoundLayout{kFoundMembers};

constexpr LayoutMember kProgramMembers[] = {
    {"major"},
    {"minor"},
    {"emulationMajor"},
    {"emulationMinor"},
    {"minCompatibilityMajor"},
    {"minCompatibilityMinor"},
    {"gitVersion"},
    {"gitCommit"},
    {"gitTreeState"},
    {"buildDate"},
    {"goVersion"},
    {"compiler"},
    {"platform"},
};
constexpr Layout kProgramLayout{kProgramMembers};

const Layout* layout_of(json::View document) {
  const auto kind = document.get("kind").as_string();
  if (kind == "APIVersions") return &kVersionsLayout;
  if (kind == "APIGroupList") return &kGroupListLayout;
  if (kind == "APIGroup") return &kGroupLayout;
  if (kind == "APIResourceList") return &kResourceListLayout;
  if (kind == "APIGroupDiscoveryList") return &kFoundLayout;
  return document.contains("gitVersion") ? &kProgramLayout : nullptr;
}

class DiscoveryWriter {
 public:
  explicit DiscoveryWriter(Indent indent) : indent_(indent) {}

  void value(json::View value, const Layout* layout) {
    if (value.is_object() && !value.empty()) return object(value, layout);
    if (value.is_array() && !value.empty()) return array(value, layout);
    json::print(value, text_);
  }

  std::string take() { return std::move(text_); }

 private:
  void object(json::View value, const Layout* layout) {
    const std::span<const LayoutMember> first =
        layout == nullptr ? std::span<const LayoutMember>{} : layout->members;
    open('{');
    for (const auto& each : first) {
      if (const auto found = value.find(each.key)) member(each.key, *found, each.layout);
    }
    for (const auto& [key, found] : value.members()) {
      const bool written = std::ranges::find(first, key, &LayoutMember::key) != first.end();
      if (!written) member(key, found, nullptr);
    }
    close('}');
  }

  void array(json::View value, const Layout* layout) {
    open('[');
    for (const auto element : value.elements()) {
      next();
      this->value(element, layout);
    }
    close(']');
  }

  void member(std::string_view key, json::View value, const Layout* layout) {
    next();
    json::print_string(key, text_);
    text_ += indent_ == Indent::None ? ":" : ": ";
    this->value(value, layout);
  }

  void open(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    new_line();
    text_ += bracket;
    first_ = false;
  }
  void next() {
    if (!first_) text_ += ',';
    first_ = false;
    new_line();
  }
  void new_line() {
    if (indent_ == Indent::None) return;
    text_ += '\n';
    text_.append(2 * depth_, ' ');
  }

  Indent indent_;
  std::size_t depth_ = 0;
  bool first_ = true;
  std::string text_;
};

}  // namespace

std::string discovery_text(json::View document, Indent indent) {
  DiscoveryWriter writer(indent);
  writer.value(document, layout_of(document));
  return writer.take();
}

}  // namespace fixpoint::front
