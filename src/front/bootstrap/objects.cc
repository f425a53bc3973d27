// SPDX-License-Identifier: Apache-2.0
//
// The objects every new cluster begins with, beside its roles: namespaces, the two system priority
// classes, the API server's own Service. One JSON object a line.
#include "front/bootstrap/bootstrap.h"

namespace fixpoint::front {

const std::string_view kBootstrapObjects =
    R"~({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})~"
    "\n"
    R"~({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system"}})~"
    "\n"
    R"~({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-public"}})~"
    "\n"
    R"~({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-node-lease"}})~"
    "\n"
    R"~({"apiVersion":"scheduling.k8s.io/v1","description":"For pods the cluster cannot do w)~"
    R"~(ithout; they may move to another node.","kind":"PriorityClass","metadata":{"name":"s)~"
    R"~(ystem-cluster-critical"},"value":2000000000})~"
    "\n"
    R"~({"apiVersion":"scheduling.k8s.io/v1","description":"For pods their node cannot do wi)~"
    R"~(thout.","kind":"PriorityClass","metadata":{"name":"system-node-critical"},"value":20)~"
    R"~(00001000})~"
    "\n"
    R"~({"apiVersion":"v1","kind":"Service","metadata":{"labels":{"component":"apiserver","p)~"
    R"~(rovider":"kubernetes"},"name":"kubernetes","namespace":"default"},"spec":{"clusterIP)~"
    R"~(":"10.0.0.1","ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":6443})~"
    R"~(]}})~"
    "\n";

}  // namespace fixpoint::front
