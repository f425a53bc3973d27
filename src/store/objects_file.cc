// SPDX-License-Identifier: Apache-2.0
#include "store/objects_file.h"

#include "base/rng.h"
#include "store/dir_lock.h"
#include "store/page_check.h"
#include "store/record_codec.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <lmdb.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fixpoint::store {

namespace {

constexpr MDB_dbi kTable = 1;  // LMDB's number of the unnamed table

// A short write takes what there was; less than this is left then.
constexpr std::size_t kNearlyFullBytes = 64 << 10;

// The file is written ahead of LMDB by this much, once less than the second is left: some 700
// objects of 1 KB.
constexpr std::size_t kReserveBytes = std::size_t{1} << 20U;
constexpr std::size_t kReserveLeftBytes = kReserveBytes / 4;
constexpr std::size_t kZeroBytes = std::size_t{64} << 10U;

MDB_val to_val(std::string_view bytes) {
  return {.mv_size = bytes.size(), .mv_data = const_cast<char*>(bytes.data())};
}

std::string_view to_bytes(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

std::string_view to_bytes(const StateRecord& state) {
  return {reinterpret_cast<const char*>(&state), sizeof state};
}

std::uint64_t id_of(const Event& event) {
  return (event.after ? event.after : event.before)->created.value;
}

// A read transaction, for as long as it lives.
class Reading {
 public:
  explicit Reading(MDB_env* env) {
    code_ = mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn_);
    MDB_dbi table = 0;
    if (code_ == 0) code_ = mdb_dbi_open(txn_, nullptr, MDB_INTEGERKEY, &table);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
    if (txn_ != nullptr) mdb_txn_abort(txn_);
  }
  int code() const { return code_; }
  std::string_view state() {
    std::uint64_t id = kStateId;
    MDB_val key{.mv_size = sizeof id, .mv_data = &id};
    MDB_val value{};
    if (code_ == 0) code_ = mdb_get(txn_, kTable, &key, &value);
    return code_ == 0 ? to_bytes(value) : std::string_view{};
  }
  std::vector<Stored> all() {
    std::vector<Stored> found;
    if (code_ == 0) code_ = mdb_cursor_open(txn_, kTable, &cursor_);
    MDB_val key{};
    MDB_val value{};
    while (code_ == 0 && (code_ = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT)) == 0) {
      Stored stored{.id = 0, .bytes = to_bytes(value)};
      std::memcpy(&stored.id, key.mv_data, sizeof stored.id);
      found.push_back(stored);
    }
    if (code_ == MDB_NOTFOUND) code_ = 0;
    return found;
  }

 private:
  MDB_txn* txn_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
  int code_ = 0;
};

}  // namespace

