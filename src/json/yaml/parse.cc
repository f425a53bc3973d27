// SPDX-License-Identifier: Apache-2.0
//
// A YAML tree into JSON: scalars resolved, aliases and merge keys expanded within bounds, keys made
// strings. The order of events, and so of errors, is the Go library's.
#include "json/parsing/parse.h"

#include "base/base64.h"
#include "base/hash.h"
#include "json/draft.h"
#include "json/print.h"
#include "json/text.h"
#include "json/yaml/scalar.h"
#include "json/yaml/tree.h"
#include "json/yaml/yaml.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace fixpoint::json {
namespace {

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

// How much of a document may come from aliases, by the Go library's rule: nearly all of a small
// one, little of a large one.
bool excessive_aliasing(std::size_t decoded, std::size_t by_alias) {
  constexpr double kLow = 400'000;
  constexpr double kHigh = 4'000'000;
  if (by_alias <= 100 || decoded <= 1000) return false;
  const auto count = static_cast<double>(decoded);
  const auto place = std::clamp((count - kLow) / (kHigh - kLow), 0.0, 1.0);
  return static_cast<double>(by_alias) / count > 0.99 - 0.89 * place;
}

// A value in Go's syntax, as its library quotes what cannot be a key. Floats and the keys of inner
// maps are near enough: nobody reads on after this message.
std::string go_syntax(const Draft& draft) {
  std::string out;
  switch (draft.type()) {
    case Type::Null: return "interface {}(nil)";
    case Type::String: print_string(draft.as_string(), out, Escape::Plain); return out;
    case Type::Array: out = "[]interface {}{"; break;
    case Type::Object: out = "map[interface {}]interface {}{"; break;
    default: {
      const auto scalar = draft.freeze();
      return to_text(scalar);
    }
  }
  const auto separate = [&] {
    if (!out.ends_with('{')) out += ", ";
  };
  if (draft.is_object()) {
    for (const auto& [key, member] : draft.members()) {
      separate();
      print_string(key, out, Escape::Plain);
      out += ":" + go_syntax(member);
    }
  } else {
    for (const auto& element : draft.elements()) {
      separate();
      out += go_syntax(element);
    }
  }
  return out + "}";
}

// A mapping while it is being filled: typed keys tell 1 from "1", as Go's maps do.
struct Fill {
  struct Entry {
    std::string name;
    Draft value;
    std::size_t order;
  };
  std::vector<Entry> entries;
  std::unordered_map<std::string, std::size_t, StringHash> places;  // by typed key
};

// Keys that JSON cannot have: refused at the end, after everything else was looked at.
constexpr char kUnsupported = 'u';

struct Key {
  char type;          // a letter for each type of key
  std::string name;   // as a JSON key
  std::string shown;  // as Go's %#v shows it

  std::string typed() const { return type + shown; }
};

std::unexpected<Error> too_deep() {
  return refuse("yaml: exceeded max depth of " + std::to_string(kDepthMax));
}

class Decoder {
 public:
  explicit Decoder(Duplicates duplicates) : duplicates_(duplicates) {}

  Result<Value> decode(const YamlNode& root) {
    FP_TRY(draft, value(root));
    if (!problems_.empty()) return refuse("yaml: unmarshal errors:" + problems_);
    if (!unsupported_.empty()) return refuse(unsupported_);
    return draft.freeze();
  }

 private:
  Result<void> count(std::size_t bytes) {
    ++decoded_;
    if (alias_depth_ > 0) {
      ++by_alias_;
      alias_bytes_ += bytes;
    }
    if (excessive_aliasing(decoded_, by_alias_) || alias_bytes_ > kYamlExpandedBytesMax) {
      return refuse("yaml: document contains excessive aliasing");
    }
    return {};
  }

  Result<Draft> value(const YamlNode& node) {
    FP_TRY_VOID(count(node.value.size()));
    switch (node.kind) {
      case YamlNode::Kind::Scalar: return scalar(node);
      case YamlNode::Kind::Alias: return through_alias(node, [&] { return value(*node.target); });
      default: break;
    }
    if (depth_ == kDepthMax) return too_deep();
    ++depth_;
    auto result = node.kind == YamlNode::Kind::Sequence ? sequence(node) : mapping(node);
    --depth_;
    return result;
  }

