// SPDX-License-Identifier: Apache-2.0
//
// libyaml's events into a tree. Its problem texts are those of the Go library, which is a port of
// it; where a line is named, and how it is counted, follows the Go side.
#include "json/yaml/tree.h"

#include "base/hash.h"
#include "json/value.h"

#include <cstring>
#include <unordered_map>

#include <yaml.h>

namespace fixpoint::json {
namespace {

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string{} : std::string{reinterpret_cast<const char*>(text)};
}

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { clear(); }
  void clear() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }
  bool read(yaml_parser_t& parser) {
    clear();
    held_ = yaml_parser_parse(&parser, &event_) != 0;
    return held_;
  }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  yaml_event_t event_{};
  bool held_ = false;
};

}  // namespace

struct YamlReader::Impl {
  explicit Impl(std::string_view text) {
    FP_CHECK(yaml_parser_initialize(&parser) != 0);
    if (text.data() == nullptr) text = "";  // libyaml asserts that there is something to point at
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Impl() { yaml_parser_delete(&parser); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::unexpected<Error> failed(std::string_view problem) const {
    std::size_t line = 0;
    if (parser.problem_mark.line != 0) {
      line = parser.problem_mark.line + (parser.error == YAML_SCANNER_ERROR ? 1 : 0);
    } else {
      line = parser.context_mark.line;
    }
    std::string message = "yaml: ";
    if (line != 0) message += "line " + std::to_string(line) + ": ";
    message.append(problem);
    return fail(ErrorKind::Invalid, std::move(message));
  }

  Result<void> advance() {
    if (event.read(parser)) return {};
    return failed(parser.problem != nullptr ? parser.problem
                                            : "unknown problem parsing YAML content");
  }

  YamlNode& add(YamlNode::Kind kind) {
    auto& node = document->nodes.emplace_back();
    node.kind = kind;
    node.line = event->start_mark.line;
    return node;
  }

  void name(const YamlNode& node, const yaml_char_t* anchor) {
    if (anchor != nullptr) anchors[text_of(anchor)] = &node;
  }

  Result<const YamlNode*> scalar() {
    auto& node = add(YamlNode::Kind::Scalar);
    const auto& scalar = event->data.scalar;
    node.value.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.tag = text_of(scalar.tag);
    node.implicit = scalar.plain_implicit != 0;
    name(node, scalar.anchor);
    return &node;
  }

  Result<const YamlNode*> alias() {
    auto& node = add(YamlNode::Kind::Alias);
    node.value = text_of(event->data.alias.anchor);
    const auto found = anchors.find(node.value);
    if (found == anchors.end()) {
      return fail(ErrorKind::Invalid, "yaml: unknown anchor '" + node.value + "' referenced");
    }
    node.target = found->second;
    return &node;
  }

  Result<const YamlNode*> collection(YamlNode::Kind kind, const yaml_char_t* anchor,
                                     yaml_event_type_t end) {
    auto& node = add(kind);
    name(node, anchor);
    if (++depth > kDepthMax) {
      return failed("exceeded max depth of " + std::to_string(kDepthMax));
    }
    for (;;) {
      FP_TRY_VOID(advance());
      if (event->type == end) break;
      FP_TRY(child, current());
      node.children.push_back(child);
    }
    --depth;
    return &node;
  }

  // The node that begins with the event at hand.
  Result<const YamlNode*> current() {
    switch (event->type) {
      case YAML_SCALAR_EVENT: return scalar();
      case YAML_ALIAS_EVENT: return alias();
      case YAML_SEQUENCE_START_EVENT:
        return collection(YamlNode::Kind::Sequence, event->data.sequence_start.anchor,
                          YAML_SEQUENCE_END_EVENT);
      case YAML_MAPPING_START_EVENT:
        return collection(YamlNode::Kind::Mapping, event->data.mapping_start.anchor,
                          YAML_MAPPING_END_EVENT);
      default: return failed("unexpected event");
    }
  }

  yaml_parser_t parser{};
  Event event;
  YamlDocument* document = nullptr;
  std::unordered_map<std::string, const YamlNode*, StringHash> anchors;
  std::size_t depth = 0;
  bool started = false;
};

YamlReader::YamlReader(std::string_view text) : impl_(std::make_unique<Impl>(text)) {}
YamlReader::~YamlReader() = default;

Result<std::optional<YamlDocument>> YamlReader::next() {
  if (!impl_->started) FP_TRY_VOID(impl_->advance());  // the stream's start
  impl_->started = true;
  FP_TRY_VOID(impl_->advance());
  if (impl_->event->type == YAML_STREAM_END_EVENT) return std::nullopt;
  YamlDocument document;
  impl_->document = &document;
  impl_->anchors.clear();
  FP_TRY_VOID(impl_->advance());
  FP_TRY(root, impl_->current());
  document.root = root;
  FP_TRY_VOID(impl_->advance());  // the document's end
  return document;
}

}  // namespace fixpoint::json
