// SPDX-License-Identifier: Apache-2.0
//
// names.json: each name with the messages of Kubernetes' own validators, in the order of kChecks.
#include "kube/meta/names.h"

#include "base/rng.h"
#include "kube/go/text.h"
#include "kube/scalars/ip.h"
#include "kube/table_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

constexpr Messages (*kChecks[])(std::string_view) = {
    dns1123_label_problems,
    dns1123_subdomain_problems,
    dns1035_label_problems,
    qualified_name_problems,
    label_value_problems,
    config_map_key_problems,
    strict_env_var_name_problems,
    env_var_name_problems,
    c_identifier_problems,
    http_header_name_problems,
    percent_problems,
    port_name_problems,
    wildcard_dns1123_subdomain_problems,
    dns1123_subdomain_with_underscore_problems,
};

TEST(Names, AreJudgedInTheWordsOfARealServer) {
  const auto table = read_table("kube/names.json");
  for (const json::View row : table.view().elements()) {
    const auto name = text_of(row[0]);
    for (std::size_t i = 0; i < std::size(kChecks); ++i) {
      EXPECT_EQ(kChecks[i](name), texts_of(row[i + 1]))
          << "check " << i << " of " << go_quoted(name);
    }
    EXPECT_EQ(go_quoted(name), text_of(row[std::size(kChecks) + 1]));
  }
}

TEST(Names, APrefixMayEndInADashThatTheRandomPartFollows) {
  EXPECT_EQ(name_is_dns_label("web-", NamePart::Prefix), Messages{});
  EXPECT_NE(name_is_dns_label("web-", NamePart::Whole), Messages{});
  EXPECT_NE(name_is_dns_label("-", NamePart::Prefix), Messages{});
  EXPECT_NE(name_is_dns1035_label("1x-", NamePart::Prefix), Messages{});
}

TEST(Names, PathSegmentsMayBeAnythingThatFitsBetweenSlashes) {
  EXPECT_EQ(name_is_path_segment("system:Node", NamePart::Whole), Messages{});
  EXPECT_EQ(name_is_path_segment("..", NamePart::Whole), Messages{"may not be '..'"});
  EXPECT_EQ(name_is_path_segment("..", NamePart::Prefix), Messages{});
  EXPECT_EQ(name_is_path_segment("a/b%", NamePart::Whole),
            (Messages{"may not contain '/'", "may not contain '%'"}));
}

TEST(Names, GeneratedNamesStayLabels) {
  Rng rng{1};

  const auto name = generate_name(std::string(80, 'a'), rng);

  EXPECT_EQ(name.size(), kDnsLabelBytesMax);
  EXPECT_TRUE(name.starts_with(std::string(58, 'a')));
  EXPECT_EQ(dns1123_label_problems(name), Messages{});
}

TEST(Ip, TellsFamiliesAndPrintsTheShortForm) {
  EXPECT_EQ(parse_ip("10.0.0.1", IpSyntax::Strict)->to_string(), "10.0.0.1");
  EXPECT_EQ(parse_ip("010.0.0.1", IpSyntax::Legacy)->to_string(), "10.0.0.1");
  EXPECT_FALSE(parse_ip("010.0.0.1", IpSyntax::Strict));
  EXPECT_EQ(parse_ip("2001:db8:0:0::1", IpSyntax::Strict)->to_string(), "2001:db8::1");
  EXPECT_TRUE(parse_ip("::ffff:1.2.3.4", IpSyntax::Legacy)->v4);
  for (const auto* bad : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "a", ":::", "1::2::3"}) {
    EXPECT_FALSE(parse_ip(bad, IpSyntax::Legacy)) << bad;
  }
}

TEST(Ip, BlocksContainTheirAddresses) {
  const auto block = parse_cidr("10.0.0.0/24");
  ASSERT_TRUE(block);
  EXPECT_TRUE(block->contains(*parse_ip("10.0.0.255", IpSyntax::Strict)));
  EXPECT_FALSE(block->contains(*parse_ip("10.0.1.0", IpSyntax::Strict)));
  EXPECT_FALSE(block->contains(*parse_ip("::1", IpSyntax::Strict)));
  EXPECT_FALSE(parse_cidr("10.0.0.0/33"));
  EXPECT_FALSE(parse_cidr("10.0.0.0"));
}

}  // namespace
}  // namespace fixpoint::kube
