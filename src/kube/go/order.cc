// SPDX-License-Identifier: Apache-2.0
#include "kube/go/order.h"

#include "json/print.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::View;

// A float that is whole was written with a fraction, an exponent, or more digits than an integer
// holds.
void print_number(View number, std::string& out) {
  constexpr double kExactMax = 9007199254740992.0;
  const double value = number.as_double();
  if (number.is_int() || value != std::trunc(value)) return json::print(number, out);
  out += std::abs(value) < kExactMax ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

class GoOrderPrinter {
 public:
  std::string take() { return std::move(out_); }

  void sorted(View value) {
    if (value.is_number()) return print_number(value, out_);
    if (value.is_object()) {
      open('{');
      for (const auto [key, member] : value.members()) {
        name(key);
        sorted(member);
      }
      return close('}');
    }
    if (!value.is_array()) return json::print(value, out_);
    open('[');
    for (const View element : value.elements()) {
      separate();
      sorted(element);
    }
    close(']');
  }

  void in_field_order(const Schema* schema, View value) {
    if (schema == nullptr) return sorted(value);
    if (value.is_object() && schema->go_kind == GoKind::Struct) return fields(*schema, value);
    if (schema->go_kind == GoKind::Json && schema->additional_properties != nullptr) {
      return either(*schema->additional_properties, value);
    }
    if (value.is_object() && schema->go_kind == GoKind::Map) {
      open('{');
      for (const auto [key, member] : value.members()) {
        name(key);
        in_field_order(schema->additional_properties, member);
      }
      return close('}');
    }
    if (!value.is_array() || schema->go_kind != GoKind::Slice) return sorted(value);
    open('[');
    for (const View element : value.elements()) {
      separate();
      in_field_order(schema->items, element);
    }
    close(']');
  }

  void patched(const Schema* schema, View value, View touched) {
    if (value.is_object() && touched.is_object()) {
      open('{');
      for (const auto [key, member] : value.members()) {
        name(key);
        below(member_schema(schema, key), member, touched.find(key));
      }
      return close('}');
    }
    if (!value.is_array() || !touched.is_object()) return sorted(value);
    open('[');
    std::size_t index = 0;
    for (const View element : value.elements()) {
      separate();
      const auto* items = schema == nullptr ? nullptr : schema->items;
      below(items, element, touched.find(fmt::format("{}", index++)));
    }
    close(']');
  }

 private:
  void below(const Schema* schema, View value, const std::optional<View>& touched) {
    if (touched) return patched(schema, value, *touched);
    in_field_order(schema, value);
  }

  static const Schema* member_schema(const Schema* schema, std::string_view key) {
    if (schema == nullptr) return nullptr;
    if (schema->go_kind == GoKind::Map) return schema->additional_properties;
    const Property* property = schema->property(key);
    return property == nullptr ? nullptr : property->schema;
  }

  // A schema, a list of schemas or something plain: `items` and their like in a CRD's schema.
  void either(const Schema& schema, View value) {
    if (!value.is_array()) return in_field_order(&schema, value);
    open('[');
    for (const View element : value.elements()) {
      separate();
      in_field_order(&schema, element);
    }
    close(']');
  }

  void fields(const Schema& schema, View value) {
    open('{');
    for (const Property& property : schema.properties) {
      const auto member = value.find(property.name);
      if (!member) continue;
      name(property.name);
      in_field_order(property.schema, *member);
    }
    close('}');
  }

  void open(char bracket) {
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  void name(std::string_view key) {
    separate();
    json::print_string(key, out_);
    out_ += ':';
  }

  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string likely_text(View value) {
  GoOrderPrinter printer;
  printer.sorted(value);
  return printer.take();
}

std::string patched_text(const Schema* schema, View object, View touched) {
  GoOrderPrinter printer;
  printer.patched(schema, object, touched);
  return printer.take();
}

}  // namespace fixpoint::kube
