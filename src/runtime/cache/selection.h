// SPDX-License-Identifier: Apache-2.0
//
// Selection: would the server show this object in that collection?
//
// The server decides for everything that comes from it. Only answers to own writes need this: a
// write may take an object out of what is followed, and the cache must not wait for the news.
#pragma once

#include "client/call.h"
#include "json/value.h"
#include "kube/selectors/field_selector.h"
#include "kube/selectors/label_selector.h"

namespace fixpoint::runtime {

class Selection {
 public:
  // A selector that does not parse selects everything here: the server is who refuses it.
  explicit Selection(const client::Selector& selector);

  bool everything() const { return labels_.empty() && fields_.empty(); }
  bool matches(json::View object) const;

 private:
  kube::LabelSelector labels_;
  kube::FieldSelector fields_;
};

}  // namespace fixpoint::runtime
