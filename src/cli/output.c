/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include "cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* May files be created in the directory of `path`? */
static int directory_check(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;

    if (length >= PATH_MAX)
        return app_error("%s: %s", path, strerror(ENAMETOOLONG));
    snprintf(dir, sizeof dir, "%.*s", length, path);
    if (access(length ? dir : ".", W_OK | X_OK) != 0)
        return app_error("%s: cannot be written: %s", path, strerror(errno));
    return EXIT_DONE;
}

static int check(const char *path, bool plain)
{
    struct stat about;

    if (!path)
        return EXIT_DONE;
    if (stat(path, &about) != 0)
        return errno == ENOENT ? directory_check(path) : app_error("%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return app_error("%s: %s", path, strerror(EISDIR));
    if (plain && !S_ISREG(about.st_mode))
        return app_error("%s: expected a plain file", path);
    if (access(path, W_OK) != 0)
        return app_error("%s: cannot be written: %s", path, strerror(errno));
    return plain ? directory_check(path) : EXIT_DONE;
}

int output_check(const char *path)
{
    return check(path, false);
}

int output_check_plain(const char *path)
{
    return check(path, true);
}
