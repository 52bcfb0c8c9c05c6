/* SPDX-License-Identifier: MIT
 *
 * assets.h -- the files of the page and published lists, inside the program.
 *
 * scripts/embed writes the table at build time: each file as it is and, if that is smaller,
 * compressed.  Constant data; safe on any thread. */
#ifndef KELSO_REPORT_ASSETS_H
#define KELSO_REPORT_ASSETS_H

#include <stddef.h>

struct asset {
    const char *path; /* "/index.html"; NULL ends the table */
    const char *etag; /* with its quotes; changes with the contents */
    const unsigned char *bytes;
    size_t length;
    const unsigned char *gzip; /* NULL: it would not be smaller */
    size_t gzip_length;
};

extern const struct asset assets[];

/* NULL if there is none. */
const struct asset *asset_find(const char *path);

#endif
