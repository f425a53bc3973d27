// SPDX-License-Identifier: Apache-2.0
//
// A list's answer to a Page: items cut while parsing, one block each, the text then dropped.
#pragma once

#include "client/collection.h"
#include "client/http/answer.h"

namespace fixpoint::client {

PageReply page_of(const ListCall& call, HttpAnswer answer);

}  // namespace fixpoint::client
