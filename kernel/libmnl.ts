import { library } from "./ffi.ts";

/** libmnl 1.0.3 or later. Failure is NULL or -1 with errno. */
export const libmnl = library("libmnl.so.0", {
  // struct mnl_socket *mnl_socket_open2(int bus, int flags); the caller closes it
  mnl_socket_open2: { parameters: ["i32", "i32"], result: "pointer" },
  // int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
  mnl_socket_bind: { parameters: ["pointer", "u32", "i32"], result: "i32" },
  // int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len); level SOL_NETLINK
  mnl_socket_setsockopt: { parameters: ["pointer", "i32", "buffer", "u32"], result: "i32" },
  // int mnl_socket_get_fd(const struct mnl_socket *nl)
  mnl_socket_get_fd: { parameters: ["pointer"], result: "i32" },
  // ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t siz)
  mnl_socket_sendto: { parameters: ["pointer", "buffer", "usize"], result: "isize" },
  // ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t siz); ENOSPC if the buffer is too small
  mnl_socket_recvfrom: { parameters: ["pointer", "buffer", "usize"], result: "isize" },
  // int mnl_socket_close(struct mnl_socket *nl); frees nl
  mnl_socket_close: { parameters: ["pointer"], result: "i32" },
});
