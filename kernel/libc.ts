import { library } from "./ffi.ts";

/** glibc. Failure is -1 with errno, unless noted; `posix_spawn*` return the error number itself. */
export const libc = library("libc.so.6", {
  // ---- descriptors
  // int open(const char *path, int flags, mode_t mode)
  open: { parameters: ["buffer", "i32", "u32"], result: "i32" },
  // int close(int fd)
  close: { parameters: ["i32"], result: "i32" },
  // ssize_t read(int fd, void *buf, size_t count)
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  // ssize_t write(int fd, const void *buf, size_t count)
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  // int pipe2(int pipefd[2], int flags)
  pipe2: { parameters: ["buffer", "i32"], result: "i32" },
  // int fcntl(int fd, int cmd, int arg)
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  // int fsync(int fd)
  fsync: { parameters: ["i32"], result: "i32" },
  // int fchmod(int fd, mode_t mode)
  fchmod: { parameters: ["i32", "u32"], result: "i32" },
  // int rename(const char *oldpath, const char *newpath)
  rename: { parameters: ["buffer", "buffer"], result: "i32" },
  // int unlink(const char *path)
  unlink: { parameters: ["buffer"], result: "i32" },
  // int mknod(const char *path, mode_t mode, dev_t dev)
  mknod: { parameters: ["buffer", "u32", "u64"], result: "i32" },
  // int ioctl(int fd, unsigned long request, int arg)
  ioctl: { parameters: ["i32", "usize", "i32"], result: "i32" },
  // the same where the argument is memory
  ioctl_buffer: { name: "ioctl", parameters: ["i32", "usize", "buffer"], result: "i32" },
  // void sync(void); waits for the disks
  sync: { parameters: [], result: "void", nonblocking: true },
  // int setsockopt(int fd, int level, int optname, const void *optval, socklen_t optlen)
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },

  // ---- waiting
  // int epoll_create1(int flags)
  epoll_create1: { parameters: ["i32"], result: "i32" },
  // int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  // int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  // the same on a pool thread; errno is lost
  epoll_wait_off_thread: {
    name: "epoll_wait",
    parameters: ["i32", "buffer", "i32", "i32"],
    result: "i32",
    nonblocking: true,
  },
  // int eventfd(unsigned int initval, int flags)
  eventfd: { parameters: ["u32", "i32"], result: "i32" },

  // ---- namespaces and the machine
  // int unshare(int flags)
  unshare: { parameters: ["i32"], result: "i32" },
  // int setns(int fd, int nstype)
  setns: { parameters: ["i32", "i32"], result: "i32" },
  // int sethostname(const char *name, size_t len)
  sethostname: { parameters: ["buffer", "usize"], result: "i32" },
  // int gethostname(char *name, size_t len)
  gethostname: { parameters: ["buffer", "usize"], result: "i32" },
  // int setdomainname(const char *name, size_t len)
  setdomainname: { parameters: ["buffer", "usize"], result: "i32" },
  // int reboot(int cmd)
  reboot: { parameters: ["i32"], result: "i32" },
  // int chroot(const char *path)
  chroot: { parameters: ["buffer"], result: "i32" },
  // int chdir(const char *path)
  chdir: { parameters: ["buffer"], result: "i32" },

  // ---- mounts
  // int mount(const char *source, const char *target, const char *filesystemtype, unsigned long flags, const void *data)
  mount: { parameters: ["buffer", "buffer", "buffer", "usize", "buffer"], result: "i32" },
  // int umount2(const char *target, int flags)
  umount2: { parameters: ["buffer", "i32"], result: "i32" },

  // ---- processes
  // int prctl(int option, unsigned long arg2, unsigned long arg3, unsigned long arg4, unsigned long arg5)
  prctl: { parameters: ["i32", "usize", "usize", "usize", "usize"], result: "i32" },
  // the same where arg2 is a string
  prctl_text: { name: "prctl", parameters: ["i32", "buffer", "usize", "usize", "usize"], result: "i32" },
  // int kill(pid_t pid, int sig)
  kill: { parameters: ["i32", "i32"], result: "i32" },
  // int waitid(idtype_t idtype, id_t id, siginfo_t *infop, int options)
  waitid: { parameters: ["i32", "u32", "buffer", "i32"], result: "i32" },
  // pid_t setsid(void)
  setsid: { parameters: [], result: "i32" },
  // int setgid(gid_t gid)
  setgid: { parameters: ["u32"], result: "i32" },
  // int setuid(uid_t uid)
  setuid: { parameters: ["u32"], result: "i32" },
  // int setgroups(size_t size, const gid_t *list)
  setgroups: { parameters: ["usize", "buffer"], result: "i32" },
  // int setrlimit(__rlimit_resource_t resource, const struct rlimit *rlim)
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  // int getrlimit(__rlimit_resource_t resource, struct rlimit *rlim)
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  // int execve(const char *pathname, char *const argv[], char *const envp[])
  execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  // sighandler_t signal(int signum, sighandler_t handler); handler 0 is SIG_DFL, SIG_ERR comes back as -1
  signal: { parameters: ["i32", "usize"], result: "isize" },
  // int sigprocmask(int how, const sigset_t *set, sigset_t *oldset); in glibc, of the calling thread
  sigprocmask: { parameters: ["i32", "buffer", "pointer"], result: "i32" },
  // long syscall(long number, long arg1, long arg2); for calls that old glibc does not wrap
  syscall: { parameters: ["isize", "isize", "isize"], result: "isize" },
  // long syscall(SYS_finit_module, int fd, const char *param_values, int flags)
  syscall_finit_module: { name: "syscall", parameters: ["isize", "i32", "buffer", "i32"], result: "isize" },
  // long syscall(SYS_pivot_root, const char *new_root, const char *put_old)
  syscall_paths: { name: "syscall", parameters: ["isize", "buffer", "buffer"], result: "isize" },
  // int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *file_actions,
  //                 const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
  posix_spawn: { parameters: ["buffer", "buffer", "buffer", "buffer", "buffer", "buffer"], result: "i32" },
  // int posix_spawn_file_actions_init(posix_spawn_file_actions_t *file_actions); the caller destroys
  posix_spawn_file_actions_init: { parameters: ["buffer"], result: "i32" },
  // int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *file_actions)
  posix_spawn_file_actions_destroy: { parameters: ["buffer"], result: "i32" },
  // int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *file_actions, int fildes, int newfildes)
  posix_spawn_file_actions_adddup2: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  // int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *file_actions, const char *path); copies path
  posix_spawn_file_actions_addchdir_np: { parameters: ["buffer", "buffer"], result: "i32" },
  // int posix_spawnattr_init(posix_spawnattr_t *attr); the caller destroys
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  // int posix_spawnattr_destroy(posix_spawnattr_t *attr)
  posix_spawnattr_destroy: { parameters: ["buffer"], result: "i32" },
  // int posix_spawnattr_setflags(posix_spawnattr_t *attr, short flags)
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  // int posix_spawnattr_setsigmask(posix_spawnattr_t *attr, const sigset_t *sigmask)
  posix_spawnattr_setsigmask: { parameters: ["buffer", "buffer"], result: "i32" },
  // int posix_spawnattr_setsigdefault(posix_spawnattr_t *attr, const sigset_t *sigdefault)
  posix_spawnattr_setsigdefault: { parameters: ["buffer", "buffer"], result: "i32" },
});
