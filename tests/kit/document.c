/* SPDX-License-Identifier: MIT */
#include "kit/document.h"

#include "kit/scratch.h"
#include "kit/test.h"

static char *text_read(const char *path)
{
    size_t size;
    char *text = (char *)file_read(path, &size);

    text[size] = 0;
    return text;
}

int document_rows(const char *header_path)
{
    char *header = text_read(header_path), *document = text_read("docs/format.md"), *line, *rest;
    int rows = 0;

    for (line = strtok_r(header, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        unsigned offset;

        if (strncmp(line, " *      ", 8) != 0 || sscanf(line, " *     %6u ", &offset) != 1)
            continue;
        rows++;
        if (!strstr(document, line + 3))
            fail_msg("docs/format.md lacks the line: %s", line + 3);
    }
    free(header);
    free(document);
    return rows;
}
