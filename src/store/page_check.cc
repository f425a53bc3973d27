// SPDX-License-Identifier: Apache-2.0
#include "store/page_check.h"

#include "store/dir_lock.h"
#include "store/file_format.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::store {

namespace {

static_assert(std::endian::native == std::endian::little && sizeof(std::size_t) == 8);

using PageNumber = std::uint64_t;

constexpr PageNumber kNoPage = std::numeric_limits<PageNumber>::max();
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kNodeBytes = 8;
constexpr std::uint16_t kBranch = 0x01;
constexpr std::uint16_t kLeaf = 0x02;
constexpr std::uint16_t kOverflow = 0x04;
constexpr std::uint16_t kMeta = 0x08;
constexpr std::uint16_t kBigData = 0x01;      // a node's value lies on overflow pages
constexpr std::uint16_t kIntegerKeys = 0x08;  // a tree's keys are machine words
// The free list's flags carry those of the environment too; ours is a file, not a directory.
constexpr std::uint16_t kFreeListFlags = kIntegerKeys | 0x4000;
constexpr int kDepthMax = 32;  // of LMDB's own cursor stack

struct Header {
  PageNumber number;
  std::uint16_t pad;
  std::uint16_t flags;
  std::uint16_t lower;
  std::uint16_t upper;
  std::uint32_t overflow_pages() const { return lower | static_cast<std::uint32_t>(upper) << 16U; }
};
static_assert(sizeof(Header) == kHeaderBytes);

struct Root {  // of one tree
  std::uint32_t pad;
  std::uint16_t flags;
  std::uint16_t depth;
  PageNumber branch_pages;
  PageNumber leaf_pages;
  PageNumber overflow_pages;
  std::uint64_t entries;
  PageNumber page;
};
static_assert(sizeof(Root) == 48);

struct Meta {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t address;
  std::uint64_t map_bytes;
  Root free;  // its pad is the page size
  Root main;
  PageNumber last_page;
  std::uint64_t transaction;
};
static_assert(sizeof(Meta) == 136);

// A file mapped for reading.
class Mapped {
 public:
  explicit Mapped(int file) : file_(file) {}
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (base_ != MAP_FAILED) ::munmap(base_, size_);
    if (file_ >= 0) ::close(file_);
  }
  bool map(std::size_t size) {
    size_ = size;
    base_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_, 0);
    return base_ != MAP_FAILED;
  }
  int file() const { return file_; }
  std::size_t size() const { return size_; }
  template <class T>
  T read(std::size_t offset) const {
    T value;
    std::memcpy(&value, static_cast<const char*>(base_) + offset, sizeof value);
    return value;
  }

 private:
  int file_;
  void* base_ = MAP_FAILED;
  std::size_t size_ = 0;
};

// Walks the trees. Every method returns what is wrong, or an empty string.
class Checker {
 public:
  Checker(const Mapped& file, const Meta& meta)
      : file_(file), meta_(meta), page_bytes_(meta.free.pad) {
    const auto last = std::min<std::uint64_t>(meta.last_page, file.size() / page_bytes_);
    used_.resize(std::max<std::uint64_t>(last, 1) + 1);
    used_[0] = used_[1] = true;  // the meta pages
  }

  std::string check() {
    if (auto wrong = tree(meta_.main, Kind::Objects); !wrong.empty()) return "objects: " + wrong;
    if (auto wrong = tree(meta_.free, Kind::FreeList); !wrong.empty()) return "free list: " + wrong;
    // LMDB loses no page: what is in neither tree nor free list was never allocated.
    return claimed_ + 1 == meta_.last_page ? "" : "the number of pages is wrong";
  }

  // The state record, which is always the leftmost entry; none when it cannot be read.
  std::optional<StateRecord> state() const {
    PageNumber number = meta_.main.page;
    for (int depth = meta_.main.depth; depth > 0 && depth <= kDepthMax; --depth) {
      const std::size_t at = number * page_bytes_;
      if (number < 2 || number >= file_.size() / page_bytes_) return {};
      const auto header = file_.read<Header>(at);
      if (header.flags != (depth > 1 ? kBranch : kLeaf)) return {};
      const auto node = node_at(at, 0, header);
      if (!node) return {};
      number = node->child();
      // Elsewhere, on pages of its own, it would not have been looked whether all of it is there.
      const bool inside = node->flags == 0 && node->value_bytes() == sizeof(StateRecord);
      if (depth == 1 && inside) {
        return file_.read<StateRecord>(node->value_at());
      }
    }
    return {};
  }

 private:
  enum class Kind : unsigned char { Objects, FreeList };
  struct Range {  // the keys a page may hold: low <= key < high
    std::uint64_t low = 0;
    std::optional<std::uint64_t> high;
    bool contains(std::uint64_t key) const { return key >= low && (!high || key < *high); }
  };
  struct Node {
    std::size_t at;  // offset in the file
    std::uint16_t low, high, flags, key_bytes;
    std::uint32_t value_bytes() const { return low | static_cast<std::uint32_t>(high) << 16U; }
    PageNumber child() const { return value_bytes() | static_cast<PageNumber>(flags) << 32U; }
    std::size_t value_at() const { return at + kNodeBytes + key_bytes; }
  };

