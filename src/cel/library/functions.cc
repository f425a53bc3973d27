// SPDX-License-Identifier: Apache-2.0
#include "cel/library/functions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

struct Row {
  std::string_view function;
  std::string_view id;
  bool member;
  std::string_view args;
  std::string_view result;
};

constexpr Row kRows[] = {
#include "cel/library/overloads.inc"
};

void collect_params(const Type& type, std::set<std::string_view>& out) {
  if (type.kind == TypeKind::Param) out.insert(type.name);
  for (const auto* param : type.params) collect_params(*param, out);
}

class Table {
 public:
  Table() {
    for (const auto& row : kRows) add(row);
    for (const auto natives :
         {operator_functions(), conversion_functions(), time_functions(), string_functions(),
          format_functions(), list_functions(), net_functions(), kube_functions()}) {
      for (const auto& native : natives) functions_.at(native.name).run = native.run;
    }
  }

  const Function* find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  void add(const Row& row) {
    Overload overload{.id = row.id, .member = row.member};
    // The arguments are read as those of a type of no name.
    const auto* all = read_type(fmt::format("args({})", row.args), pool_);
    overload.args = all->params;
    overload.result = read_type(row.result, pool_);
    std::set<std::string_view> params;
    for (const auto* arg : overload.args) collect_params(*arg, params);
    collect_params(*overload.result, params);
    overload.params = static_cast<int>(params.size());
    auto& function = functions_[row.function];
    function.name = row.function;
    function.overloads.push_back(std::move(overload));
  }

  TypePool pool_;
  std::map<std::string_view, Function> functions_;
};

}  // namespace

const Function* find_function(std::string_view name) {
  static const Table kTable;
  return kTable.find(name);
}

Value no_overload(std::string_view function, Args args) {
  std::string types;
  for (const auto& arg : args) {
    if (!types.empty()) types += ", ";
    types += arg.runtime_type();
  }
  return Value::error(fmt::format("no such overload: {}({})", function, types));
}

}  // namespace fixpoint::cel
