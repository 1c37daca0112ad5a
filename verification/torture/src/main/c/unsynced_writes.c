/*
 * Preloaded into a database server, keeps a journal of what it writes to its disk and of what it syncs, so that what was
 * not synced can be taken back after the server was killed, as if the power had failed. Read by UnsyncedWrites.java.
 *
 * Each change of a file below the working directory of the process is preceded by a record with the bytes it replaces. A
 * successful fsync or fdatasync is followed by a record that says where the journal ended when it began: what was written
 * before that is on the disk. Names of files are taken to be durable at once, contents are not.
 *
 * cc -shared -fPIC -O2 -pthread -o unsynced_writes.so unsynced_writes.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* In the byte order of the machine; path, second path and data follow. */
struct record {
  char type; /* Write, Sync, Rename, Unlink */
  char unused[3];
  uint32_t path_length;
  uint32_t to_length;
  uint32_t data_length;
  int64_t offset; /* of a Sync: where the journal ended when it began */
  int64_t old_size;
};

static int journal = -1;
static int lock_file = -1;
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("OUTBOX_UNSYNCED_JOURNAL");
  if (path == NULL) return;
  char lock_path[PATH_MAX];
  snprintf(lock_path, sizeof lock_path, "%s.lock", path);
  journal = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  lock_file = syscall(SYS_openat, AT_FDCWD, lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

/* Between threads, and between processes: a process and its forks share the file, but not a lock of fcntl. */
static void lock(void) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  pthread_mutex_lock(&threads);
  while (fcntl(lock_file, F_SETLKW, &all) < 0 && errno == EINTR) {
  }
}

static void unlock(void) {
  struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  fcntl(lock_file, F_SETLK, &all);
  pthread_mutex_unlock(&threads);
}

static void die(const char *what) {
  dprintf(2, "unsynced_writes: %s: %s\n", what, strerror(errno));
  _exit(70);
}

static void append(const struct record *head, const char *path, const char *to, const void *data) {
  struct iovec parts[] = {
      {(void *)head, sizeof *head}, {(void *)path, head->path_length}, {(void *)to, head->to_length},
      {(void *)data, head->data_length}};
  size_t length = sizeof *head + head->path_length + head->to_length + head->data_length;
  if (syscall(SYS_writev, journal, parts, 4) != (long)length) die("cannot append to the journal");
}

static int is_watched(const char *path) {
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == NULL || strcmp(directory, "/") == 0) return 0;
  size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Whether the descriptor is a regular file below the working directory; its path goes to the buffer. */
static int path_of(int fd, char *path) {
  struct stat state;
  if (journal < 0 || fd < 0 || fstat(fd, &state) < 0 || !S_ISREG(state.st_mode) || state.st_nlink == 0) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_watched(path);
}

static int absolute(const char *name, char *path) {
  if (journal < 0 || name == NULL) return 0;
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
  } else {
    char directory[PATH_MAX / 2];
    if (getcwd(directory, sizeof directory) == NULL) return 0;
    while (strncmp(name, "./", 2) == 0) name += 2;
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
  }
  return is_watched(path);
}

/* Records the bytes of a range that is about to change. The lock is held until the change is made. */
static void before_change(const char *path, off_t offset, size_t length) {
  struct stat state;
  if (stat(path, &state) < 0) return;
  size_t old = offset >= state.st_size ? 0 : (size_t)(state.st_size - offset);
  if (old > length) old = length;
  char *data = malloc(old + 1);
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  size_t done = 0;
  while (fd >= 0 && done < old) {
    ssize_t some = syscall(SYS_pread64, fd, data + done, old - done, offset + (off_t)done);
    if (some <= 0) break;
    done += some;
  }
  if (fd < 0 || done < old) die(path);
  syscall(SYS_close, fd);
  struct record head = {
      .type = 'W', .path_length = strlen(path), .data_length = old, .offset = offset, .old_size = state.st_size};
  append(&head, path, "", data);
  free(data);
}

static off_t position(int fd) {
  struct stat state;
  int flags = fcntl(fd, F_GETFL);
  return (flags & O_APPEND) && fstat(fd, &state) == 0 ? state.st_size : lseek(fd, 0, SEEK_CUR);
}

static size_t total(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  return length;
}

