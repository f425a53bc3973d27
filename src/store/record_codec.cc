// SPDX-License-Identifier: Apache-2.0
#include "store/record_codec.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "store/file_format.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::store {

namespace {

// Records below this are parsed by the calling thread alone: threads would cost more than they
// save.
constexpr std::size_t kParallelRecords = 512;
constexpr std::size_t kLoadThreadsMax = 8;

Result<RecordRef> decode(const Stored& stored) {
  const auto wrong = [&](std::string_view name, std::string_view what) {
    return fail(ErrorKind::Invalid, fmt::format("object {} (number {}) {}", name, stored.id, what));
  };
  ObjectHeader header;
  if (stored.bytes.size() < sizeof header) return wrong("of unknown name", "is cut short");
  std::memcpy(&header, stored.bytes.data(), sizeof header);
  const auto rest = stored.bytes.substr(sizeof header);
  if (header.key_bytes > rest.size()) return wrong("of unknown name", "is cut short");
  const auto key = rest.substr(0, header.key_bytes);
  if (header.checksum != record_checksum(stored.id, stored.bytes)) {
    return wrong(key, "does not match its checksum");
  }
  auto body = json::parse(rest.substr(header.key_bytes));
  if (!body) return wrong(key, "is not JSON: " + body.error().message);
  auto record = make_ref<Record>();
  record->key = key;
  record->created = Revision{stored.id};
  record->modified = Revision{header.modified};
  record->body = std::move(*body);
  return RecordRef{record};
}

// Decodes every step-th record from `first` on; stops at the first that is wrong.
Result<void> decode_some(const std::vector<Stored>& stored, std::size_t first, std::size_t step,
                         std::vector<RecordRef>& records) {
  for (std::size_t i = first; i < stored.size(); i += step) {
    auto record = decode(stored[i]);
    if (!record) return std::unexpected(std::move(record.error()));
    records[i] = std::move(*record);
  }
  return {};
}

}  // namespace

void encode(const Record& record, std::string& buffer) {
  buffer.assign(sizeof(ObjectHeader), '\0');
  buffer += record.key;
  json::print(record.body, buffer, json::Escape::Plain);
  ObjectHeader header{.checksum = 0,
                      .modified = record.modified.value,
                      .key_bytes = static_cast<std::uint32_t>(record.key.size())};
  std::memcpy(buffer.data(), &header, sizeof header);
  header.checksum = record_checksum(record.created.value, buffer);
  std::memcpy(buffer.data(), &header, sizeof header);
}

Result<std::vector<RecordRef>> decode_all(const std::vector<Stored>& stored) {
  std::vector<RecordRef> records(stored.size());
  const auto useful = std::min<std::size_t>(std::thread::hardware_concurrency(), kLoadThreadsMax);
  const auto workers = stored.size() < kParallelRecords ? 1 : std::max<std::size_t>(useful, 1);
  std::vector<Result<void>> results(workers);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers; ++i) {
      threads.emplace_back([&, i] { results[i] = decode_some(stored, i, workers, records); });
    }
    results[0] = decode_some(stored, 0, workers, records);
  }
  for (auto& result : results) FP_TRY_VOID(std::move(result));
  return records;
}

}  // namespace fixpoint::store
