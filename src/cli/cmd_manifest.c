/* SPDX-License-Identifier: MIT
 *
 * kelso manifest: the SHA-256 of every table. */
#include "cli/command.h"
#include "cli/database.h"
#include "db/manifest.h"
#include "report/json.h"

#include <stdio.h>

struct manifest_args {
    const char *dir;
    int pieces;
    bool json;
};

static const struct option_spec options[] = {
    {"pieces", OPTION_INT, offsetof(struct manifest_args, pieces), "N",
     "tables of at most N pieces (all)", .min = 2, .max = PIECES_MAX},
    OPTION_DIR(struct manifest_args),
    OPTION_JSON(struct manifest_args),
    {0}};

static void entry_print(const struct manifest_entry *m, bool as_json)
{
    struct json j = json_open(stdout);

    if (!as_json) {
        printf("%s  %s\n", m->sha256, m->name);
        return;
    }
    json_object(&j, NULL);
    json_text(&j, "file", m->name);
    json_text(&j, "sha256", m->sha256);
    json_end(&j);
}

static int run(int argc, char **argv)
{
    struct manifest_args args = {.pieces = PIECES_MAX};
    struct manifest m;
    struct catalog *c;
    struct error e;
    enum status rc;

    if (options_parse(&command_manifest, argc, argv, &args) < 0 || database_open(args.dir, &c))
        return EXIT_BAD;
    rc = manifest_list(&m, c, args.pieces, &e);
    if (!rc && !m.count)
        rc = error_set(&e, STATUS_MISSING, "%s: no tables", catalog_dir(c));
    for (int i = 0; i < m.count && !rc; i++)
        if (!(rc = manifest_digest(c, m.entry[i].name, m.entry[i].sha256, &e)))
            entry_print(&m.entry[i], args.json);
    manifest_free(&m);
    catalog_close(&c);
    return rc ? app_error("%s", e.text) : EXIT_DONE;
}

const struct command command_manifest = {
    .name = "manifest",
    .summary = "print the SHA-256 of every table",
    .usage = "",
    .help = "Prints one line per file, sorted by name, in the format of sha256sum.  The same\n"
            "tables give the same text on every machine, so tables can be compared by it and\n"
            "copies checked ('kelso verify --manifest FILE'). data/ has the digests of the tables\n"
            "that 'kelso build' makes.\n"
            "\n"
            "    kelso manifest --pieces 6 > tables.sha256\n"
            "    kelso verify --manifest tables.sha256\n",
    .options = options,
    .run = run,
};
