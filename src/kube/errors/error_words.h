// SPDX-License-Identifier: Apache-2.0
//
// Words of field errors that depend on more than the value at hand: on its Go type, and on whether
// an empty list or map was sent or left out.
#pragma once

#include "kube/errors/field_error.h"
#include "kube/schema/schema.h"

namespace fixpoint::kube {

// A Go string is shown quoted, a string of a named type (v1.Protocol) as JSON: they differ in what
// is escaped. `schema` is that of the built-in kind; paths that it does not know are left alone.
void word_by_type(const Schema& schema, FieldErrors& errors);

// `errors` with the texts that `worded` has for the same fields. Both were found in one object, but
// `worded` in a form of it that shows what was sent and may differ where nothing is wrong.
void reword(FieldErrors& errors, const FieldErrors& worded);

// Selectors are printed without what they have empty, though they hold it. In answers only what is
// never left out shows that it is empty.
enum class EmptyForm : std::uint8_t { Held, Printed, Answered };

// `decoded` with the empty lists and maps of built-in fields that `given` has, and that decoding
// leaves out because what is stored does not tell them from none.
json::Value with_empties(const Schema& schema, json::View decoded, json::View given,
                         EmptyForm form);

}  // namespace fixpoint::kube
