// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/webhook_url.h"

#include "kube/scalars/url.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

std::string told(std::string_view text) {
  FieldErrors errors;
  const FieldPath path{"url"};
  validate_webhook_url(text, path, errors);
  std::string out;
  for (const auto& error : errors) out += error.body() + "\n";
  return out;
}

constexpr auto kScheme =
    "'https' is the only allowed URL scheme; desired format: https://host[/path]\n";
constexpr auto kHost =
    "Invalid value: \"\": host must be specified; desired format: "
    "https://host[/path]\n";

TEST(WebhookUrl, MayHaveAPortAndAPath) {
  EXPECT_EQ(told("https://127.0.0.1:1/x"), "");
  EXPECT_EQ(told("HTTPS://[::1]:443/%20"), "");
}

TEST(WebhookUrl, NeedsASchemeAndAHost) {
  EXPECT_EQ(told("text"), std::string{"Invalid value: \"\": "} + kScheme + kHost);
  EXPECT_EQ(told("https:text"), kHost);
  EXPECT_EQ(told("http://host"), std::string{"Invalid value: \"http\": "} + kScheme);
}

TEST(WebhookUrl, HasNothingElse) {
  EXPECT_EQ(told("https://me@host/?a=b#c"),
            "Invalid value: \"me\": user information is not permitted in the URL\n"
            "Invalid value: \"c\": fragments are not permitted in the URL\n"
            "Invalid value: \"a=b\": query parameters are not permitted in the URL\n");
}

TEST(RequestUrl, NeedsASchemeOrAPathBeforeAnythingElseIsLookedAt) {
  EXPECT_EQ(parse_request_url("%").error().message, "invalid URI for request");
  EXPECT_EQ(parse_request_url("").error().message, "empty url");
  EXPECT_EQ(parse_request_url("/%").error().message, "invalid URL escape \"%\"");
  EXPECT_TRUE(parse_request_url("/a#%").has_value());
}

TEST(WebhookUrl, IsRefusedInTheWordsOfItsParser) {
  const auto why = [](std::string_view text) {
    const auto all = told(text);
    const auto from = all.find("\": ") + 3;
    return all.substr(from, all.find("; desired") - from);
  };

  EXPECT_EQ(told(std::string_view{"\0", 1}),
            "Required value: url must be a valid URL: parse \"\\x00\": net/url: invalid control "
            "character in URL; desired format: https://host[/path]\n");
  EXPECT_EQ(why(":x"), "missing protocol scheme");
  EXPECT_EQ(why("1:x"), "first path segment in URL cannot contain colon");
  EXPECT_EQ(why("https://a:b/"), "invalid port \":b\" after host");
  EXPECT_EQ(why("https://a b/"), "invalid character \" \" in host name");
  EXPECT_EQ(why("https://a/%zz"), "invalid URL escape \"%zz\"");
}

}  // namespace
}  // namespace fixpoint::kube
