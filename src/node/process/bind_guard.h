// SPDX-License-Identifier: Apache-2.0
//
// BindGuard: a program that would listen on every address of the machine listens on its pod's.
//
// The kernel asks the supervisor about each bind() of the container. One to a port of 0.0.0.0 or ::
// is carried out for the program, at the address of the pod; all others are none of our business.
// So nothing in a pod is reachable from outside of the machine, and two pods may have the same
// port, whatever their programs think. What cannot be carried out goes on as if nobody had asked.
//
// Port 0 is left alone: it is what clients bind to, and they may want to leave the machine.
#pragma once

#include <cstdint>
#include <string>

#include <netinet/in.h>

namespace fixpoint::node {

// The program's side, before exec: from now on its binds are asked about. The descriptor that the
// questions come by, for the supervisor; negative where the kernel does not offer it.
int watch_own_binds();

// Hands a descriptor to the process at the other end of a socket pair.
bool send_descriptor(int socket, int descriptor);
// Of one that was sent already; negative when none was.
int receive_descriptor(int socket);

// The supervisor's side.
class BindGuard {
 public:
  // `address` is the pod's. Owns `questions`.
  BindGuard(int questions, const std::string& address);
  ~BindGuard();
  BindGuard(const BindGuard&) = delete;
  BindGuard& operator=(const BindGuard&) = delete;

  // To poll for reading; negative once nobody asks any more.
  int descriptor() const { return questions_; }
  // After a poll that said `events`.
  void handle(short events);

 private:
  int questions_;
  in_addr address_{};
};

// What to bind to instead, in place; false when it is to be left alone.
bool redirect(sockaddr_storage& wanted, socklen_t size, in_addr address);

}  // namespace fixpoint::node