  template <class Visit>
  std::invoke_result_t<Visit> through_alias(const YamlNode& alias, Visit visit) {
    if (!visiting_.insert(&alias).second) {
      return refuse("yaml: anchor '" + alias.value + "' value contains itself");
    }
    ++alias_depth_;
    auto result = visit();
    --alias_depth_;
    visiting_.erase(&alias);
    return result;
  }

  Result<Draft> sequence(const YamlNode& node) {
    auto out = Draft::array();
    out.elements().reserve(node.children.size());
    for (const auto* child : node.children) {
      FP_TRY(element, value(*child));
      out.push_back(std::move(element));
    }
    return out;
  }

  Result<Draft> mapping(const YamlNode& node) {
    Fill fill;
    FP_TRY_VOID(fill_from(node, fill));
    // Equal names can remain, from keys of different types: the later one stays.
    std::ranges::sort(fill.entries, {}, [](const Fill::Entry& entry) {
      return std::pair<std::string_view, std::size_t>{entry.name, entry.order};
    });
    auto out = Draft::object();
    auto& members = out.members();
    members.reserve(fill.entries.size());
    for (auto& entry : fill.entries) {
      if (!members.empty() && members.back().key == entry.name) members.pop_back();
      members.push_back({std::move(entry.name), std::move(entry.value)});
    }
    return out;
  }

  Result<void> fill_from(const YamlNode& node, Fill& fill) {
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const auto& key_node = *node.children[i];
      const auto& value_node = *node.children[i + 1];
      if (is_merge(key_node)) {
        FP_TRY_VOID(merge(value_node, fill));
        continue;
      }
      FP_TRY(name, key(key_node));
      FP_TRY(member, value(value_node));
      if (name.type == kUnsupported) note_unsupported(name, member);
      set(fill, name, std::move(member), value_node.line);
    }
    return {};
  }

  void set(Fill& fill, const Key& name, Draft member, std::size_t line) {
    const auto [place, is_new] = fill.places.try_emplace(name.typed(), fill.entries.size());
    if (is_new) {
      fill.entries.push_back({name.name, std::move(member), fill.entries.size()});
    } else if (duplicates_ == Duplicates::KeepLast) {
      fill.entries[place->second].value = std::move(member);
    } else {
      problems_ +=
          "\n  line " + std::to_string(line + 1) + ": key " + name.shown + " already set in map";
    }
  }

  void note_unsupported(const Key& name, const Draft& member) {
    if (!unsupported_.empty()) return;
    const bool null = name.shown == "<nil>";
    unsupported_ = "unsupported map key of type: " + std::string{null ? "%!s(<nil>)" : "uint64"} +
                   ", key: " + name.shown +
                   ", value: " + (member.is_null() ? "<nil>" : go_syntax(member));
  }

  static bool is_merge(const YamlNode& node) {
    return node.kind == YamlNode::Kind::Scalar && node.value == "<<" &&
           (node.implicit || node.tag == "tag:yaml.org,2002:merge");
  }

  Result<void> merge(const YamlNode& node, Fill& fill) {
    if (node.kind != YamlNode::Kind::Sequence) return merge_one(node, fill);
    // Backwards, because earlier ones win.
    for (auto i = node.children.size(); i > 0; --i) {
      FP_TRY_VOID(merge_one(*node.children[i - 1], fill));
    }
    return {};
  }

  Result<void> merge_one(const YamlNode& node, Fill& fill) {
    const bool alias = node.kind == YamlNode::Kind::Alias;
    const auto& source = alias ? *node.target : node;
    if (source.kind != YamlNode::Kind::Mapping) {
      return refuse("yaml: map merge requires map or sequence of maps as the value");
    }
    FP_TRY_VOID(count(0));
    if (depth_ == kDepthMax) return too_deep();
    ++depth_;
    auto result = alias ? through_alias(node, [&] { return fill_from(source, fill); })
                        : fill_from(source, fill);
    --depth_;
    return result;
  }

  Result<Scalar> resolve(const YamlNode& node) {
    if (!node.tag.empty()) return resolve_tagged(node.tag, node.value);
    return node.implicit ? resolve_plain(node.value) : Scalar{};
  }

