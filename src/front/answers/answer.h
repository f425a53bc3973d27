// SPDX-License-Identifier: Apache-2.0
//
// Answer: a core Response as HTTP. Objects are printed at once; lists are printed item by item as
// the connection takes them, so a list of any size costs one page of memory.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "front/answers/negotiate.h"
#include "net/server.h"

#include <memory>
#include <string>

namespace fixpoint::front {

struct Answer {
  apiserver::Response response;
  Wanted wanted;
  bool gzip_accepted = false;
};

// Headers every answer carries.
net::Headers common_headers(std::string_view audit_id);
// `Warning: 299 - "text"`; nothing for an empty text.
void add_warning(net::Headers& headers, std::string_view text);
void add_warnings(net::Headers& headers, const std::vector<std::string>& warnings);

void send(const std::shared_ptr<net::Exchange>& exchange, net::Headers headers, Answer answer,
          const std::optional<apiserver::Resource>& resource);
void send_status(const std::shared_ptr<net::Exchange>& exchange, net::Headers headers,
                 const kube::Status& status, const Wanted& wanted);

// What stands beside the items of a list.
json::Value list_metadata(const apiserver::ListPage& page);
// One stored object as an item of a list, without a copy of the tree.
void print_item(json::View stored, const apiserver::ListPage& page, std::string& out);
// A whole list at once, for few items.
std::string list_text(const apiserver::ListPage& page, const apiserver::Resource& resource);

}  // namespace fixpoint::front
