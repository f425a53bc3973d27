// SPDX-License-Identifier: Apache-2.0
//
// Empty lists and maps that a client sent. A real server stores none, so a decoded object has none
// either; but until it is stored the sent ones are there, and show in three places: in the words of
// refusals, in fields that may not change, and in what some kinds count as a generation.
//
// And amounts that a client sent with very many digits: a real server shows and stores them short
// (100E) but counts the sent ones, wrongly, while it looks at the object.
#pragma once

#include "apiserver/write/write.h"
#include "kube/errors/error_words.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::apiserver {

// `candidate`, decoded from what the call sent, with the empty lists and maps that were in that.
json::Value as_given(const WriteCall& call, const json::Value& candidate, kube::EmptyForm form);

// `candidate` with the sent empty maps at its top, for kinds to whose rules about changes they are
// not the same as none.
json::Value with_empty_maps(const WriteCall& call, const json::Value& candidate,
                            json::View old_object);

// The new pod with the overhead that was sent, if it is empty: admission takes it for one.
json::Value with_empty_overhead(const WriteCall& call, const json::Value& candidate);

// Counts a generation where a kind takes an empty list for a change: each time that it is sent.
void count_empties(const WriteCall& call, json::Draft& object, json::View old_object);

// Amounts as they were sent, whose short form a real server would count otherwise.
class LongAmounts {
 public:
  explicit LongAmounts(const WriteCall& call);

  // `object` with the sent amounts in place of their short forms.
  json::Value put_into(const json::Value& object) const;
  // No message shows the long form.
  void shorten(kube::FieldErrors& errors) const;

 private:
  struct Amount {
    std::string shown;
    std::string sent;
  };
  // `sent`: what was given at that place, if anything was.
  json::Draft with_sent(json::View value, std::optional<json::View> sent) const;

  json::Value given_;
  std::vector<Amount> amounts_;
};

}  // namespace fixpoint::apiserver