  std::string tree(const Root& root, Kind kind) {
    if (root.page == kNoPage) {
      return root.depth == 0 && root.entries == 0 ? "" : "a root page is missing";
    }
    if (root.depth == 0 || root.depth > kDepthMax) return "its depth is wrong";
    entries_ = 0;
    auto wrong = page(root.page, root.depth, {}, kind);
    if (wrong.empty() && entries_ != root.entries) wrong = "the number of entries is wrong";
    return wrong;
  }

  // Marks pages as used; false when they do not exist or something uses them already.
  bool claim(PageNumber first, std::uint64_t count) {
    if (first < 2 || first > used_.size() || count > used_.size() - first) return false;
    if ((first + count) * page_bytes_ > file_.size()) return false;
    for (auto page = first; page < first + count; ++page) {
      if (used_[page]) return false;
      used_[page] = true;
    }
    claimed_ += count;
    return true;
  }

  std::string page(PageNumber number, int depth, Range range, Kind kind) {
    if (!claim(number, 1)) return fmt::format("page {} is out of place", number);
    const std::size_t at = number * page_bytes_;
    const auto header = file_.read<Header>(at);
    if (header.number != number || header.flags != (depth > 1 ? kBranch : kLeaf)) {
      return fmt::format("page {} is of the wrong kind", number);
    }
    if (header.lower <= kHeaderBytes || header.lower % 2 != 0 || header.lower > header.upper ||
        header.upper > page_bytes_) {
      return fmt::format("page {} has a broken header", number);
    }
    const auto slots = (header.lower - kHeaderBytes) / sizeof(std::uint16_t);
    std::string wrong;
    std::optional<Node> left;
    for (std::size_t slot = 0; slot < slots && wrong.empty(); ++slot) {
      const auto node = node_at(at, slot, header);
      if (!node) return fmt::format("page {} has a broken entry", number);
      wrong = depth > 1 ? branch(left, *node, slot, depth, range, kind) : leaf(*node, range, kind);
      left = node;
    }
    if (wrong.empty() && depth > 1) wrong = page(left->child(), depth - 1, range, kind);
    return wrong;
  }

  std::optional<Node> node_at(std::size_t page_at, std::size_t slot, const Header& header) const {
    const auto offset =
        file_.read<std::uint16_t>(page_at + kHeaderBytes + slot * sizeof(std::uint16_t));
    if (offset < header.upper || offset % 2 != 0 || offset + kNodeBytes > page_bytes_) return {};
    Node node{.at = page_at + offset, .low = 0, .high = 0, .flags = 0, .key_bytes = 0};
    node.low = file_.read<std::uint16_t>(node.at);
    node.high = file_.read<std::uint16_t>(node.at + 2);
    node.flags = file_.read<std::uint16_t>(node.at + 4);
    node.key_bytes = file_.read<std::uint16_t>(node.at + 6);
    std::size_t end = offset + kNodeBytes + node.key_bytes;
    if (header.flags == kLeaf) {
      if (node.key_bytes != sizeof(std::uint64_t)) return {};
      end += node.flags == kBigData ? sizeof(PageNumber) : node.value_bytes();
    }
    return end <= page_bytes_ ? std::optional{node} : std::nullopt;
  }

  // Descends into the child left of this separator, whose upper end it is. `range` moves along.
  std::string branch(const std::optional<Node>& left, const Node& node, std::size_t slot, int depth,
                     Range& range, Kind kind) {
    if (slot == 0) return {};  // the leftmost child has no separator
    if (node.key_bytes != sizeof(std::uint64_t)) return "a separator has the wrong size";
    const auto separator = file_.read<std::uint64_t>(node.at + kNodeBytes);
    if (!range.contains(separator)) return "a separator is out of order";
    auto wrong = page(left->child(), depth - 1, {range.low, separator}, kind);
    range.low = separator;
    return wrong;
  }

  std::string leaf(const Node& node, Range& range, Kind kind) {
    const auto key = file_.read<std::uint64_t>(node.at + kNodeBytes);
    if (!range.contains(key)) return fmt::format("entry {} is out of order", key);
    range.low = key + 1;
    ++entries_;
    if (node.flags != 0 && node.flags != kBigData) {
      return fmt::format("entry {} has unknown flags", key);
    }
    std::size_t at = node.value_at();
    if (node.flags == kBigData) {
      const auto first = file_.read<PageNumber>(at);
      const auto pages = (kHeaderBytes + node.value_bytes() + page_bytes_ - 1) / page_bytes_;
      if (!claim(first, pages)) return fmt::format("entry {} lies out of place", key);
      at = first * page_bytes_;
      const auto header = file_.read<Header>(at);
      if (header.number != first || header.flags != kOverflow || header.overflow_pages() != pages) {
        return fmt::format("entry {} has a broken header", key);
      }
      at += kHeaderBytes;
    }
    return kind == Kind::FreeList ? free_pages(at, node.value_bytes()) : std::string{};
  }

