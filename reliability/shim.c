/*
 * Preloaded into a JVM, this stands between it and the files of one store. Calls fail, fall short, or end the process half way,
 * as a page says that shim.py has mapped too. It also keeps what a power cut would leave: the old bytes of each block that was
 * written and not synced since, or whose sync has failed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 16384
#define WHOLE 1000

enum kind { OPEN, READ, WRITE, TRUNCATE, SYNC, NAME, KINDS };
enum state { CLEAN, DIRTY, LOST };

struct block {
    long state, inode, number;
    char durable[BLOCK];
};

/* shim.py has the same layout. */
static struct control {
    char directory[512];       /* the store's */
    long kind, first, end;     /* calls of this kind are hit whose number is at or above first and below end */
    long error;                /* what they fail with; 0 ends the process */
    long part;                 /* thousandths of a write that are done first */
    long most;                 /* bytes that a read or write moves at most; 0: all */
    long keeps;                /* whether old blocks are kept */
    long hits, kept;           /* calls that were hit or fell short, blocks in use */
    long calls[KINDS];
    struct block blocks[BLOCKS];
} *control;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void map_control(void) {
    const char *path = getenv("SHIM_CONTROL");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (mapped != MAP_FAILED) control = mapped;
}

#define REAL(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int ours(const char *path) {
    size_t length = control ? strlen(control->directory) : 0;
    return length && !strncmp(path, control->directory, length) && (path[length] == '/' || !path[length]);
}

static int ours_open(int fd) {
    char link[64], path[4096];
    if (!control) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return ours(path);
}

static int hit(enum kind kind) {
    long number = __atomic_add_fetch(&control->calls[kind], 1, __ATOMIC_SEQ_CST);
    if (kind != control->kind || number < control->first || number >= control->end) return 0;
    __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST);
    return 1;
}

static int fail(void) {
    if (!control->error) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = (int)control->error;
    return -1;
}

static int is_direct(int fd) {
    return (fcntl(fd, F_GETFL) & O_DIRECT) != 0;
}

/* A descriptor that takes any number of bytes at any place. Not another one of a locked file: closing it would drop the lock. */
static int plain(int fd) {
    REAL(open);
    char link[64];
    if (!is_direct(fd)) return fd;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int other = next(link, O_RDWR | O_CLOEXEC);
    if (other < 0) abort();
    return other;
}

static void release(int other, int fd) {
    if (other != fd) close(other);
}

static long inode_of(int fd) {
    struct stat found;
    return fstat(fd, &found) ? 0 : (long)found.st_ino;
}

static struct block *block_of(long inode, long number) {
    struct block *free = NULL;
    for (long i = 0; i < control->kept; i++) {
        struct block *block = &control->blocks[i];
        if (block->state == CLEAN) free = block;
        else if (block->inode == inode && block->number == number) return block;
    }
    if (!free) free = control->kept < BLOCKS ? &control->blocks[control->kept++] : (abort(), NULL);
    return free;
}

/* Keeps what is durable of the blocks that a write is about to change. */
static void keep(int fd, off_t offset, size_t count) {
    REAL(pread64);
    int other = plain(fd);
    long inode = inode_of(fd);
    pthread_mutex_lock(&lock);
    for (long number = offset / BLOCK; count && number <= (long)(offset + count - 1) / BLOCK; number++) {
        struct block *block = block_of(inode, number);
        if (block->state == CLEAN) {
            memset(block->durable, 0, BLOCK);
            if (next(other, block->durable, BLOCK, number * BLOCK) < 0) abort();
            block->inode = inode;
            block->number = number;
        }
        block->state = DIRTY;
    }
    pthread_mutex_unlock(&lock);
    release(other, fd);
}

/* After a sync, or one that failed: what was written is durable, or no later sync knows of it. */
static void settle(int fd, enum state state) {
    long inode = inode_of(fd);
    pthread_mutex_lock(&lock);
    for (long i = 0; i < control->kept; i++) {
        struct block *block = &control->blocks[i];
        if (block->inode == inode && block->state == DIRTY) block->state = state;
    }
    pthread_mutex_unlock(&lock);
}

static size_t at_most(int fd, size_t count) {
    size_t most = (size_t)control->most;
    if (most && is_direct(fd)) most = (most + BLOCK - 1) / BLOCK * BLOCK;
    if (!most || count <= most) return count;
    __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST);
    return most;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    if (!ours_open(fd)) return next(fd, bytes, count, offset);
    int fails = hit(WRITE);
    count = fails ? count * (size_t)control->part / WHOLE : at_most(fd, count);
    if (control->keeps) keep(fd, offset, count);
    if (!fails) return next(fd, bytes, count, offset);
    int other = plain(fd);
    if (next(other, bytes, count, offset) != (ssize_t)count) abort();
    release(other, fd);
    return fail();
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
    REAL(pread64);
    if (!ours_open(fd)) return next(fd, bytes, count, offset);
    return hit(READ) ? fail() : next(fd, bytes, at_most(fd, count), offset);
}

#define SYNCS(name) \
    int name(int fd) { \
        REAL(name); \
        if (!ours_open(fd)) return next(fd); \
        int fails = hit(SYNC); \
        if (control->keeps) settle(fd, fails ? LOST : CLEAN); \
        return fails ? fail() : next(fd); \
    }
SYNCS(fsync)
SYNCS(fdatasync)

int ftruncate64(int fd, off64_t length) {
    REAL(ftruncate64);
    return ours_open(fd) && hit(TRUNCATE) ? fail() : next(fd, length);
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return ours(path) && hit(OPEN) ? fail() : next(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)

int rename(const char *path, const char *name) {
    REAL(rename);
    return ours(path) && hit(NAME) ? fail() : next(path, name);
}

int unlink(const char *path) {
    REAL(unlink);
    return ours(path) && hit(NAME) ? fail() : next(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return ours(path) && hit(NAME) ? fail() : next(path, mode);
}
