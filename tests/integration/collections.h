// SPDX-License-Identifier: Apache-2.0
//
// Where the objects of a test are: the collections of the namespace `default`, and of the cluster.
#pragma once

#include <string>

namespace fixpoint {

inline const std::string kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";
inline const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kQuotas = "/api/v1/namespaces/default/resourcequotas";
inline const std::string kServices = "/api/v1/namespaces/default/services";
inline const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";
inline const std::string kSets = "/apis/apps/v1/namespaces/default/statefulsets";
inline const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

inline const std::string kGreetings = "/apis/example.fixpoint.dev/v1/namespaces/default/greetings";
inline const std::string kBoards = "/apis/example.fixpoint.dev/v1/namespaces/default/noticeboards";
inline const std::string kNodes = "/apis/stellar.org/v1alpha1/namespaces/default/stellarnodes";

}  // namespace fixpoint
