/* SPDX-License-Identifier: MIT
 *
 * Games as people write them: each form that is found in files, how it is written
 * afterwards, and what is said about it.  The canonical form departs from nothing. */
#include "kit/test.h"

#include "base/encoding.h"
#include "core/pdn.h"
#include "core/pdn_writer.h"
#include "kit/pdn_forms.h"

static const char *const note_names[PDN_NOTES] = {
    [PDN_NOTE_BLANK] = "BLANK",
    [PDN_NOTE_LINE] = "LINE",
    [PDN_NOTE_COMMENT] = "COMMENT",
    [PDN_NOTE_TAG_CASE] = "TAG_CASE",
    [PDN_NOTE_TAG_TWICE] = "TAG_TWICE",
    [PDN_NOTE_TAG_QUOTES] = "TAG_QUOTES",
    [PDN_NOTE_TAG_CLOSE] = "TAG_CLOSE",
    [PDN_NOTE_TAG_BAD] = "TAG_BAD",
    [PDN_NOTE_TAG_COMMENT] = "TAG_COMMENT",
    [PDN_NOTE_GAME_TYPE] = "GAME_TYPE",
    [PDN_NOTE_SETUP] = "SETUP",
    [PDN_NOTE_FEN] = "FEN",
    [PDN_NOTE_RESULT_TAG] = "RESULT_TAG",
    [PDN_NOTE_RESULT_FORM] = "RESULT_FORM",
    [PDN_NOTE_RESULT_DIFFERS] = "RESULT_DIFFERS",
    [PDN_NOTE_RESULT_MISSING] = "RESULT_MISSING",
    [PDN_NOTE_NUMBER] = "NUMBER",
    [PDN_NOTE_SEPARATOR] = "SEPARATOR",
    [PDN_NOTE_SIGN] = "SIGN",
    [PDN_NOTE_QUIET_X] = "QUIET_X",
    [PDN_NOTE_CAPTURE_DASH] = "CAPTURE_DASH",
    [PDN_NOTE_GAP] = "GAP",
    [PDN_NOTE_SPLIT] = "SPLIT",
    [PDN_NOTE_AMBIGUOUS] = "AMBIGUOUS",
    [PDN_NOTE_STRENGTH] = "STRENGTH",
    [PDN_NOTE_STAR] = "STAR",
    [PDN_NOTE_NAG] = "NAG",
    [PDN_NOTE_WORDS] = "WORDS",
    [PDN_NOTE_FOOTNOTE] = "FOOTNOTE",
    [PDN_NOTE_EARLY_VARIATION] = "EARLY_VARIATION",
    [PDN_NOTE_OPEN_VARIATION] = "OPEN_VARIATION",
    [PDN_NOTE_EMPTY_VARIATION] = "EMPTY_VARIATION",
    [PDN_NOTE_VARIATION_RESULT] = "VARIATION_RESULT",
    [PDN_NOTE_BAD_VARIATION] = "BAD_VARIATION",
    [PDN_NOTE_PARENTHESIS] = "PARENTHESIS",
};

struct reading_kit {
    struct pdn_writer writer;
    char out[4096];
    size_t length;
    bool noted[PDN_NOTES];
};

static void put(void *context, const char *bytes, size_t length)
{
    struct reading_kit *k = context;

    assert_true(k->length + length < sizeof k->out);
    memcpy(k->out + k->length, bytes, length);
    k->length += length;
    k->out[k->length] = '\0';
}

static void take(void *context, const struct pdn_event *e)
{
    struct reading_kit *k = context;

    if (e->kind == PDN_NOTE)
        k->noted[e->note] = true;
    pdn_writer_event(&k->writer, e);
}

/* The canonical form of a text whose games are good, and the notes. */
static void read_form(struct reading_kit *k, const char *name, const char *text, size_t length,
                      char *notes)
{
    struct pdn_reader r = pdn_open(text, length);
    struct text_error error;
    enum pdn_status status;

    *k = (struct reading_kit){.length = 0};
    k->writer = pdn_writer_open(put, k, MOVE_NUMBERS);
    while ((status = pdn_next(&r, take, k, &error)) != PDN_AT_END)
        if (status != PDN_GOOD)
            fail_msg("%s: offset %zu: %s", name, error.at, error.what);
    notes[0] = '\0';
    for (int i = 0; i < PDN_NOTES; i++)
        if (k->noted[i])
            sprintf(notes + strlen(notes), "%s%s", notes[0] ? " " : "", note_names[i]);
}

