// SPDX-License-Identifier: Apache-2.0
//
// Pieces that table cells are made of.
#pragma once

#include "base/clock.h"
#include "json/draft.h"
#include "json/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

inline constexpr std::string_view kNone = "<none>";
inline constexpr std::string_view kUnset = "<unset>";

json::Draft name_cell(json::View object);
json::Draft age_cell(json::View object, Instant now);
// The text, or the other one where it is absent or empty.
std::string or_else(json::View text, std::string_view otherwise);
std::string text(json::View value);
// "1/2"
std::string ratio(std::int64_t part, std::int64_t whole);

// The values of a list of strings.
std::vector<std::string> strings_of(json::View list);
// One member of each object in a list.
std::vector<std::string> each(json::View list, std::string_view member);
std::string joined(const std::vector<std::string>& parts, std::string_view between);

// "a=b,c=d" or <none>.
std::string labels_text(json::View labels);
// The same of a LabelSelector object.
std::string selector_text(json::View selector);
// Names and images of a pod spec's containers, comma-separated.
std::string container_names(json::View pod_spec);
std::string container_images(json::View pod_spec);

// At most three, then how many more.
std::string first_three(const std::vector<std::string>& all);

// The condition of a type in a list, or null.
json::View condition(json::View conditions, std::string_view type);
bool condition_true(json::View conditions, std::string_view type);

}  // namespace fixpoint::kinds
