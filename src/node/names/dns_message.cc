// SPDX-License-Identifier: Apache-2.0
#include "node/names/dns_message.h"

#include <array>
#include <cctype>

#include <arpa/inet.h>

namespace fixpoint::node {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::uint16_t kClassInternet = 1;
// Names move when pods do.
constexpr std::uint32_t kSeconds = 5;

std::uint16_t two_bytes_at(std::string_view text, std::size_t at) {
  const auto high = static_cast<unsigned char>(text[at]);
  const auto low = static_cast<unsigned char>(text[at + 1]);
  return static_cast<std::uint16_t>(high << 8U | low);
}

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value >> 8U & 0xFFU);
  out += static_cast<char>(value & 0xFFU);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value >> 16U);
  put16(out, value & 0xFFFFU);
}

}  // namespace

Result<DnsQuestion> parse_question(std::string_view message) {
  const auto bad = [] { return fail(ErrorKind::Invalid, "no plain DNS query"); };
  if (message.size() < kHeaderBytes) return bad();
  const auto flags = two_bytes_at(message, 2);
  const bool answer = (flags & 0x8000U) != 0;
  const bool plain = (flags & 0x7800U) == 0;
  if (answer || !plain || two_bytes_at(message, 4) != 1) return bad();
  DnsQuestion question;
  question.id = two_bytes_at(message, 0);
  question.recursion = (flags & 0x0100U) != 0;
  std::size_t at = kHeaderBytes;
  while (true) {
    if (at >= message.size()) return bad();
    const auto length = static_cast<unsigned char>(message[at++]);
    if (length == 0) break;
    if (length > 63 || at + length > message.size()) return bad();
    if (!question.name.empty()) question.name += '.';
    for (const char c : message.substr(at, length)) {
      question.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    at += length;
  }
  if (at + 4 > message.size() || two_bytes_at(message, at + 2) != kClassInternet) return bad();
  question.type = two_bytes_at(message, at);
  question.bytes = message.substr(kHeaderBytes, at + 4 - kHeaderBytes);
  return question;
}

std::string dns_answer(const DnsQuestion& question, DnsOutcome outcome,
                       const std::vector<std::string>& addresses) {
  constexpr std::size_t kRecordBytes = 16;
  std::string records;
  std::uint32_t count = 0;
  for (const auto& address : addresses) {
    in_addr number{};
    if (::inet_pton(AF_INET, address.c_str(), &number) != 1) continue;
    const auto size = kHeaderBytes + question.bytes.size() + records.size() + kRecordBytes;
    if (size > kMessageBytesMax) break;
    put16(records, 0xC00CU);  // the question's name
    put16(records, kTypeA);
    put16(records, kClassInternet);
    put32(records, kSeconds);
    put16(records, 4);
    put32(records, ntohl(number.s_addr));
    ++count;
  }
  std::string out;
  put16(out, question.id);
  // An answer, ours to give, and whoever asks us may ask for more than ours.
  put16(out, 0x8480U | (question.recursion ? 0x0100U : 0U) | static_cast<std::uint32_t>(outcome));
  put16(out, 1);
  put16(out, count);
  put32(out, 0);
  return out + question.bytes + records;
}

}  // namespace fixpoint::node
