// SPDX-License-Identifier: Apache-2.0
//
// Content negotiation: in which form a client wants its answer, by the rules of a real server: the
// alternatives of an Accept header by quality, each with its parameters for a transformation.
#pragma once

#include "kube/errors/status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fixpoint::front {

enum class Encoding : std::uint8_t { Json, Yaml };
enum class Form : std::uint8_t { Object, Table, PartialObject, PartialList, Discovery };
enum class MetaVersion : std::uint8_t { V1, V1beta1 };  // of meta.k8s.io

struct Wanted {
  Encoding encoding = Encoding::Json;
  Form form = Form::Object;
  MetaVersion meta = MetaVersion::V1;
  bool pretty = false;
};

// Which forms there are besides the plain one: of objects those of meta.k8s.io, of some all but the
// table, of the lists of groups (/api, /apis) the aggregated one, of other documents none.
enum class Offer : std::uint8_t { Objects, Untabled, Groups, Plain };

// What a client of a resource accepts best; 406 when there is nothing.
kube::Answer<Wanted> negotiate(std::string_view accept, Offer offer = Offer::Objects);
// The form of a Status, or of anything else that has no other form: JSON when all else fails.
Wanted negotiate_status(std::string_view accept);

// The routes of built-in kinds are pickier, before anything else is looked at: one alternative must
// literally be a type they produce.
enum class Produces : std::uint8_t { Objects, ObjectsAndStreams };
kube::Answer<void> check_routed(std::string_view accept, Produces produces);
// The same for a page that comes as one type only.
kube::Answer<void> check_produced(std::string_view accept, std::string_view type);

// Of documents that come in forms of their own: which of these types is accepted best, the first of
// those that are accepted alike. Parameters but the quality play no part.
std::optional<std::size_t> best_accepted(std::string_view accept,
                                         std::span<const std::string_view> types);

// Whether JSON is to be indented: as `?pretty=` says, else for browsers and command-line tools.
bool wants_pretty(std::string_view parameter, std::string_view user_agent);

}  // namespace fixpoint::front