  Result<std::string> text(const YamlNode& node, const Scalar& scalar) {
    if (scalar.tag != ScalarTag::Binary) return node.value;
    if (auto bytes = base64_decode(node.value)) return *std::move(bytes);
    return refuse("yaml: !!binary value contains invalid base64 data");
  }

  // The value as it is after passing through JSON text.
  Result<Draft> scalar(const YamlNode& node) {
    FP_TRY(resolved, resolve(node));
    switch (resolved.tag) {
      case ScalarTag::Null: return Draft{};
      case ScalarTag::Bool: return Draft{resolved.boolean};
      case ScalarTag::Int:
        if (resolved.fits_int64()) return Draft{resolved.integer()};
        return Draft{static_cast<double>(resolved.magnitude)};
      case ScalarTag::Float: return number(resolved.number);
      default: break;
    }
    FP_TRY(string, text(node, resolved));
    return Draft{std::move(string)};
  }

  static Result<Draft> number(double value) {
    if (std::isnan(value)) return refuse("json: unsupported value: NaN");
    if (std::isinf(value)) {
      return refuse(value > 0 ? "json: unsupported value: +Inf" : "json: unsupported value: -Inf");
    }
    std::string shown;
    print_double(value, shown);
    FP_TRY(read, parse(shown));
    return Draft{read};
  }

  Result<Key> key(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::Alias) {
      FP_TRY_VOID(count(0));
      return through_alias(node, [&] { return key(*node.target); });
    }
    FP_TRY_VOID(count(node.value.size()));
    if (node.kind != YamlNode::Kind::Scalar) {
      FP_TRY(shown, node.kind == YamlNode::Kind::Sequence ? sequence(node) : mapping(node));
      return refuse("yaml: invalid map key: " + go_syntax(shown));
    }
    FP_TRY(resolved, resolve(node));
    switch (resolved.tag) {
      case ScalarTag::Null: return Key{kUnsupported, {}, "<nil>"};
      case ScalarTag::Bool: return simple_key('b', resolved.boolean ? "true" : "false");
      case ScalarTag::Int:
        if (resolved.fits_int64()) return simple_key('i', std::to_string(resolved.integer()));
        return Key{kUnsupported, {}, fmt::format("{:#x}", resolved.magnitude)};
      case ScalarTag::Float:
        return Key{'f', general_float(static_cast<float>(resolved.number)),
                   general_float(resolved.number)};
      default: break;
    }
    FP_TRY(string, text(node, resolved));
    std::string shown;
    print_string(string, shown, Escape::Plain);
    return Key{'s', valid_utf8(string) ? string : repaired_utf8(string), shown};
  }

  static Key simple_key(char type, const std::string& text) { return {type, text, text}; }

  Duplicates duplicates_;
  std::string problems_;
  std::string unsupported_;
  std::unordered_set<const YamlNode*> visiting_;
  std::size_t depth_ = 0;
  std::size_t alias_depth_ = 0;
  std::size_t decoded_ = 1;  // the document itself
  std::size_t by_alias_ = 0;
  std::size_t alias_bytes_ = 0;
};

Result<void> check_size(std::string_view text) {
  if (text.size() <= kTextBytesMax) return {};
  return fail(ErrorKind::Exhausted, "YAML text of " + std::to_string(text.size()) +
                                        " bytes is larger than the limit of " +
                                        std::to_string(kTextBytesMax));
}

}  // namespace

Result<Value> parse_yaml(std::string_view text, Duplicates duplicates) {
  FP_TRY_VOID(check_size(text));
  YamlReader reader{text};
  FP_TRY(document, reader.next());
  if (!document) return Value{};
  return Decoder{duplicates}.decode(*document->root);
}

Result<std::vector<Value>> parse_yaml_documents(std::string_view text, Duplicates duplicates) {
  FP_TRY_VOID(check_size(text));
  YamlReader reader{text};
  std::vector<Value> values;
  for (;;) {
    FP_TRY(document, reader.next());
    if (!document) return values;
    FP_TRY(value, Decoder{duplicates}.decode(*document->root));
    if (!value.is_null()) values.push_back(std::move(value));
  }
}

}  // namespace fixpoint::json
