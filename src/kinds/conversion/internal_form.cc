// SPDX-License-Identifier: Apache-2.0
#include "kinds/conversion/internal_form.h"

#include "base/error.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/go/unified_diff.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fixpoint::kinds {
namespace {

using json::View;

struct InternalRow {
  std::string_view name;
  std::string_view fields;
};

constexpr InternalRow kTypes[] = {
#include "kinds/tables/internal_batch.inc"
#include "kinds/tables/internal_core.inc"
#include "kinds/tables/internal_flowcontrol.inc"
#include "kinds/tables/internal_resource.inc"
    // Of meta/v1, which looks the same inside and outside: "?" is left out when empty.
    {"LabelSelector",            R"(matchLabels matchLabels ?map
matchExpressions matchExpressions ?[]LabelSelectorRequirement
)"},
    {"LabelSelectorRequirement", R"(key key string
operator operator string
values values ?[]string
)"              },
    {"ObjectMeta",               R"(name name ?string
generateName generateName ?string
namespace namespace ?string
labels labels ?map
annotations annotations ?map
ownerReferences ownerReferences ?[]OwnerReference
finalizers finalizers ?[]string
)"           },
    {"OwnerReference",           R"(apiVersion apiVersion string
kind kind string
name name string
uid uid string
controller controller ?*bool
blockOwnerDeletion blockOwnerDeletion ?*bool
)"},
};

struct Field {
  std::string_view name;       // empty: embedded
  std::string_view published;  // its v1 name
  std::string_view type;
};

using Fields = std::vector<Field>;

std::string_view next_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

Fields parse_fields(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    Field field{.name = next_word(line), .published = {}, .type = {}};
    if (field.name == "+") {
      field.name = {};
    } else {
      field.published = next_word(line);
    }
    field.type = line;
    fields.push_back(field);
  }
  return fields;
}

const Fields& fields_of(std::string_view type) {
  static const auto kAll = [] {
    std::map<std::string_view, Fields> all;
    for (const auto& row : kTypes) all.emplace(row.name, parse_fields(row.fields));
    return all;
  }();
  const auto found = kAll.find(type);
  FP_CHECK(found != kAll.end());
  return found->second;
}

// The fields that are published in a pod's spec and inside in its security context.
json::Value with_host_fields(View spec) {
  json::Draft moved{spec};
  auto& context = moved.object_at("securityContext");
  for (const auto key :
       {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"}) {
    if (const auto value = spec.find(key)) context[key] = json::Draft{*value};
  }
  return moved.freeze();
}

bool is_go_empty(View value) {
  if (value.is_string()) return value.as_string().empty();
  return value.is_null() || (!value.is_bool() && value.empty());
}

void print(std::string_view type, View value, std::string& out);

void print_fields(std::string_view type, View value, bool& first, std::string& out) {
  for (const auto& field : fields_of(type)) {
    if (field.name.empty()) {
      // Metadata keeps its name outside; other embedded types have none.
      print_fields(field.type, field.type == "ObjectMeta" ? value.get("metadata") : value, first,
                   out);
      continue;
    }
    auto kind = field.type;
    const View member = value.get(field.published);
    if (kind.starts_with('?')) {
      kind.remove_prefix(1);
      if (is_go_empty(member)) continue;
    }
    if (!first) out += ',';
    first = false;
    json::print_string(field.name, out);
    out += ':';
    print(kind, member, out);
  }
}

void print_struct(std::string_view type, View value, std::string& out) {
  bool first = true;
  out += '{';
  if (type == "PodSpec") {
    const json::Value spec = with_host_fields(value);
    print_fields(type, spec, first, out);
  } else {
    print_fields(type, value, first, out);
  }
  out += '}';
}

void print_list(std::string_view type, View value, std::string& out) {
  out += '[';
  bool first = true;
  for (const View element : value.elements()) {
    if (!first) out += ',';
    first = false;
    print(type, element, out);
  }
  out += ']';
}

void print(std::string_view type, View value, std::string& out) {
  if (type.starts_with('*')) {
    if (value.is_null()) {
      out += "null";
    } else {
      print(type.substr(1), value, out);
    }
  } else if (type.starts_with("[]")) {
    if (value.is_null()) {
      out += "null";
    } else {
      print_list(type.substr(2), value, out);
    }
  } else if (type == "string") {
    json::print_string(value.as_string(), out);
  } else if (type == "bool") {
    out += value.as_bool() ? "true" : "false";
  } else if (type == "quantity" && value.is_null()) {
    out += "\"0\"";
  } else if ((type == "int" || type == "either") && value.is_null()) {
    out += '0';
  } else if (type == "map" || type == "int" || type == "quantity" || type == "either" ||
             type == "Time" || type == "runtime.RawExtension") {
    json::print(value, out);
  } else {
    print_struct(type, value, out);
  }
}

// As json.MarshalIndent with one space.
std::string indented(std::string_view text) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out += '\n' + std::string(depth, ' '); };
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      out += c;
      if (c == '\\') out += text[++i];
      quoted = c != '"';
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '}' || c == ']') {
      --depth;
      new_line();
    }
    out += c;
    if (c == ':') out += ' ';
    if (c == ',') new_line();
    if (c == '{' || c == '[') {
      if (text[i + 1] == '}' || text[i + 1] == ']') {
        out += text[++i];
        continue;
      }
      ++depth;
      new_line();
    }
  }
  return out;
}

}  // namespace

std::string internal_text(std::string_view type, View published) {
  std::string out;
  print(type, published, out);
  return out;
}

std::string internal_diff(std::string_view type, View before, View after) {
  return kube::unified_diff(indented(internal_text(type, before)),
                            indented(internal_text(type, after)));
}

}  // namespace fixpoint::kinds
