// SPDX-License-Identifier: Apache-2.0
//
// Finding a server and an identity: files, their merging, their mistakes, and what surrounds them.
#include "client/config/kubeconfig.h"

#include "base/base64.h"
#include "client/config.h"
#include "client/config/proxy.h"
#include "client/config/scratch_files.h"
#include "client/config/url.h"

#include <map>
#include <tuple>

#include <gtest/gtest.h>

namespace fixpoint::client {
namespace {

constexpr std::string_view kTwo = R"(
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c1
  cluster: {server: "https://one.example:6443/prefix/", certificate-authority: ca.pem, tls-server-name: api}
- name: c2
  cluster: {server: "http://[::1]:8080", insecure-skip-tls-verify: true, proxy-url: "socks5://u:p%40ss@px"}
users:
- name: u1
  user: {token: s3cret, as: jane, as-groups: [a, b], as-uid: "7", as-user-extra: {scope: [x]}}
- name: u2
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
contexts:
- name: dev
  context: {cluster: c1, user: u1, namespace: team}
- name: two
  context: {cluster: c2, user: u2}
- name: broken
  context: {cluster: gone, user: u1}
)";

class KubeconfigTest : public testing::Test {
 protected:
  Result<Config> load(const std::string& context = "") {
    return load_kubeconfig({files.path("a")}, MissingFiles::Refuse, context);
  }
  std::string message(const std::string& context = "") {
    const auto config = load(context);
    return config ? "accepted" : config.error().message;
  }
  Surroundings surroundings() {
    Surroundings made;
    made.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    made.service_account_directory = files.path("account");
    return made;
  }

  ScratchFiles files;
  std::map<std::string, std::string> variables;
};

TEST_F(KubeconfigTest, ReadsTheCurrentContext) {
  files.write("a", kTwo);

  const auto config = load();

  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.host, "one.example");
  EXPECT_EQ(config->server.port, 6443);
  EXPECT_EQ(config->server.path, "/prefix");
  EXPECT_EQ(config->server.server_name, "api");
  EXPECT_EQ(config->certificate_authority.file, files.path("ca.pem"));
  EXPECT_EQ(config->token.text, "s3cret");
  EXPECT_EQ(config->default_namespace, "team");
  EXPECT_EQ(config->impersonation.size(), 5U);
  EXPECT_EQ(*config->impersonation.find("impersonate-extra-scope"), "x");
}

TEST_F(KubeconfigTest, ReadsAnotherContext) {
  files.write("a", kTwo);

  const auto config = load("two");

  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->tls);
  EXPECT_EQ(config->server.host, "::1");
  EXPECT_EQ(config->client_certificate.text, "cert");
  EXPECT_EQ(config->client_key.text, "key");
  ASSERT_TRUE(config->server.proxy);
  EXPECT_EQ(config->server.proxy->kind, net::Proxy::Kind::Socks5);
  EXPECT_EQ(config->server.proxy->password, "p@ss");
  EXPECT_EQ(config->server.proxy->port, 1080);
  EXPECT_EQ(config->default_namespace, "default");
}

TEST_F(KubeconfigTest, TheFirstFileToNameSomethingWins) {
  files.write("a", "current-context: two\nusers: [{name: u2, user: {token: first}}]\n");
  files.write("sub/b", kTwo);
  variables["KUBECONFIG"] =
      files.path("missing") + ":" + files.path("a") + "::" + files.path("sub/b");

  const auto config = load_config({}, surroundings());

  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token.text, "first");
  EXPECT_TRUE(config->client_certificate.empty()) << "the second file's user is not mixed in";
  const auto dev = load_config({.context = "dev"}, surroundings());
  EXPECT_EQ(dev->certificate_authority.file, files.path("sub/ca.pem"));
}

TEST_F(KubeconfigTest, MistakesNameTheFileTheFieldAndTheWayOut) {
  EXPECT_TRUE(message().contains("open " + files.path("a") + ": No such file"));
  files.write("a", kTwo);
  EXPECT_TRUE(message("nope").contains("no context \"nope\" (there is: broken, dev, two)"));
  EXPECT_TRUE(message("broken").contains("no cluster \"gone\" (there is: c1, c2)"));
  files.write("a",
              "contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]");
  EXPECT_TRUE(message().contains("no current-context is set"));
  EXPECT_EQ(message("x"),
            files.path("a") + ": clusters.c.server is missing; it is the server's URL");
  files.write("a",
              "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
              "clusters: [{name: c, cluster: {server: 'one.example'}}]");
  EXPECT_TRUE(message().contains("write https://host:port"));
}