class ObjectsFile::Transaction {
 public:
  Transaction(MDB_env* env, StateRecord start, std::string& buffer)
      : state(start), buffer_(buffer) {
    code_ = mdb_txn_begin(env, nullptr, 0, &txn_);
    MDB_dbi table = 0;
    if (code_ == 0) code_ = mdb_dbi_open(txn_, nullptr, MDB_INTEGERKEY | MDB_CREATE, &table);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { end(); }
  void end() {
    if (txn_ != nullptr) mdb_txn_abort(std::exchange(txn_, nullptr));
  }

  // All of these return LMDB's code: 0 is success.
  int run(const Change& change) {
    if (code_ == 0) code_ = change(*this);
    if (code_ == 0) code_ = write_state();
    if (code_ == 0) code_ = mdb_txn_commit(std::exchange(txn_, nullptr));
    return code_;
  }

  int write(const Record& record) {
    const auto id = record.created.value;
    // An object made since the last commit is the last of all: told so, LMDB looks nothing up and
    // fills its pages, where it would otherwise leave them half empty.
    const bool fresh = id > state.revision;
    bool present = false;
    if (const int code = fresh ? 0 : forget(id, present); code != 0) return code;
    encode(record, buffer_);
    state.checksum_sum += stored_checksum(buffer_);
    ++state.records;
    return put(id, buffer_, fresh ? MDB_APPEND : 0);
  }

  int remove(std::uint64_t id) {
    bool present = false;
    if (const int code = forget(id, present); code != 0 || !present) return code;
    MDB_val key{.mv_size = sizeof id, .mv_data = &id};
    return mdb_del(txn_, kTable, &key, nullptr);
  }

  StateRecord state;

 private:
  // Takes what is stored under the id out of the sums.
  int forget(std::uint64_t id, bool& present) {
    MDB_val key{.mv_size = sizeof id, .mv_data = &id};
    MDB_val value{};
    const int code = mdb_get(txn_, kTable, &key, &value);
    present = code == 0;
    if (code == MDB_NOTFOUND) return 0;
    if (code != 0) return code;
    state.checksum_sum -= stored_checksum(to_bytes(value));
    --state.records;
    return 0;
  }

  int put(std::uint64_t id, std::string_view bytes, unsigned flags) {
    MDB_val key{.mv_size = sizeof id, .mv_data = &id};
    MDB_val value = to_val(bytes);
    return mdb_put(txn_, kTable, &key, &value, flags);
  }

  int write_state() {
    state.transaction = mdb_txn_id(txn_);
    state.checksum = record_checksum(kStateId, to_bytes(state));
    return put(kStateId, to_bytes(state), 0);
  }

  std::string& buffer_;
  MDB_txn* txn_ = nullptr;
  int code_ = 0;
};

ObjectsFile::ObjectsFile(std::filesystem::path path, FileLimits limits)
    : path_(std::move(path)), limits_(limits) {}

ObjectsFile::~ObjectsFile() {
  trim();
  close();
}

Result<std::unique_ptr<ObjectsFile>> ObjectsFile::open(std::filesystem::path path,
                                                       FileLimits limits) {
  FP_TRY(state, check_pages(path));
  std::unique_ptr<ObjectsFile> file{new ObjectsFile(std::move(path), limits)};
  if (state == FileState::Sound) {
    FP_TRY_VOID(file->ensure_open());
  } else {
    FP_TRY_VOID(file->create());
  }
  return file;
}

void ObjectsFile::close() {
  if (env_ != nullptr) mdb_env_close(std::exchange(env_, nullptr));
}

// LMDB reports a write that came out short, as happens where space ends, as EIO.
int ObjectsFile::cause(int code) const {
  struct statvfs disk{};
  struct stat file{};
  struct rlimit limit{};
  if (code != EIO) return code;
  if (::statvfs(path_.c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize < kNearlyFullBytes) {
    return ENOSPC;
  }
  const bool known = ::stat(path_.c_str(), &file) == 0 && ::getrlimit(RLIMIT_FSIZE, &limit) == 0;
  return known && static_cast<rlim_t>(file.st_size) >= limit.rlim_cur ? EFBIG : code;
}

std::unexpected<Error> ObjectsFile::failure(std::string_view doing, int code) const {
  code = cause(code);
  if (code > 0) return std::unexpected(file_error(doing, path_, code));
  return fail(ErrorKind::Internal,
              fmt::format("{} {}: {}", doing, path_.string(), mdb_strerror(code)));
}

// No lock of LMDB's: DirLock keeps other processes out, and one thread uses this object. Never
// NOSYNC or WRITEMAP: a commit is on disk when it returns, and a stray write cannot reach the file.
Result<void> ObjectsFile::ensure_open() {
  if (env_ != nullptr) return {};
  int code = mdb_env_create(&env_);
  if (code == 0) code = mdb_env_set_mapsize(env_, limits_.map_bytes);
  if (code == 0) {
    code = mdb_env_open(env_, path_.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS, 0600);
  }
  // LMDB leaves this one open in programs that we start, which have no business with it.
  mdb_filehandle_t handle = -1;
  if (code == 0) code = mdb_env_get_fd(env_, &handle);
  if (code == 0 && ::fcntl(handle, F_SETFD, FD_CLOEXEC) != 0) code = errno;
  MDB_stat stat{};
  if (code == 0) code = mdb_env_stat(env_, &stat);
  if (code != 0) {
    close();
    return failure("open", code);
  }
  if (stat.ms_entries == 0) return {};  // just made: create() writes the state
  auto read = read_state();
  if (!read) close();
  return read;
}

// Checked at every opening, not only the first: after a failed commit the disk decides which of two
// states it has.
Result<void> ObjectsFile::read_state() {
  Reading reading{env_};
  const auto stored = reading.state();
  if (reading.code() != 0 && reading.code() != MDB_NOTFOUND) return failure("read", reading.code());
  if (stored.size() != sizeof state_ ||
      !stored.substr(sizeof state_.checksum).starts_with({kFileMagic.data(), kFileMagic.size()})) {
    return fail(ErrorKind::Invalid,
                fmt::format("{} is an LMDB file of another program: choose another data directory",
                            path_.string()));
  }
  StateRecord state;
  std::memcpy(&state, stored.data(), sizeof state);
  if (state.format > kFileFormat) {
    return fail(
        ErrorKind::Invalid,
        fmt::format("{} has format {}, written by a newer Fixpoint; this one reads up to {}: "
                    "use the newer one, or choose another data directory",
                    path_.string(), state.format, kFileFormat));
  }
  if (state.checksum != record_checksum(kStateId, stored))
    return damaged("its state record does not match its checksum");
  state_ = state;
  return {};
}

std::unexpected<Error> ObjectsFile::damaged(std::string_view what) const {
  return fail(ErrorKind::Invalid,
              fmt::format("{} is damaged: {}: {}", path_.string(), what, way_out(path_)));
}

Result<void> ObjectsFile::create() {
  const std::string id = Rng::from_kernel().uuid();
  std::copy(id.begin(), id.end(), state_.cluster_id.begin());
  FP_TRY_VOID(transact([](Transaction&) { return 0; }));
  return sync_directory(path_.parent_path());
}

Result<void> ObjectsFile::transact(const Change& change) {
  for (;;) {
    FP_TRY_VOID(ensure_open());
    Transaction transaction{env_, state_, buffer_};
    const int code = transaction.run(change);
    if (code == 0) {
      state_ = transaction.state;
      return {};
    }
    // LMDB refuses everything after some failures, and a commit that failed at its very end may be
    // on disk nevertheless: the next use starts from what the disk has.
    transaction.end();
    close();
    if (code != MDB_MAP_FULL) return failure("write", code);
    FP_TRY_VOID(grow());
  }
}

Result<void> ObjectsFile::grow() {
  if (limits_.map_bytes >= limits_.map_bytes_max) {
    return fail(ErrorKind::Exhausted,
                fmt::format("write {}: it has reached its bound of {} MiB: delete some objects",
                            path_.string(), limits_.map_bytes_max >> 20U));
  }
  limits_.map_bytes = std::min(limits_.map_bytes * 2, limits_.map_bytes_max);
  return {};
}

Result<Recovered> ObjectsFile::load() {
  Recovered recovered;
  {
    Reading reading{env_};
    std::vector<Stored> stored = reading.all();
    if (reading.code() != 0) return failure("read", reading.code());
    stored.erase(stored.begin());  // the state record
    auto records = decode_all(stored);
    if (!records) return damaged(records.error().message);
    std::uint64_t sum = 0;
    for (const Stored& one : stored) sum += stored_checksum(one.bytes);
    if (stored.size() != state_.records || sum != state_.checksum_sum) {
      return damaged("objects are missing or are not those of its last commit");
    }
    recovered.records = std::move(*records);
  }
  FP_TRY_VOID(transact([](Transaction& transaction) {
    ++transaction.state.generation;
    return 0;
  }));
  recovered.revision = Revision{state_.revision};
  recovered.cluster_id = state_.cluster_id.data();
  recovered.generation = state_.generation;
  return recovered;
}

namespace {

// The last event of each object, in the order of the file: earlier ones in the same commit need
// not be written at all.
std::vector<const Event*> final_events(std::span<const Event> events) {
  std::vector<const Event*> order;
  order.reserve(events.size());
  for (const Event& event : events) order.push_back(&event);
  std::ranges::stable_sort(order, {}, [](const Event* event) { return id_of(*event); });
  std::vector<const Event*> last;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 1 == order.size() || id_of(*order[i]) != id_of(*order[i + 1])) last.push_back(order[i]);
  }
  return last;
}

}  // namespace

