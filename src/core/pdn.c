/* SPDX-License-Identifier: MIT */
#include "core/pdn.h"

#include "core/pdn_parse.h"

#include <string.h>

static void skip_tag_lines(struct text *t)
{
    do {
        pdn_skip_line(t);
        text_skip_spaces(t);
    } while (text_peek(t) == '[');
}

static bool is_result(struct pdn_slice word)
{
    struct text t = {word.bytes, 0, word.length};
    enum pdn_result result;

    return pdn_slice_is(word, "*") || (pdn_accept_result(&t, &result) && t.at == t.end);
}

/* After an error: skip to where the next game begins, after a result or at a tag. */
static void skip_moves(struct text *t, bool *unclosed)
{
    struct pdn_slice dropped;
    bool nested;

    while (t->at < t->end && !pdn_at_game(t)) {
        size_t at = t->at;

        if ((text_peek(t) == ';' || text_peek(t) == '{') &&
            pdn_read_comment(t, unclosed, &dropped, &nested))
            continue;
        if (is_result(pdn_read_word(t)))
            return;
        if (t->at == at)
            t->at++;
    }
}

struct pdn_reader pdn_open(const char *bytes, size_t length)
{
    struct pdn_reader r = {.text = {bytes, 0, length}};

    text_accept_word(&r.text, "\xEF\xBB\xBF"); /* a byte order mark */
    return r;
}

/* Look at the tags first, without telling; then tell the game, and what stands between. */
static bool read_game(struct pdn_parse *p, const struct board *start)
{
    size_t from = p->text->at;

    p->mute = true;
    if (!pdn_read_header(p, false) || !pdn_read_meaning(p, start))
        return false;
    p->mute = false;
    p->line[0] = (struct pdn_line){.now = p->game.start};
    pdn_tell(p, (struct pdn_event){.kind = PDN_GAME, .at = p->game.at});
    p->text->at = from;
    return pdn_read_header(p, true) && pdn_read_meaning(p, start) && pdn_read_moves(p);
}

/* Is there a game at all, or only comments? */
static bool at_end(struct pdn_reader *r)
{
    struct pdn_parse look = {.text = &r->text, .mute = true};
    struct text from = r->text;

    for (;;) {
        struct pdn_slice dropped;
        bool nested;

        pdn_skip_blank(&look);
        if ((text_peek(&r->text) != '{' && text_peek(&r->text) != ';') ||
            !pdn_read_comment(&r->text, &r->unclosed, &dropped, &nested))
            break;
    }
    if (r->text.at == r->text.end)
        return true;
    r->text = from;
    return false;
}

enum pdn_status pdn_next(struct pdn_reader *r, pdn_visit *visit, void *context,
                         struct text_error *error)
{
    struct pdn_parse p = {.text = &r->text,
                          .error = error,
                          .visit = visit,
                          .context = context,
                          .unclosed = &r->unclosed};
    size_t from;

    text_skip_spaces(&r->text);
    if (at_end(r))
        return PDN_AT_END;
    from = p.game.at = r->text.at;
    if (read_game(&p, r->start))
        return PDN_GOOD;
    if (p.in_tags)
        skip_tag_lines(&r->text);
    else if (r->text.at == from || text_peek(&r->text) == '{')
        r->text.at += r->text.at < r->text.end;
    skip_moves(&r->text, &r->unclosed);
    return PDN_BAD;
}
