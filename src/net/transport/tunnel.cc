// SPDX-License-Identifier: Apache-2.0
#include "net/transport/tunnel.h"

#include "base/base64.h"

#include <algorithm>
#include <cstdint>

namespace fixpoint::net {
namespace {

// A proxy's answer to CONNECT: a status line and a few headers.
constexpr std::size_t kConnectAnswerBytesMax = 16 * 1024;

class HttpTunnel final : public Tunnel {
 public:
  HttpTunnel(const Proxy& proxy, const Endpoint& target)
      : proxy_(proxy), target_(to_string(target)) {}

  std::string greeting() override {
    auto text = "CONNECT " + target_ + " HTTP/1.1\r\nhost: " + target_ + "\r\n";
    if (!proxy_.user.empty()) {
      text += "proxy-authorization: Basic " + base64_encode(proxy_.user + ":" + proxy_.password) +
              "\r\n";
    }
    return text + "\r\n";
  }

  Result<bool> received(std::string_view bytes, std::string&) override {
    answer_.append(bytes);
    const auto end = answer_.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (answer_.size() > kConnectAnswerBytesMax) return refused("an endless answer");
      return false;
    }
    const auto line = answer_.substr(0, answer_.find("\r\n"));
    const auto space = line.find(' ');
    if (!line.starts_with("HTTP/1.") || space == std::string::npos)
      return refused("no HTTP answer");
    if (line.substr(space + 1, 1) != "2") return refused(line);
    if (answer_.size() > end + 4) return refused("bytes before they were asked for");
    return true;
  }

 private:
  std::unexpected<Error> refused(std::string_view why) const {
    return fail(ErrorKind::Unavailable,
                "the proxy " + to_string(Endpoint{.host = proxy_.host, .port = proxy_.port}) +
                    " did not connect to " + target_ + ": " + std::string{why});
  }

  Proxy proxy_;
  std::string target_;
  std::string answer_;
};

// RFC 1928, with RFC 1929 for a user and password. The proxy resolves the name.
class Socks5Tunnel final : public Tunnel {
 public:
  Socks5Tunnel(const Proxy& proxy, const Endpoint& target) : proxy_(proxy), target_(target) {}

  std::string greeting() override {
    return proxy_.user.empty() ? std::string{"\x05\x01\x00", 3} : std::string{"\x05\x01\x02", 3};
  }

  Result<bool> received(std::string_view bytes, std::string& to_proxy) override {
    answer_.append(bytes);
    if (stage_ == Stage::Method) {
      if (answer_.size() < 2) return false;
      const char wanted = proxy_.user.empty() ? '\x00' : '\x02';
      if (answer_[0] != '\x05' || answer_[1] != wanted) return refused("no way to log in");
      take(2);
      stage_ = proxy_.user.empty() ? Stage::Connect : Stage::Login;
      to_proxy = proxy_.user.empty() ? connect_request() : login();
    }
    if (stage_ == Stage::Login) {
      if (answer_.size() < 2) return false;
      if (answer_[1] != '\x00') return refused("user or password is wrong");
      take(2);
      stage_ = Stage::Connect;
      to_proxy = connect_request();
    }
    return connected();
  }

 private:
  enum class Stage : std::uint8_t { Method, Login, Connect };

  static std::string counted(std::string_view text) {
    const auto size = std::min<std::size_t>(text.size(), 255);
    return std::string{static_cast<char>(size)}.append(text.substr(0, size));
  }
  std::string login() const { return "\x01" + counted(proxy_.user) + counted(proxy_.password); }
  std::string connect_request() const {
    std::string request{"\x05\x01\x00\x03", 4};
    request += counted(target_.host);
    request.push_back(static_cast<char>(target_.port >> 8U));
    request.push_back(static_cast<char>(target_.port & 0xFFU));
    return request;
  }

  Result<bool> connected() {
    if (answer_.size() < 5) return false;
    if (answer_[1] != '\x00') {
      return refused("code " + std::to_string(static_cast<int>(answer_[1])));
    }
    const auto name = static_cast<unsigned char>(answer_[4]);
    const std::size_t address = answer_[3] == 1 ? 4U : answer_[3] == 4 ? 16U : 1U + name;
    const auto size = 4 + address + 2;
    if (answer_.size() < size) return false;
    if (answer_.size() > size) return refused("bytes before they were asked for");
    return true;
  }

  void take(std::size_t count) { answer_.erase(0, count); }
  std::unexpected<Error> refused(std::string_view why) const {
    return fail(ErrorKind::Unavailable,
                "the proxy " + to_string(Endpoint{.host = proxy_.host, .port = proxy_.port}) +
                    " did not connect to " + to_string(target_) + ": " + std::string{why});
  }

  Proxy proxy_;
  Endpoint target_;
  Stage stage_ = Stage::Method;
  std::string answer_;
};

}  // namespace

std::unique_ptr<Tunnel> make_tunnel(const Proxy& proxy, const Endpoint& target) {
  if (proxy.kind == Proxy::Kind::Socks5) return std::make_unique<Socks5Tunnel>(proxy, target);
  return std::make_unique<HttpTunnel>(proxy, target);
}

}  // namespace fixpoint::net
