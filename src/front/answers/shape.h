// SPDX-License-Identifier: Apache-2.0
//
// Shape: an answer in the form that was asked for: a table, metadata only, or as it is.
#pragma once

#include "apiserver/read/table.h"
#include "apiserver/read/watch.h"
#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "base/clock.h"
#include "front/answers/negotiate.h"

#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::front {

struct Shape {
  const apiserver::Resource& resource;
  Wanted wanted;
  std::string_view include_object;  // of the query
  Instant now;
  std::string_view subresource = {};
};

// A good answer, shaped; a Status stays what it is. The result may be a refusal.
apiserver::Response shaped(const Shape& shape, apiserver::Response response);

struct EventShape {
  apiserver::Resource resource;
  Wanted wanted;
  apiserver::IncludeObject include;
  apiserver::Columns columns;
  const Clock& clock;
};

// Prints the events of a watch, one line each. An empty line: an event has no such form, and a
// stream that was asked for it ends there.
std::function<std::string(const apiserver::WatchEvent&)> event_printer(EventShape shape);

}  // namespace fixpoint::front