Result<void> ObjectsFile::commit(std::span<const Event> events) {
  FP_CHECK(!events.empty());
  FP_TRY_VOID(settle());
  auto done = transact([&](Transaction& transaction) {
    FP_CHECK(events.front().revision.value == transaction.state.revision + 1);
    for (const Event* event : final_events(events)) {
      const int code = event->after ? transaction.write(*event->after)
                                    : transaction.remove(event->before->created.value);
      if (code != 0) return code;
    }
    transaction.state.revision = events.back().revision.value;
    return 0;
  });
  if (done) {
    reserve();
  } else {
    doubtful_.assign(events.begin(), events.end());
  }
  return done;
}

namespace {

struct Extent {
  mdb_filehandle_t handle = -1;
  std::size_t used_bytes = 0;  // what LMDB ever used, from the start
  std::size_t file_bytes = 0;
};

std::optional<Extent> extent_of(MDB_env* env) {
  Extent extent;
  MDB_envinfo info{};
  MDB_stat stat{};
  struct stat file{};
  if (mdb_env_info(env, &info) != 0 || mdb_env_stat(env, &stat) != 0) return {};
  if (mdb_env_get_fd(env, &extent.handle) != 0 || ::fstat(extent.handle, &file) != 0) return {};
  extent.used_bytes = (info.me_last_pgno + 1) * stat.ms_psize;
  extent.file_bytes = static_cast<std::size_t>(file.st_size);
  return extent;
}

}  // namespace

