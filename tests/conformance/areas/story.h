// SPDX-License-Identifier: Apache-2.0
//
// Story: a sequence in the making about objects of one kind, with the small talk between the steps
// that matter (reads, changes, lists), so that every rule is met in many states.
#pragma once

#include "tests/conformance/gen.h"

#include <string>
#include <string_view>

namespace fixpoint::conformance {

// A kind for a sequence; the expensive ones rarely.
const Sort& any_sort(Gen& gen);

// A real server looks for an address before it looks at the name, and for a service whose name no
// address can refer to it tries the whole range: 65,000 writes, minutes in which nothing answers.
// See "nameless" in accepted.cc.
bool stalls_a_real_server(const Step& step);

class Story {
 public:
  Story(Gen& gen, const Sort& sort) : gen_(gen), sort_(sort) {}

  const Sort& sort() const { return sort_; }
  Gen& gen() { return gen_; }
  void then(Step step);
  // Creates `name` with this metadata (JSON text, `{}` for none).
  void make(std::string_view name, std::string_view metadata = "{}");
  // A merge patch, or a read-change-write, or an apply.
  void change(std::string_view name, const std::string& merge);
  // The kind's own change, in one of these ways.
  void change(std::string_view name) { change(name, std::string{sort_.change}); }
  // A read, a list, a change, a change of nothing: one of them.
  void small_talk(std::string_view name);
  Sequence take() { return std::move(sequence_); }

 private:
  Gen& gen_;
  const Sort& sort_;
  Sequence sequence_;
};

// JSON string of a text; and of `count` times one.
std::string quoted(std::string_view text);
std::string times(std::size_t count, std::string_view text = "a");
// A value as the text of a body.
std::string json_text(const json::Value& value);
// {"metadata": …}
std::string in_metadata(std::string_view fields);

// The part of make_metadata about ends (areas/metadata_ends.cc): finalizers, preconditions,
// deletion.
void tell_finalizers(Story& story);
void tell_preconditions(Story& story);
void tell_deletion(Story& story);
void tell_collection(Story& story);

}  // namespace fixpoint::conformance
