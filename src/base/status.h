/* SPDX-License-Identifier: MIT
 *
 * status.h -- how a library function reports a failure.
 *
 * Functions return a status; STATUS_OK is 0.  On failure they also fill a struct error
 * with one line that names the place (the file and, where it applies, the offset) and
 * what was expected.  The caller owns the struct; it may be NULL if the text is not
 * needed. */
#ifndef KELSO_BASE_STATUS_H
#define KELSO_BASE_STATUS_H

enum status {
    STATUS_OK,
    STATUS_NO_MEMORY,   /* malloc failed, or the budget is exceeded */
    STATUS_IO,          /* a system call failed: errno is in the text */
    STATUS_FORMAT,      /* not a table, or not one that this version reads */
    STATUS_DAMAGED,     /* a checksum does not match */
    STATUS_MISSING,     /* no such table */
    STATUS_LOCKED,      /* another process holds the lock */
    STATUS_INTERRUPTED, /* stopped on request */
    STATUS_OVERFLOW,    /* a limit of the program, such as a distance without a code */
    STATUS_MISMATCH,    /* a wrong value, or a valid file that belongs to something else */
    STATUS_POSITION,    /* an invalid position */
};

struct error {
    enum status status;
    char text[480];
};

/* Fill *e (if any) and return the status. */
enum status error_set(struct error *e, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "not enough memory", STATUS_NO_MEMORY. */
enum status error_no_memory(struct error *e);

/* Pass an error on: copy *why to *e (if any) and return its status.  A caller that may recover from
 * a failure uses an error of its own and passes it on only if it does not recover. */
enum status error_pass(struct error *e, const struct error *why);

#endif