#define WATCHED(fd, offset, length, call)          \
  do {                                             \
    int saved = errno;                             \
    char path[PATH_MAX];                           \
    if (!path_of(fd, path)) {                      \
      errno = saved;                               \
      return call;                                 \
    }                                              \
    lock();                                 \
    before_change(path, offset, length);           \
    errno = saved;                                 \
    long result = call;                            \
    saved = errno;                                 \
    unlock();                                 \
    errno = saved;                                 \
    return result;                                 \
  } while (0)

ssize_t write(int fd, const void *data, size_t length) {
  WATCHED(fd, position(fd), length, syscall(SYS_write, fd, data, length));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  WATCHED(fd, position(fd), total(parts, count), syscall(SYS_writev, fd, parts, count));
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  WATCHED(fd, offset, length, syscall(SYS_pwrite64, fd, data, length, offset));
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  WATCHED(fd, offset, total(parts, count), syscall(SYS_pwritev, fd, parts, count, offset, 0L));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

int ftruncate64(int fd, off64_t length) { WATCHED(fd, length, SSIZE_MAX, syscall(SYS_ftruncate, fd, length)); }

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  WATCHED(fd, offset, length, syscall(SYS_fallocate, fd, mode, offset, length));
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  int saved = errno;
  int result = fallocate64(fd, 0, offset, length) == 0 ? 0 : errno;
  errno = saved;
  return result;
}

int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length, unsigned flags) {
  WATCHED(out, out_offset == NULL ? position(out) : *out_offset, length,
          syscall(SYS_copy_file_range, in, in_offset, out, out_offset, length, flags));
}

static int synced(int fd, long call) {
  int saved = errno;
  char path[PATH_MAX];
  int watched = path_of(fd, path);
  int64_t end = 0;
  if (watched) {
    lock();
    end = lseek(journal, 0, SEEK_END);
    unlock();
  }
  errno = saved;
  int result = syscall(call, fd);
  saved = errno;
  if (watched && result == 0) {
    struct record head = {.type = 'S', .path_length = strlen(path), .offset = end};
    lock();
    append(&head, path, "", "");
    unlock();
  }
  errno = saved;
  return result;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }

int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int rename(const char *from, const char *to) {
  char old_path[PATH_MAX], new_path[PATH_MAX];
  int watched = absolute(from, old_path) & absolute(to, new_path);
  if (watched) lock();
  int result = syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  int saved = errno;
  if (watched) {
    if (result == 0) {
      struct record head = {.type = 'R', .path_length = strlen(old_path), .to_length = strlen(new_path)};
      append(&head, old_path, new_path, "");
    }
    unlock();
  }
  errno = saved;
  return result;
}

int unlink(const char *name) {
  char path[PATH_MAX];
  int watched = absolute(name, path);
  if (watched) lock();
  int result = syscall(SYS_unlinkat, AT_FDCWD, name, 0);
  int saved = errno;
  if (watched) {
    if (result == 0) {
      struct record head = {.type = 'U', .path_length = strlen(path)};
      append(&head, path, "", "");
    }
    unlock();
  }
  errno = saved;
  return result;
}

#define OPEN_MODE                           \
  mode_t mode = 0;                          \
  if (flags & (O_CREAT | O_TMPFILE)) {      \
    va_list more;                           \
    va_start(more, flags);                  \
    mode = va_arg(more, mode_t);            \
    va_end(more);                           \
  }

/* Opening with O_TRUNC is a change too. */
int openat64(int directory, const char *name, int flags, ...) {
  OPEN_MODE
  char path[PATH_MAX];
  int saved = errno;
  int watched = (flags & O_TRUNC) && directory == AT_FDCWD && absolute(name, path);
  if (watched) {
    lock();
    before_change(path, 0, SSIZE_MAX);
  }
  errno = saved;
  int result = syscall(SYS_openat, directory, name, flags, mode);
  saved = errno;
  if (watched) unlock();
  errno = saved;
  return result;
}

int open64(const char *name, int flags, ...) {
  OPEN_MODE
  return openat64(AT_FDCWD, name, flags, mode);
}

int open(const char *name, int flags, ...) {
  OPEN_MODE
  return openat64(AT_FDCWD, name, flags, mode);
}