  // A list of page numbers that the next commits may overwrite.
  std::string free_pages(std::size_t at, std::size_t bytes) {
    if (bytes < sizeof(PageNumber) || bytes % sizeof(PageNumber) != 0) return "a broken list";
    const auto count = file_.read<std::uint64_t>(at);
    if (count > bytes / sizeof(PageNumber) - 1) return "a list is too long";
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto number = file_.read<PageNumber>(at + i * sizeof(PageNumber));
      if (number < 2 || number > meta_.last_page) return "a page number is out of range";
      ++claimed_;
      if (number >= used_.size()) continue;  // allocated, given back, and never written
      if (used_[number]) return fmt::format("page {} is in use", number);
      used_[number] = true;
    }
    return {};
  }

  const Mapped& file_;
  const Meta& meta_;
  std::size_t page_bytes_;
  std::vector<bool> used_;
  std::uint64_t entries_ = 0;  // of the tree being walked
  std::uint64_t claimed_ = 0;  // pages found in use or free
};

bool plausible(const Meta& meta, std::size_t file_bytes) {
  const auto bytes = meta.free.pad;
  return meta.magic == kMagic && meta.version == kVersion && std::has_single_bit(bytes) &&
         bytes >= 512 && bytes <= 65536 && file_bytes >= std::size_t{2} * bytes;
}

// The greater of two numbers decides which meta page counts, so a damaged number could silently
// bring back the commit before the last. Commits alternate between the pages, so the numbers are
// neighbours, and the state record of either tree repeats its own: LMDB overwrites nothing of the
// last commit but one.
bool numbers_hold(const Mapped& mapped, const Meta& even, const Meta& odd) {
  const auto distance = static_cast<std::int64_t>(even.transaction - odd.transaction);
  if ((distance != 1 && distance != -1) || even.transaction % 2 != 0) return false;
  for (const Meta* meta : {&even, &odd}) {
    const auto state = Checker{mapped, *meta}.state();
    if (!state) continue;  // in the newer tree the full check says so
    const auto* bytes = reinterpret_cast<const char*>(&*state);
    const bool intact = state->checksum == record_checksum(kStateId, {bytes, sizeof(StateRecord)});
    if (intact && state->transaction != meta->transaction) return false;
  }
  return true;
}

std::unexpected<Error> damaged(const std::filesystem::path& file, std::string_view what) {
  return fail(ErrorKind::Invalid,
              fmt::format("{} is damaged: {}: {}", file.string(), what, way_out(file)));
}

std::unexpected<Error> foreign(const std::filesystem::path& file) {
  return fail(ErrorKind::Invalid,
              fmt::format("{} is not a Fixpoint data file, or its first pages are damaged: choose "
                          "another data directory, or {}",
                          file.string(), way_out(file)));
}

Result<FileState> check_mapped(const Mapped& mapped, const std::filesystem::path& file) {
  if (mapped.size() < kHeaderBytes + sizeof(Meta)) return foreign(file);
  const auto first = mapped.read<Meta>(kHeaderBytes);
  if (!plausible(first, mapped.size())) return foreign(file);
  const auto second = mapped.read<Meta>(first.free.pad + kHeaderBytes);
  if (!plausible(second, mapped.size()) || second.free.pad != first.free.pad) return foreign(file);
  if (mapped.read<Header>(0).flags != kMeta || mapped.read<Header>(first.free.pad).flags != kMeta) {
    return foreign(file);
  }
  const Meta& meta = first.transaction > second.transaction ? first : second;
  if (first.transaction == 0 && second.transaction == 0) {
    return meta.main.page == kNoPage ? Result<FileState>{FileState::Fresh} : foreign(file);
  }
  if (meta.main.flags != kIntegerKeys || meta.free.flags != kFreeListFlags) return foreign(file);
  if (!numbers_hold(mapped, first, second)) {
    return damaged(file, "the numbers of the last two commits do not hold");
  }
  auto wrong = Checker{mapped, meta}.check();
  if (!wrong.empty()) return damaged(file, wrong);
  return FileState::Sound;
}

}  // namespace

std::string way_out(const std::filesystem::path& file) {
  return fmt::format("restore it from a backup, or start empty by moving it away (mv {0} {0}.old)",
                     file.string());
}

Result<FileState> check_pages(const std::filesystem::path& file) {
  // Not waiting for whoever writes into a pipe that stands there.
  Mapped mapped{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (mapped.file() < 0) {
    if (errno == ENOENT) return FileState::Missing;
    return std::unexpected(file_error("open", file, errno));
  }
  struct stat status{};
  if (::fstat(mapped.file(), &status) != 0) {
    return std::unexpected(file_error("look at", file, errno));
  }
  if (!S_ISREG(status.st_mode)) return foreign(file);
  if (status.st_size == 0) return FileState::Missing;
  if (!mapped.map(static_cast<std::size_t>(status.st_size))) {
    return std::unexpected(file_error("map", file, errno));
  }
  return check_mapped(mapped, file);
}

}  // namespace fixpoint::store
