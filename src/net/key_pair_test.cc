// SPDX-License-Identifier: Apache-2.0
//
// The words are a real server's. The keys were made for this file.
#include "net/key_pair.h"

#include "base/base64.h"
#include "base/pem.h"

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

constexpr std::string_view kCertificate =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBbTCCAROgAwIBAgIUah4fZrnKjq8CjKfy42MrBAL7+3AwCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBYjAeFw0yNjExMTUyMDQ5MTNaFw0zNjExMTIyMDQ5MTNaMAwx\n"
    "CjAIBgNVBAMMAWIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQbAf+ZNqneUY4v\n"
    "NckRIFhrJq4i2OqKzFCFEy2FyJIJKa4yVYuL3ZULlTMzZR5xAsQpdf/qdaDmGXYB\n"
    "dlKvr+4Ho1MwUTAdBgNVHQ4EFgQUCtmvmB9fkhnXkbA6lUGnU/E8l2owHwYDVR0j\n"
    "BBgwFoAUCtmvmB9fkhnXkbA6lUGnU/E8l2owDwYDVR0TAQH/BAUwAwEB/zAKBggq\n"
    "hkjOPQQDAgNIADBFAiEAjD3gF4bJfwSDEHhWAE6ZZ8TOrkBGD4H3vo1YMAkDU30C\n"
    "IDodCWErcHd0PO+ml+kWkhCZe6chTpYHJV9/3XsUeodt\n"
    "-----END CERTIFICATE-----\n";
constexpr std::string_view kKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgW4uOMBrB7idsNT2b\n"
    "9lUxLFRXT4e8OMjiynaNs6ZMhdehRANCAAQbAf+ZNqneUY4vNckRIFhrJq4i2OqK\n"
    "zFCFEy2FyJIJKa4yVYuL3ZULlTMzZR5xAsQpdf/qdaDmGXYBdlKvr+4H\n"
    "-----END PRIVATE KEY-----\n";
constexpr std::string_view kOtherKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqb6vZOw34XYxliTA\n"
    "iG6m9K188cDa452pDuJdggBGRZGhRANCAASH9SGwQlPZghIDruA5Qb4OPSoBTtpv\n"
    "H0tmDeFYW9NWl0zWGWKBRPa4UttdM9FKjnQf32A/Cee/bOZv+j7ca1F0\n"
    "-----END PRIVATE KEY-----\n";
constexpr std::string_view kEdwardsKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJRklQCLolwTt7uceo84hQBkg268GPM6ZThEZMcqZOza\n"
    "-----END PRIVATE KEY-----\n";
constexpr std::string_view kRequest =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHGMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA\n"
    "BBsB/5k2qd5Rji81yREgWGsmriLY6orMUIUTLYXIkgkprjJVi4vdlQuVMzNlHnEC\n"
    "xCl1/+p1oOYZdgF2Uq+v7gegADAKBggqhkjOPQQDAgNIADBFAiEAu9mvyKZyaexz\n"
    "y7T6soBC4KZC6JacBCQP+Dgk2K04HqgCIE/ahUOQHoOkUp+DPUiRimX0NN/bM8ve\n"
    "NcxGJ6Otg1ee\n"
    "-----END CERTIFICATE REQUEST-----\n";

std::string der_of(std::string_view pem) {
  return next_pem_block(pem).value_or(PemBlock{}).bytes;
}

std::string pem_of(const std::string& type, const std::string& der) {
  return "-----BEGIN " + type + "-----\n" + base64_encode(der) + "\n-----END " + type + "-----\n";
}

TEST(KeyPair, APairHasNoProblem) {
  EXPECT_EQ(key_pair_problem(kCertificate, kKey), "");
  EXPECT_EQ(key_pair_problem(std::string{"text\n"} + std::string{kCertificate}, kKey), "");
}

TEST(KeyPair, SaysWhatIsMissing) {
  const auto other = pem_of("FOO", "1") + pem_of("BAR", "2");

  EXPECT_EQ(key_pair_problem("c", kKey), "tls: failed to find any PEM data in certificate input");
  EXPECT_EQ(key_pair_problem(kKey, kKey),
            "tls: failed to find certificate PEM data in certificate input, but did find a private "
            "key; PEM inputs may have been switched");
  EXPECT_EQ(key_pair_problem(other, kKey),
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
            "blocks of the following types: [FOO BAR]");
  EXPECT_EQ(key_pair_problem(kCertificate, ""), "tls: failed to find any PEM data in key input");
  EXPECT_EQ(key_pair_problem(kCertificate, kCertificate),
            "tls: found a certificate rather than a key in the PEM for the private key");
  EXPECT_EQ(key_pair_problem(kCertificate, other),
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
            "skipping PEM blocks of the following types: [FOO BAR]");
}

TEST(KeyPair, SaysWhatDoesNotParse) {
  const auto der = der_of(kCertificate);

  EXPECT_EQ(key_pair_problem(pem_of("CERTIFICATE", "123"), kKey), "x509: malformed certificate");
  EXPECT_EQ(key_pair_problem(pem_of("CERTIFICATE", der + "x"), kKey), "x509: trailing data");
  EXPECT_EQ(key_pair_problem(kCertificate, pem_of("PRIVATE KEY", "123")),
            "tls: failed to parse private key");
}

TEST(KeyPair, SaysThatTheHalvesDoNotBelongTogether) {
  EXPECT_EQ(key_pair_problem(kCertificate, kOtherKey),
            "tls: private key does not match public key");
  EXPECT_EQ(key_pair_problem(kCertificate, kEdwardsKey),
            "tls: private key type does not match public key type");
}

TEST(SigningRequest, IsSignedByItsOwnKey) {
  auto forged = der_of(kRequest);
  forged.back() = static_cast<char>(forged.back() ^ 1);

  EXPECT_EQ(signing_request_problem(kRequest), "");
  EXPECT_EQ(signing_request_problem(pem_of("CERTIFICATE REQUEST", forged)),
            "x509: ECDSA verification failure");
}

TEST(SigningRequest, SaysWhatGoSaysOfItsBytes) {
  const auto der = der_of(kRequest);
  const auto problem = [](const std::string& bytes) {
    return signing_request_problem(pem_of("CERTIFICATE REQUEST", bytes));
  };

  EXPECT_EQ(signing_request_problem(kKey), "PEM block type must be CERTIFICATE REQUEST");
  EXPECT_EQ(problem(""), "asn1: syntax error: sequence truncated");
  EXPECT_EQ(problem(der.substr(0, der.size() - 10)), "asn1: syntax error: data truncated");
  EXPECT_EQ(problem(der + "x"), "asn1: syntax error: trailing data");
  EXPECT_EQ(problem("123"),
            "asn1: structure error: tags don't match (16 vs {class:0 tag:17 length:50 "
            "isCompound:true}) {optional:false explicit:false application:false private:false "
            "defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} "
            "certificateRequest @2");
}

}  // namespace
}  // namespace fixpoint::net