static void test_forms(void **state)
{
    bool seen[PDN_NOTES] = {false};

    (void)state;
    for (size_t i = 0; i < pdn_forms_count; i++) {
        const struct pdn_form *f = &pdn_forms[i];
        size_t length = strlen(f->text);
        char *text = strdup(f->text), notes[400];
        struct reading_kit first, again;
        enum encoding was;

        assert_true(encoding_make_utf8(&text, &length, &was));
        assert_int_equal(was == ENCODING_BYTES, strcmp(f->name, "latin1") == 0);
        read_form(&first, f->name, text, length, notes);
        if (strcmp(first.out, f->canonical) != 0 || strcmp(notes, f->notes) != 0)
            fail_msg("%s: found\n%s%s\nexpected\n%s%s", f->name, first.out, notes, f->canonical,
                     f->notes);
        read_form(&again, f->name, first.out, first.length, notes);
        assert_string_equal(again.out, first.out);
        if (strcmp(notes, strstr(f->notes, "RESULT_DIFFERS") ? "RESULT_DIFFERS" : "") != 0 &&
            strcmp(f->name, "result-tag-empty") != 0 && strcmp(f->name, "nag-big") != 0)
            fail_msg("%s: the canonical form departs from PDN 3.0: %s", f->name, notes);
        for (int k = 0; k < PDN_NOTES; k++)
            seen[k] |= first.noted[k];
        free(text);
    }
    for (int k = 0; k < PDN_NOTES; k++) { /* no note without a form that shows it */
        if (!seen[k])
            fail_msg("no form for %s", note_names[k]);
        assert_non_null(pdn_note_text((enum pdn_note)k));
    }
}

/* The same games in UTF-16, of either order, and cut in the middle of a character. */
static void test_utf16(void **state)
{
    static const char text[] = "[Event \"x\"]\n\n1. 11-15 {y} 23-19 *\n";

    (void)state;
    for (int little = 0; little < 2; little++)
        for (int cut = 0; cut < 2; cut++) {
            size_t length = 2 * sizeof text + 2 - (size_t)cut;
            char *wide = calloc(1, length + 2), notes[400];
            struct reading_kit k;
            enum encoding was;

            wide[little] = (char)0xFE;
            wide[!little] = (char)0xFF;
            for (size_t i = 0; i < sizeof text - 1; i++)
                wide[2 + 2 * i + !little] = text[i];
            length -= 2; /* the NUL */
            assert_true(encoding_make_utf8(&wide, &length, &was));
            assert_int_equal(was, ENCODING_UTF16);
            read_form(&k, "utf-16", wide, length, notes);
            assert_string_equal(k.out, "[Event \"x\"]\n[GameType \"21\"]\n\n"
                                       "1. 11-15 {y} 1... 23-19 *\n");
            free(wide);
        }
}

/* (E1) of encoding.h */
static void test_encodings(void **state)
{
    static const struct {
        const char *bytes, *utf8;
        enum encoding was;
    } table[] = {
        {"plain", "plain", ENCODING_UTF8},
        {"\xC3\xA9t\xC3\xA9 \xF0\x9F\x98\x80", "\xC3\xA9t\xC3\xA9 \xF0\x9F\x98\x80", ENCODING_UTF8},
        {"\xE9t\xE9", "\xC3\xA9t\xC3\xA9", ENCODING_BYTES},
        {"\x93"
         "a\x94 \x80 \x81",
         "\xE2\x80\x9C"
         "a\xE2\x80\x9D \xE2\x82\xAC \xEF\xBF\xBD",
         ENCODING_BYTES},
        {"\xC3\xA9 \xE9", "\xC3\xA9 \xC3\xA9", ENCODING_BYTES},           /* mixed */
        {"\xC0\x80", "\xC3\x80\xE2\x82\xAC", ENCODING_BYTES},             /* overlong */
        {"\xED\xA0\x80", "\xC3\xAD\xC2\xA0\xE2\x82\xAC", ENCODING_BYTES}, /* half a pair */
        {"\xFF\xFE\x3D\xD8\x00\xDE", "\xF0\x9F\x98\x80", ENCODING_UTF16}, /* a pair */
        {"\xFF\xFE\x3D\xD8x", "\xEF\xBF\xBD", ENCODING_UTF16},            /* half of one */
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t length = i == 7 ? 6 : strlen(table[i].bytes);
        char *text = malloc(length + 1);
        enum encoding was;

        memcpy(text, table[i].bytes, length);
        assert_true(encoding_make_utf8(&text, &length, &was));
        assert_int_equal(was, table[i].was);
        assert_int_equal(encoding_of(text, length), ENCODING_UTF8);
        assert_int_equal(length, strlen(table[i].utf8));
        assert_memory_equal(text, table[i].utf8, length);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_utf16),
        cmocka_unit_test(test_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
