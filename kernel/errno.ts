/** Names by number, include/uapi/asm-generic/errno-base.h and errno.h; the same on every architecture Deno runs on. */
export const ERRNO_NAMES: readonly (string | undefined)[] = [
  ...[undefined, "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD"],
  ...["EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR"],
  ...["EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE"],
  ...["EDOM", "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", undefined, "ENOMSG"],
  ...["EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR"],
  ...["EXFULL", "ENOANO", "EBADRQC", "EBADSLT", undefined, "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR", "ENONET"],
  ...["ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG"],
  ...["EOVERFLOW", "ENOTUNIQ", "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC"],
  ...["EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE"],
  ...["ENOPROTOOPT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT"],
  ...["EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET", "ECONNABORTED", "ECONNRESET"],
  ...["ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN"],
  ...["EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO"],
  ...["EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED"],
  ...["EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL", "EHWPOISON"],
];

/** Numbers that the program tells apart. */
export const EPERM = 1;
/** No such file or object. */
export const ENOENT = 2;
/** No such process; also a route or address that is not there. */
export const ESRCH = 3;
/** A signal came before anything else. */
export const EINTR = 4;
/** Nothing to read now, or no room to write now. */
export const EAGAIN = 11;
/** No such device. */
export const ENODEV = 19;
/** There is no such child. */
export const ECHILD = 10;
/** In use, or mounted already. */
export const EBUSY = 16;
/** It is there already. */
export const EEXIST = 17;
/** Wrong argument, by the kernel's opinion. */
export const EINVAL = 22;
/** The kernel was built without it. */
export const EOPNOTSUPP = 95;
/** A receive buffer overflowed and messages are lost. */
export const ENOBUFS = 105;
/** No such address. */
export const EADDRNOTAVAIL = 99;
