// SPDX-License-Identifier: Apache-2.0
//
// Patches: the first line is a document, the rest a patch or another document. Nothing crashes, the
// target is never changed, and a patch made from two documents turns one into the other.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/diff.h"
#include "json/patch/merge_patch.h"
#include "json/patch/patch.h"
#include "json/print.h"

namespace {

using namespace fixpoint::json;  // NOLINT: a program, not a header

void check_made_patches(const Value& from, const Value& to) {
  const auto patch = make_patch(from, to);
  FP_CHECK(diff(from, to).empty() == (from == to));
  if (patch.size() <= kPatchOperationsMax && to.type() >= Type::Array) {
    const auto patched = apply_patch(from, patch);
    FP_CHECK(patched.has_value());
    FP_CHECK(*patched == to);
  }
  // Nulls cannot be expressed in a merge patch: drop them first.
  const auto settled = apply_merge_patch(Value{}, to);
  const auto merge = make_merge_patch(from, settled);
  const auto merged = apply_merge_patch(from, merge);
  if (settled.is_object() && from.is_object()) {
    const auto again = apply_merge_patch(merged, merge);
    FP_CHECK(again == merged);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto split = std::min(text.find('\n'), text.size());
  const auto target = parse(text.substr(0, split));
  const auto patch = parse(text.substr(split));
  if (!target || !patch) return 0;

  const auto before = to_text(*target);
  if (const auto patched = apply_patch(*target, *patch)) {
    FP_CHECK(parse(to_text(*patched)).has_value());
  }
  const auto merged = apply_merge_patch(*target, *patch);
  FP_CHECK(parse(to_text(merged)).has_value());
  FP_CHECK(unknown_patch_fields(*patch).size() <= text.size());
  check_made_patches(*target, *patch);
  FP_CHECK(to_text(*target) == before);
  return 0;
}
