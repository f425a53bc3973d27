// SPDX-License-Identifier: Apache-2.0
//
// Contents: the objects of one followed collection, as this process knows them.
//
// A plain value without I/O: the reflector feeds it what the server says, the controllers tell it
// what they wrote themselves, and the verifier copies it. Invariants:
// - An object never goes back: what is older than what is known (by resourceVersion, compared only
//   within this collection) is dropped. So own writes can be put in at once and reads see them
//   (rule 7), and the echo of an own write changes nothing and starts nothing.
// - An object known to be gone by its uid does not come back, whatever late event or late answer
//   mentions it.
// - A relist merges in place: the old state is the only copy, objects that did not change are not
//   touched, and what the new list lacks is reported as deleted.
// Read next: reflector.h, which feeds it; object_table.h, where the objects lie.
#pragma once

#include "base/error.h"
#include "base/ref.h"
#include "client/collection.h"
#include "json/shape/shape.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/operator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

enum class Origin : std::uint8_t {
  InitialList,  // of low priority: it must not starve fresh changes
  Watch,
  Relist,    // found different after a gap
  OwnWrite,  // the answer to a write of this process
};

struct Change {
  json::Value before;  // null: it is new
  json::Value after;   // null: it is gone; `before` is then the last known state
  Origin origin = Origin::Watch;
};

// A stream of lists and events that feeds Contents: one for each followed namespace, or one for
// all. 0 is that of the collection's own namespace.
using FeedId = std::uint32_t;

class Contents {
 public:
  Contents(client::Collection collection, std::vector<Index> indexes,
           std::shared_ptr<const json::Shape> shape = nullptr);
  Contents(const Contents&);
  Contents(Contents&&) noexcept;
  Contents& operator=(const Contents&);
  Contents& operator=(Contents&&) noexcept;
  ~Contents();

  // Nothing when this says nothing new. Own writes are cut to the shape, and one that takes the
  // object out of the selection removes it.
  std::optional<Change> put(json::Value object, Origin origin);
  // DELETED from a watch; as an own write, the same as `gone`.
  std::optional<Change> remove(json::View last_state, Origin origin);
  // Own DELETE that was answered "gone", or a live read that found nothing, of this very object: a
  // namesake with another uid stays.
  std::optional<Change> gone(const kube::Key& key, std::string_view uid);

  // A relist: begin when it is asked for, put every page, end; `end` returns what has disappeared.
  // Pages may be separated by own writes. begin_relist again starts over. `resource_version` is the
  // list's: Unavailable when it is older than what has been seen, and then nothing is changed and
  // the list must be taken again.
  void begin_relist(FeedId feed = 0);
  Result<std::vector<Change>> put_page(std::vector<json::Value> items,
                                       std::string_view resource_version, FeedId feed = 0);
  std::vector<Change> end_relist(FeedId feed = 0);
  // The server's own time went back for good (its data were restored): the next list is believed
  // whatever its version, and what is known from before is compared by content, since versions are
  // given anew. Until that list is complete the old state can be read.
  void start_anew(FeedId feed = 0);
  // A list asked for now cannot honestly be of this version.
  bool is_past(std::string_view resource_version, FeedId feed = 0) const;
  // A bookmark or an event, after it was put: everything up to here has been seen.
  void seen(std::string_view resource_version, FeedId feed = 0);
  // The kind is not served any more: everything goes, and the feed starts over.
  std::vector<Change> clear(FeedId feed = 0);
  // Where a watch resumes; empty before the first list.
  const std::string& resource_version(FeedId feed = 0) const;
  bool synced() const;  // the first list of every feed is complete
  bool synced(FeedId feed) const;

  // More namespaces beside the collection's own, or fewer; never beside a feed of all namespaces.
  FeedId follow(std::string_view ns);
  std::vector<Change> unfollow(FeedId feed);

  void add_index(Index index);

  json::View get(const kube::Key& key) const;
  std::vector<json::View> list(std::string_view ns) const;  // in order of key; "" is all
  std::vector<json::View> indexed(std::string_view index, std::string_view value) const;
  // Those that carry this uid: a controller reference or the owner label (ownership.h).
  std::vector<json::View> owned_by(std::string_view uid) const;
  std::size_t size() const;
  std::size_t bytes() const;  // of the objects and the indexes
  const client::Collection& collection() const;

  struct Oddities {
    std::uint64_t from_the_past = 0;  // lists and events older than what had been seen
    std::uint64_t nameless = 0;       // objects without a name, which no server sends
  };
  const Oddities& oddities() const;

  // Own writes change this behind the back of whoever distributes changes (cache.h). Once asked to,
  // it keeps their changes until they are taken.
  void keep_own_changes();
  std::vector<Change> take_own_changes();

  // Test-only switches, off by default; see controller/rules.h.
  void forget_own_writes();  // rule 7, ReadOwnWrites off
  void believe_the_past();   // rule 7, NeverBackInTime off

  // What it knows, for the verifier, which compares caches (contents_state.h).
  struct State;
  const State& state() const { return *state_; }

 private:
  State& change();
  Ref<State> state_;  // copied on write: a fork of an unchanged cache is free
};

// Decimal resourceVersions by number; anything else is only equal or not (nothing is older).
bool older(std::string_view a, std::string_view b);

}  // namespace fixpoint::runtime
