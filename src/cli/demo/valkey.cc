// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/valkey.h"

#include "net/transport/socket.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::uint16_t kPort = 6379;
constexpr timeval kSocketPatience{.tv_sec = 10, .tv_usec = 0};
constexpr std::size_t kAnswerBytesMax = 64 * 1024;  // INFO is some kilobytes

std::unexpected<Error> trouble(std::string_view doing, const std::string& address) {
  return fail(ErrorKind::Unavailable,
              fmt::format("{} {}:{}: {}", doing, address, kPort, std::strerror(errno)));
}

Result<net::Fd> dial(const std::string& address) {
  net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return trouble("socket for", address);
  for (const int way : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    ::setsockopt(fd.get(), SOL_SOCKET, way, &kSocketPatience, sizeof kSocketPatience);
  }
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(kPort);
  if (::inet_pton(AF_INET, address.c_str(), &peer.sin_addr) != 1) {
    return fail(ErrorKind::Invalid, fmt::format("\"{}\" is no address", address));
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0) {
    return trouble("connect to", address);
  }
  return fd;
}

std::string request_of(const std::vector<std::string>& words) {
  std::string request = fmt::format("*{}\r\n", words.size());
  for (const auto& word : words) request += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return request;
}

}  // namespace

Result<std::string> read_valkey_answer(std::string_view bytes) {
  const auto more = [] { return fail(ErrorKind::Unavailable, "the answer is not complete"); };
  const auto end = bytes.find("\r\n");
  if (end == std::string_view::npos) return more();
  const auto line = bytes.substr(1, end - 1);
  if (bytes[0] == '+' || bytes[0] == ':') return std::string{line};
  if (bytes[0] == '-') return fail(ErrorKind::Invalid, std::string{line});
  std::int64_t size = 0;
  const auto [stop, bad] = std::from_chars(line.data(), line.data() + line.size(), size);
  if (bytes[0] != '$' || bad != std::errc{} || stop != line.data() + line.size()) {
    return fail(ErrorKind::Invalid, fmt::format("\"{}\" is no answer", bytes.substr(0, end)));
  }
  if (size < 0) return std::string{"(nil)"};
  const auto text = bytes.substr(end + 2);
  if (text.size() < static_cast<std::size_t>(size) + 2) return more();
  return std::string{text.substr(0, static_cast<std::size_t>(size))};
}

Result<std::string> ask_valkey_server(const std::string& address,
                                      const std::vector<std::string>& words) {
  FP_TRY(fd, dial(address));
  const auto request = request_of(words);
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return trouble("ask", address);
  }
  std::string answer;
  while (answer.size() < kAnswerBytesMax) {
    std::array<char, 4096> buffer;
    const auto count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (count == 0) return fail(ErrorKind::Unavailable, address + " closed the connection");
    if (count < 0) return trouble("wait for the answer of", address);
    answer.append(buffer.data(), static_cast<std::size_t>(count));
    auto whole = read_valkey_answer(answer);
    if (whole || whole.error().kind != ErrorKind::Unavailable) return whole;
  }
  return fail(ErrorKind::Exhausted, address + " answers without end");
}

}  // namespace fixpoint::cli::demo