TEST_F(KubeconfigTest, MistakesAboutUsersTellNoSecrets) {
  const auto with_user = [&](std::string_view user) {
    files.write("a",
                "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
                "users: [{name: u, user: " +
                    std::string{user} + "}]");
    return message();
  };

  EXPECT_TRUE(with_user("{client-key-data: 's3cret!'}").ends_with("client-key-data is no base64"));
  EXPECT_TRUE(with_user("{client-certificate: x}").contains("belong together"));
  EXPECT_TRUE(with_user("{auth-provider: {name: gcp}}").contains("use exec"));
  EXPECT_TRUE(with_user("{exec: {apiVersion: x/v1, command: plug}}").contains("supported are"));
  EXPECT_TRUE(with_user("{exec: {apiVersion: client.authentication.k8s.io/v1, command: plug}}")
                  .contains("interactiveMode must be"));
  EXPECT_EQ(with_user("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plug}}"),
            "accepted");
  files.write("a", "users: [{token: s3cret\n");
  EXPECT_FALSE(message().contains("s3cret"));
}

TEST_F(KubeconfigTest, LooksAroundInTheRightOrder) {
  EXPECT_TRUE(load_config({}, surroundings()).error().message.contains("pass --kubeconfig FILE"));
  variables["HOME"] = files.path("home");
  files.write("home/.kube/config", kTwo);
  EXPECT_EQ(load_config({}, surroundings())->server.host, "one.example");
  variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  variables["KUBERNETES_SERVICE_PORT"] = "443";
  files.write("account/token", "t");
  files.write("account/namespace", "mine\n");
  files.write("account/ca.crt", "x");
  const auto inside = load_config({}, surroundings());
  EXPECT_EQ(inside->server.host, "10.0.0.1");
  EXPECT_EQ(inside->default_namespace, "mine");
  EXPECT_EQ(inside->token.file, files.path("account/token"));
  files.write("a", kTwo);
  variables["KUBECONFIG"] = files.path("a");
  EXPECT_EQ(load_config({.context = "two"}, surroundings())->server.host, "::1");
  files.write("flag", kTwo);
  EXPECT_TRUE(load_config({.kubeconfig = files.path("flag")}, surroundings())
                  ->source.contains(files.path("flag")));
}

TEST_F(KubeconfigTest, TheEnvironmentsProxyIsUsedUnlessSpared) {
  files.write("a", kTwo);
  variables["KUBECONFIG"] = files.path("a");
  variables["https_proxy"] = "proxy.example:3128";

  EXPECT_EQ(load_config({}, surroundings())->server.proxy->host, "proxy.example");
  variables["NO_PROXY"] = "other, .example";
  EXPECT_FALSE(load_config({}, surroundings())->server.proxy);
}

TEST(Proxy, IsSpokenWithPlainlyByTlsOrBySocks) {
  using Kind = net::Proxy::Kind;
  const auto plain = *read_proxy_url("http://p.example", "it");
  const auto sealed = *read_proxy_url("https://u:p@p.example", "it");
  const auto socks = *read_proxy_url("socks5h://p.example", "it");
  const auto elsewhere = *read_proxy_url("https://p.example:3128", "it");
  const auto other = read_proxy_url("ftp://p.example", "it");

  EXPECT_EQ(std::tuple(plain.kind, plain.port), std::tuple(Kind::HttpConnect, 80));
  EXPECT_EQ(std::tuple(sealed.kind, sealed.port), std::tuple(Kind::HttpsConnect, 443));
  EXPECT_EQ(sealed.user, "u");
  EXPECT_EQ(std::tuple(socks.kind, socks.port), std::tuple(Kind::Socks5, 1080));
  EXPECT_EQ(elsewhere.port, 3128);
  EXPECT_TRUE(other.error().message.contains("reached by ftp is not supported"));
}

TEST(Proxy, NoProxySparesNamesAddressesAndNetworks) {
  EXPECT_TRUE(spared_from_proxy("", "localhost", 1));
  EXPECT_TRUE(spared_from_proxy("", "127.1.2.3", 1));
  EXPECT_TRUE(spared_from_proxy("10.0.0.0/8", "10.9.8.7", 1));
  EXPECT_FALSE(spared_from_proxy("10.0.0.0/8", "11.9.8.7", 1));
  EXPECT_TRUE(spared_from_proxy("a.example", "b.a.example", 1));
  EXPECT_FALSE(spared_from_proxy("a.example", "ba.example", 1));
  EXPECT_TRUE(spared_from_proxy("a.example:6443", "a.example", 6443));
  EXPECT_FALSE(spared_from_proxy("a.example:6443", "a.example", 443));
  EXPECT_TRUE(spared_from_proxy("*", "x", 1));
  EXPECT_TRUE(spared_from_proxy("fd00::/8", "fd12::1", 1));
}

TEST(Url, HasParts) {
  const auto url = parse_url("HTTPS://a%20b:c@[fe80::1]:99/x?y");

  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "a b");
  EXPECT_EQ(url->host, "fe80::1");
  EXPECT_EQ(url->port, 99);
  EXPECT_EQ(url->path, "/x?y");
  for (const auto* wrong : {"", "x", "://x", "http://", "http://a:0", "http://a:70000", "http://[x",
                            "http://a b/", "http://a:1x"}) {
    EXPECT_FALSE(parse_url(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fixpoint::client
