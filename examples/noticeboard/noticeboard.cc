// SPDX-License-Identifier: Apache-2.0
//
// noticeboard: an operator whose plan has branches. Every notice of a board is a ConfigMap of its
// own; one that cannot be pinned is left out with those that come after it, all others are pinned,
// and the status names what is missing. docs/tutorial.md has the simpler example.
#include "runtime/trouble.h"
#include "runtime/typed.h"

namespace noticeboard {

using namespace fixpoint;
using namespace fixpoint::runtime;

struct Notice {
  std::string name;
  std::string text;
  std::vector<std::string> after;

  static types::Table table() {
    return types::describe<Notice>(
        "One notice.",
        {
            {"name", &Notice::name, "Of the notice, unique on its board.", {.required = true}},
            {"text", &Notice::text, "What it says."},
            {"after", &Notice::after, "Notices that must hang before this one does."},
        });
  }
};

struct Spec {
  std::vector<Notice> notices;

  static types::Table table() {
    return types::describe<Spec>(
        "What shall hang on the board.",
        {{"notices", &Spec::notices, "In this order.", {.max_items = 50}}});
  }
};

struct Status {
  std::string phase;
  std::int32_t pinned = 0;
  std::vector<Trouble> missing;

  static types::Table table() {
    return types::describe<Status>("What hangs there.",
                                   {
                                       {"phase", &Status::phase, "Pinned or Degraded."},
                                       {"pinned", &Status::pinned, "How many notices hang."},
                                       {"missing", &Status::missing, "Those that do not, and why."},
                                   });
  }
};

struct Pinner {
  using Spec = noticeboard::Spec;
  using Status = noticeboard::Status;
  struct Facts {};

  static types::Kind kind() {
    return {.group = "example.fixpoint.dev",
            .name = "Noticeboard",
            .plural = "noticeboards",
            .doc = "Notices, each pinned for itself.",
            .versions = {{.spec = &types::table_of<Spec>(), .status = &types::table_of<Status>()}}};
  }
  static Declaration declare() {
    return {.name = "noticeboard", .watches = {reconciles(kind()), owns("v1", "ConfigMap")}};
  }

  static Plan plan_of(const Spec& spec, const kube::Key& board) {
    Plan plan;
    for (const auto& notice : spec.notices) {
      const kube::Key place{board.ns, board.name + "-" + notice.name};
      const auto data = object({{"text", notice.text}});
      plan.branch(notice.name, notice.after);
      plan.apply(child(place, "v1", "ConfigMap", {{"data", data}}));
    }
    return plan;
  }
  kube::FieldErrors validate(const Spec& spec) const {
    const auto good = runtime::check(plan_of(spec, {}));
    if (good) return {};
    return {kube::invalid(kube::FieldPath{"spec"}.child("notices"), "", good.error().message)};
  }

  Result<Facts> observe(const Primary<Spec>&, const Reader&, Probes&) const { return Facts{}; }
  Plan decide(const Primary<Spec>& board, const Facts&, Instant) const {
    return plan_of(board.spec, board.key);
  }
  Verdict<Status> conclude(const Primary<Spec>& board, const Facts&, const Outcomes& done) const {
    Status status{.phase = "Pinned", .missing = troubles(done)};
    if (!status.missing.empty()) status.phase = "Degraded";
    status.pinned = static_cast<std::int32_t>(board.spec.notices.size() - status.missing.size());
    return {status, {ready(done)}};
  }
};

OperatorEntry entry() {
  return entry_of<Pinner>("noticeboard", "Notices, each pinned for itself (an example)");
}

}  // namespace noticeboard
