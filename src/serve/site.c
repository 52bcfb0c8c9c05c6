/* SPDX-License-Identifier: MIT */
#include "serve/site.h"
#include "report/assets.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SITE_FILE_MAX = 4 << 20 };

const struct asset *asset_find(const char *path)
{
    for (const struct asset *a = assets; a->path; a++)
        if (strcmp(a->path, path) == 0)
            return a;
    return NULL;
}

static const char *type_of(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".txt", "text/plain; charset=utf-8"},
        {".csv", "text/csv; charset=utf-8"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
    };
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
        if (strcmp(ending, types[i].ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}

bool site_path_is_safe(const char *path)
{
    if (path[0] != '/')
        return false;
    for (; *path; path++) {
        if (!isalnum((unsigned char)*path) && !strchr("/.-_", *path))
            return false;
        if (path[0] == '/' && (path[1] == '.' || path[1] == '/' || !path[1]))
            return false;
    }
    return true;
}

/* The bytes of a file go to the reply; false if there is no such file. */
static bool serve_from_disk(const char *dir, const char *path, struct http_reply *reply)
{
    char name[4096], bytes[65536];
    struct stat about;
    size_t total = 0;
    ssize_t n;
    int fd;

    if (!site_path_is_safe(path) ||
        snprintf(name, sizeof name, "%s%s", dir, path) >= (int)sizeof name)
        return false;
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode)) {
        close(fd);
        return false;
    }
    while (total < SITE_FILE_MAX && (n = read(fd, bytes, sizeof bytes)) > 0) {
        fwrite(bytes, 1, (size_t)n, reply->out);
        total += (size_t)n;
    }
    close(fd);
    return true;
}

static void serve_asset(const struct asset *a, const struct http_request *r,
                        struct http_reply *reply)
{
    const char *accepts = http_header(r, "Accept-Encoding");

    reply->cache = HTTP_CHECKED;
    reply->etag = a->etag;
    reply->gzip = a->gzip && accepts && strstr(accepts, "gzip");
    reply->bytes = reply->gzip ? a->gzip : a->bytes;
    reply->length = reply->gzip ? a->gzip_length : a->length;
}

void site_serve(const char *dir, const struct http_request *r, struct http_reply *reply)
{
    const char *path = http_path(r);
    const struct asset *a;

    if (strcmp(path, "/") == 0)
        path = "/index.html";
    reply->type = type_of(path);
    if (dir && serve_from_disk(dir, path, reply))
        return;
    a = asset_find(path);
    if (a) {
        serve_asset(a, r, reply);
        return;
    }
    reply->type = "application/json";
    http_fail(reply, 404, 0, "not found");
}
