/* Stands in for libaio.so.1: every call says that the kernel has no asynchronous I/O. See README. */
#define NOT_IMPLEMENTED (-38) /* -ENOSYS */

int io_setup(int events, void *context) { return NOT_IMPLEMENTED; }

int io_submit(void *context, long count, void **requests) { return NOT_IMPLEMENTED; }

int io_getevents(void *context, long min, long max, void *events, void *timeout) { return NOT_IMPLEMENTED; }