// To flush a file that has grown, the file system commits its journal, and waits for whatever else
// is in there. So the file grows seldom and by a lot. Zeros are written, because space that is only
// set aside goes through the journal once more when it is used. Where this fails LMDB makes the
// file grow, or says why it cannot.
void ObjectsFile::reserve() {
  const auto extent = extent_of(env_);
  if (!extent || extent->used_bytes + kReserveLeftBytes <= reserved_) return;
  reserved_ = std::max(extent->used_bytes, extent->file_bytes);
  if (extent->used_bytes + kReserveLeftBytes <= reserved_) return;
  std::vector<char> zeros(kZeroBytes);
  const std::vector<iovec> pieces(kReserveBytes / kZeroBytes,
                                  {.iov_base = zeros.data(), .iov_len = zeros.size()});
  [[maybe_unused]] const ssize_t written =
      ::pwritev(extent->handle, pieces.data(), static_cast<int>(pieces.size()),
                static_cast<off_t>(reserved_));
  reserved_ += kReserveBytes;  // or not: a full disk is not asked again with every commit
}

// A file at rest is as long as it must be. If not, that does no harm.
void ObjectsFile::trim() {
  if (env_ == nullptr || !doubtful_.empty()) return;
  const auto extent = extent_of(env_);
  if (!extent || extent->file_bytes <= extent->used_bytes) return;
  [[maybe_unused]] const int code =
      ::ftruncate(extent->handle, static_cast<off_t>(extent->used_bytes));
}

// A commit of its own: were it one with the new events and failed too, there would be two attempts
// to look for.
Result<void> ObjectsFile::settle() {
  if (doubtful_.empty()) return {};
  FP_TRY_VOID(ensure_open());
  if (state_.revision == doubtful_.back().revision.value) {
    FP_TRY_VOID(transact([&](Transaction& transaction) {
      for (std::size_t i = doubtful_.size(); i-- > 0;) {
        const Event& event = doubtful_[i];
        const int code = event.before ? transaction.write(*event.before)
                                      : transaction.remove(event.after->created.value);
        if (code != 0) return code;
      }
      transaction.state.revision = doubtful_.front().revision.value - 1;
      return 0;
    }));
  }
  doubtful_.clear();
  return {};
}

}  // namespace fixpoint::store
