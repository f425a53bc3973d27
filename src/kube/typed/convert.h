// SPDX-License-Identifier: Apache-2.0
//
// From a tree to an object of a built-in type without text in between, as Kubernetes does after a
// strategic merge: whole floats are integers, large integers wrap around, and the words differ from
// the decoder's ("cannot convert int64 to string").
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/typed/read.h"

namespace fixpoint::kube {

// Fields are taken in the order of the Go struct and the first failure is the error; problems are
// sorted.
Result<ReadObject> convert_tree(const Schema& schema, json::View tree);

}  // namespace fixpoint::kube
