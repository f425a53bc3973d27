// SPDX-License-Identifier: Apache-2.0
//
// Table: one C++ struct as Kubernetes sees it, a row per field. The only place where a field's
// name, bounds and meaning are written; decoding, encoding, the CRD, the reference page and the
// input generator all read it.
//
//   struct PageSpec {
//     std::string text;
//     std::int32_t replicas = 1;
//     static types::Table table();
//   };
//   types::Table PageSpec::table() {
//     return types::describe<PageSpec>("What is served, and how often.", {
//         {"text",     &PageSpec::text,     "What the page says.", {.required = true}},
//         {"replicas", &PageSpec::replicas, "How many serve it.",  {.minimum = 0, .maximum = 9}},
//     });
//   }
//
// A default is the member's own: what a default-constructed struct holds is what the CRD says, so
// the two cannot differ. `std::optional` has none, unless it holds something; empty texts, lists
// and maps count as not given. `mistakes` names what makes no sense; a test of each table calls it.
// Read next: kind.h, which makes a Kubernetes kind of two tables; decode.h and encode.h.
#pragma once

#include "types/type.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::kube {
class Pattern;
}

namespace fixpoint::types {

// What server-side apply merges and what must be unique: nothing, equal elements, or elements with
// equal keys.
enum class ListKind : std::uint8_t { Atomic, Set, Map };

// A json::Value: anything, an object, or a whole Kubernetes object with apiVersion and kind.
enum class Holds : std::uint8_t { Anything, Object, Resource };

// A CEL rule that the server checks; `self` is the value, `oldSelf` what it was. Rules are not
// evaluated here: what an operator relies on, its own validate() checks as well.
struct Rule {
  std::string rule{};
  std::string message{};
  std::string message_expression{};
  std::string field_path{};  // ".spec.size": where the error is shown
  std::string reason{};      // FieldValueInvalid by default, …Forbidden, …Required, …Duplicate
  bool optional_old_self = false;
};

// What may stand in a field beyond its type. Leave out what is not asked for.
struct Limits {
  bool required = false;
  bool immutable = false;
  bool nullable = false;  // null is a value of its own (std::optional only)
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of{};
  // Of durations and quantities: "30s", "10Gi". The server checks them with CEL.
  std::string at_least{};
  std::string at_most{};
  std::optional<std::size_t> min_length{};  // characters
  std::optional<std::size_t> max_length{};
  std::string pattern{};  // RE2, found anywhere: anchor it
  // What people are told instead of the pattern: "is not a host name; Write it as a.example". The
  // server says it too: the pattern becomes a CEL rule, since a schema's own has no message.
  std::string pattern_advice{};
  std::string format{};  // one that kube/schema/validate_format.h knows
  std::vector<std::string> one_of{};
  std::optional<std::size_t> min_items{};  // of lists, and entries of maps
  std::optional<std::size_t> max_items{};
  ListKind list = ListKind::Atomic;
  std::vector<std::string> keys{};  // ListKind::Map
  bool atomic = false;              // of maps and structs: one owner for the whole of it
  Holds holds = Holds::Anything;
  std::vector<Limits> items{};  // none or one: of each element of a list or map
  // A value that is allowed, as YAML: shown to people, and where samples of patterns come from.
  std::string example{};
  std::vector<Rule> rules{};

  // Compiled from `pattern` by describe().
  std::shared_ptr<const kube::Pattern> compiled_pattern{};
};

struct Field {
  std::string name{};
  std::string doc{};
  const Type* type = nullptr;
  std::size_t offset = 0;  // in the struct
  Limits limits;
  // What the CRD says it is when it is not given; found by describe() (encode.h).
  std::optional<json::Value> default_value{};
};

struct Table {
  std::string doc{};
  std::vector<Field> fields{};
  std::vector<Rule> rules{};
  const void* defaults = nullptr;  // a default-constructed struct

  const Field* find(std::string_view name) const;
};

inline const void* member_of(const void* owner, const Field& field) {
  return static_cast<const std::byte*>(owner) + field.offset;
}
inline void* member_of(void* owner, const Field& field) {
  return static_cast<std::byte*>(owner) + field.offset;
}

template <class Owner>
const Owner& default_constructed() {
  static const Owner kOwner{};
  return kOwner;
}

// NOLINTBEGIN(performance-unnecessary-value-param): all are moved, which the check does not see
// through an initializer with names in a template.

// A row as authors write it.
template <class Owner>
struct Row {
  template <class Member>
  Row(std::string name, Member Owner::* member, std::string doc, Limits limits = {})
      : field{.name = std::move(name),
              .doc = std::move(doc),
              .type = &type_of<Member>(),
              .offset = static_cast<std::size_t>(
                  reinterpret_cast<const std::byte*>(&(default_constructed<Owner>().*member)) -
                  reinterpret_cast<const std::byte*>(&default_constructed<Owner>())),
              .limits = std::move(limits)} {}
  Field field;
};

// Finds the defaults and compiles the patterns; one that does not compile is among the mistakes.
Table finish(Table table);

template <class Owner>
Table describe(std::string doc, std::initializer_list<Row<Owner>> rows,
               std::vector<Rule> rules = {}) {
  Table table{.doc = std::move(doc),
              .fields = {},
              .rules = std::move(rules),
              .defaults = &default_constructed<Owner>()};
  table.fields.reserve(rows.size());
  for (const auto& row : rows) table.fields.push_back(row.field);
  return finish(std::move(table));
}
// NOLINTEND(performance-unnecessary-value-param)

template <Described T>
const Table& table_of() {
  static const Table kTable = T::table();
  return kTable;
}

bool has_required(const Table& table);

// Whatever makes no sense, of this table and those below, each with its path; none in a good one.
std::vector<std::string> mistakes(const Table& table);

}  // namespace fixpoint::types
