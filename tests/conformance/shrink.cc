// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/shrink.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

namespace fixpoint::conformance {
namespace {

// Attempts for one finding: some seconds of a real server's time.
constexpr int kAttemptsMax = 250;

class Shrinker {
 public:
  Shrinker(const Finding& finding, Server& real, Server& ours)
      : best_(finding), real_(real), ours_(ours) {
    // A difference in an answer needs no second of watching to be seen.
    if (best_.difference.step < best_.sequence.steps.size()) best_.sequence.watches = {"-"};
  }

  Finding run() {
    if (!attempt(best_.sequence)) return best_;  // it needs the watches, or luck
    drop_steps();
    for (std::size_t i = 0; i < best_.sequence.steps.size(); ++i) shrink_body(i);
    return best_;
  }

 private:
  // True, and remembered, when the two servers still differ.
  bool attempt(const Sequence& sequence) {
    if (++attempts_ > kAttemptsMax) return false;
    const auto id = fresh_id();
    auto found = compare(sequence, normalise(record(real_, sequence, id)),
                         normalise(record(ours_, sequence, id)));
    if (!found) return false;
    best_.sequence = sequence;
    best_.difference = *std::move(found);
    return true;
  }

  void drop_steps() {
    // Nothing after the difference can be its cause.
    if (best_.difference.step < best_.sequence.steps.size()) {
      best_.sequence.steps.resize(best_.difference.step + 1);
    }
    for (bool dropped = true; dropped;) {
      dropped = false;
      for (std::size_t i = best_.sequence.steps.size(); i-- > 0;) {
        if (best_.sequence.steps.size() == 1) return;
        auto shorter = best_.sequence;
        shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(i));
        dropped = attempt(shorter) || dropped;
      }
    }
  }

  void shrink_body(std::size_t step) {
    const auto body = json::parse(best_.sequence.steps[step].body);
    if (!body) return;
    json::Draft draft{*body};
    shrink_part(step, draft, draft);
  }

  // Tries `root` without each member of `part`, and what remains without theirs.
  void shrink_part(std::size_t step, json::Draft& root, json::Draft& part) {
    if (part.is_object()) {
      for (std::size_t i = part.members().size(); i-- > 0;) {
        auto removed = part.members()[i];
        if (removed.key == "apiVersion" || removed.key == "kind" || removed.key == "name") continue;
        part.members().erase(part.members().begin() + static_cast<std::ptrdiff_t>(i));
        if (attempt_body(step, root)) continue;
        part.members().insert(part.members().begin() + static_cast<std::ptrdiff_t>(i), removed);
        shrink_part(step, root, part.members()[i].value);
      }
    } else if (part.is_array()) {
      for (std::size_t i = part.elements().size(); i-- > 0;) {
        auto removed = part.elements()[i];
        part.elements().erase(part.elements().begin() + static_cast<std::ptrdiff_t>(i));
        if (attempt_body(step, root)) continue;
        part.elements().insert(part.elements().begin() + static_cast<std::ptrdiff_t>(i), removed);
        shrink_part(step, root, part.elements()[i]);
      }
    }
  }

  bool attempt_body(std::size_t step, const json::Draft& body) {
    auto smaller = best_.sequence;
    const json::Value frozen = body.freeze();
    smaller.steps[step].body = json::to_text(frozen, json::Escape::Plain);
    return attempt(smaller);
  }

  Finding best_;
  Server& real_;
  Server& ours_;
  int attempts_ = 0;
};

}  // namespace

Finding shrink(const Finding& finding, Server& real, Server& ours) {
  return Shrinker(finding, real, ours).run();
}

}  // namespace fixpoint::conformance
