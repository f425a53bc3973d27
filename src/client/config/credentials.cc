// SPDX-License-Identifier: Apache-2.0
#include "client/config/credentials.h"

#include "base/base64.h"
#include "client/config/files.h"

#include <utility>

namespace fixpoint::client {
namespace {

Result<std::string> content(const Material& material, std::string_view what,
                            const std::string& source) {
  if (!material.text.empty() || material.file.empty()) return material.text;
  auto text = read_small_file(material.file);
  if (!text) {
    return fail(text.error().kind,
                std::string{what} + " of " + source + ": " + text.error().message);
  }
  return *std::move(text);
}

}  // namespace

Credentials::Credentials(net::Loop& loop, Config config)
    : loop_(loop), config_(std::move(config)), background_(loop) {}

Result<void> Credentials::check() {
  return refresh();
}

Result<Credentials::Parts> Credentials::read_parts() const {
  Parts parts;
  const auto& source = config_.source;
  FP_TRY(authority, content(config_.certificate_authority, "the certificate authority", source));
  FP_TRY(certificate, content(config_.client_certificate, "the client certificate", source));
  FP_TRY(key, content(config_.client_key, "the client key", source));
  FP_TRY(token, content(config_.token, "the token", source));
  parts.authority_pem = std::move(authority);
  parts.certificate_pem = std::move(certificate);
  parts.private_key_pem = std::move(key);
  token = trimmed_line(token);
  if (credential_ && !credential_->certificate_pem.empty()) {
    parts.certificate_pem = credential_->certificate_pem;
    parts.private_key_pem = credential_->private_key_pem;
  }
  if (credential_ && !credential_->token.empty()) token = credential_->token;
  if (!token.empty()) {
    parts.authorization = "Bearer " + token;
  } else if (!config_.username.empty()) {
    parts.authorization = "Basic " + base64_encode(config_.username + ":" + config_.password);
  }
  return parts;
}

Result<void> Credentials::use(Parts parts) {
  Access access{.authorization = parts.authorization, .tls = nullptr};
  const bool same_tls = access_ && parts.authority_pem == parts_.authority_pem &&
                        parts.certificate_pem == parts_.certificate_pem &&
                        parts.private_key_pem == parts_.private_key_pem;
  if (same_tls) {
    access.tls = access_->tls;
  } else if (config_.tls) {
    auto tls = net::make_client_tls({.ca_pem = parts.authority_pem,
                                     .certificate_pem = parts.certificate_pem,
                                     .private_key_pem = parts.private_key_pem,
                                     .check = config_.insecure_skip_verify
                                                  ? net::PeerCheck::InsecureSkipVerify
                                                  : net::PeerCheck::Verify,
                                     .versions = net::HttpVersions::Any});
    if (!tls) return fail_in(config_.source, std::move(tls).error());
    access.tls = *std::move(tls);
  }
  parts_ = std::move(parts);
  access_ = std::make_shared<const Access>(std::move(access));
  return {};
}

// Half a rotation (a new certificate with the old key) or a missing file: what worked goes on.
Result<void> Credentials::refresh() {
  read_at_ = loop_.clock().monotonic();
  auto parts = read_parts();
  Result<void> outcome;
  if (!parts) {
    outcome = std::unexpected(std::move(parts).error());
  } else if (!access_ || *parts != parts_) {
    outcome = use(*std::move(parts));
  }
  if (!outcome && access_) return {};
  return outcome;
}

bool Credentials::plugin_due() const {
  if (!config_.exec) return false;
  if (!credential_) return true;
  return credential_->expires && loop_.clock().wall() + kExpiryMargin >= *credential_->expires;
}

void Credentials::get(Done done) {
  if (plugin_runs_ || plugin_due()) {
    waiting_.push_back(std::move(done));
    if (!plugin_runs_) start_plugin();
    return;
  }
  if (!access_ || loop_.clock().monotonic() - read_at_ >= kReadAgain) {
    if (auto outcome = refresh(); !outcome) {
      return done(std::unexpected(std::move(outcome).error()));
    }
  }
  done(access_);
}

void Credentials::start_plugin() {
  plugin_runs_ = true;
  plugin_ran_at_ = loop_.clock().monotonic();
  // An authority that cannot be read is told when it is needed, below.
  const auto authority =
      content(config_.certificate_authority, "the certificate authority", config_.source);
  background_.run(
      [run = plugin_run(config_, authority.value_or(""))] { return run_plugin(run); },
      [this](Result<PluginCredential> credential) { plugin_ended(std::move(credential)); });
}

void Credentials::plugin_ended(Result<PluginCredential> credential) {
  plugin_runs_ = false;
  Result<AccessRef> outcome;
  if (credential) {
    credential_ = *std::move(credential);
    auto refreshed = refresh();
    outcome =
        refreshed ? Result<AccessRef>{access_} : std::unexpected(std::move(refreshed).error());
  } else {
    outcome = std::unexpected(std::move(credential).error());
  }
  for (auto& done : std::exchange(waiting_, {})) done(outcome);
}

bool Credentials::reject(const AccessRef& access) {
  if (access != access_) return true;  // a better one is here already
  if (config_.exec) {
    if (loop_.clock().monotonic() - plugin_ran_at_ < kPluginPause) return false;
    credential_.reset();
    return true;
  }
  return refresh().has_value() && access_ != access;
}

}  // namespace fixpoint::client
