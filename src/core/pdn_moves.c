/* SPDX-License-Identifier: MIT */
#include "core/pdn_parse.h"

#include "core/movegen.h"
#include "core/notation.h"

#include <string.h>

enum { GROUP_MAX = 8192, NAG_STAR = 7 }; /* bytes looked at for a closing parenthesis */

static struct pdn_line *line_now(struct pdn_parse *p)
{
    return &p->line[p->depth];
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* ------------------------------------------------------------------ looking ahead -- */

static bool accept_dots(struct text *t)
{
    size_t at = t->at;

    while (text_accept(t, '.') || text_accept_word(t, "\xE2\x80\xA6"))
        ;
    return t->at > at;
}

/* "12." or "3..." before a move says nothing that we do not know. */
static bool accept_number(struct text *t)
{
    struct text ahead = *t;

    text_number(&ahead, 0);
    if (!accept_dots(&ahead))
        return false;
    t->at = ahead.at;
    return true;
}

/* A number that is neither a move nor a result, followed by a move of the same game. */
static bool accept_bare_number(struct text *t)
{
    struct text ahead = *t;
    struct move_words words;
    size_t after;

    if (text_number(&ahead, 999) > 999)
        return false;
    after = ahead.at;
    text_skip_spaces(&ahead);
    if (ahead.at == after || after == t->at || pdn_at_game(&ahead) ||
        !move_words_read(&ahead, &words, NULL))
        return false;
    t->at = after;
    return true;
}

static bool at_move(struct text t)
{
    struct move_words words;
    enum pdn_result result;

    return !pdn_accept_result(&t, &result) && move_words_read(&t, &words, NULL);
}

/* Behind a game: the end, or what begins another. */
static bool at_game_end(struct text t)
{
    struct pdn_parse look = {.text = &t, .mute = true};

    pdn_skip_blank(&look);
    return t.at == t.end || pdn_at_tag(&t) || pdn_at_fen(&t) || pdn_at_label(&t);
}

/* The parenthesis that closes a group whose inside begins at the cursor: the cursor goes
 * there.  False: there is none near, or a game begins before it. */
static bool find_close(struct text *t, bool *unclosed)
{
    struct text ahead = *t;
    struct pdn_slice dropped;
    bool nested;

    for (int depth = 1; ahead.at < ahead.end && ahead.at - t->at < GROUP_MAX;) {
        int c = text_peek(&ahead);

        if (c == '{' || c == ';') {
            if (!pdn_read_comment(&ahead, unclosed, &dropped, &nested))
                return false;
            continue;
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0) {
            t->at = ahead.at;
            return true;
        }
        if (pdn_at_tag(&ahead) || pdn_at_fen(&ahead) || pdn_at_label(&ahead))
            return false;
        ahead.at++;
    }
    return false;
}

/* The next move of the text, past what may stand before it. */
static bool next_words(struct text t, bool *unclosed, struct move_words *out)
{
    struct pdn_slice dropped;
    bool nested;

    for (;;) {
        text_skip_spaces(&t);
        switch (text_peek(&t)) {
        case '{':
        case ';':
            if (!pdn_read_comment(&t, unclosed, &dropped, &nested))
                return false;
            continue;
        case '(':
            t.at++;
            if (!find_close(&t, unclosed))
                return false;
            t.at++;
            continue;
        case '$':
        case '!':
        case '?':
        case ',':
            t.at++;
            text_number(&t, 0);
            continue;
        }
        if (!accept_number(&t) && !accept_bare_number(&t))
            return at_move(t) && move_words_read(&t, out, NULL);
    }
}

/* -------------------------------------------------------------------- annotations -- */

static void tell_nag(struct pdn_parse *p, size_t at, int nag)
{
    pdn_tell(p, (struct pdn_event){.kind = PDN_NAG, .at = at, .nag = nag});
}

/* The signs at the cursor, two by two: ! ? !! ?? !? ?! are 1 to 6. */
static void read_signs(struct pdn_parse *p, bool apart)
{
    static const int pairs[2][2] = {{3, 5}, {6, 4}};
    struct text *t = p->text;
    size_t at = t->at;
    bool moved = line_now(p)->moved;

    while (text_peek(t) == '!' || text_peek(t) == '?') {
        int first = text_peek(t) == '?', nag = 1 + first;

        t->at++;
        if (text_peek(t) == '!' || text_peek(t) == '?') {
            nag = pairs[first][text_peek(t) == '?'];
            t->at++;
        }
        if (moved)
            tell_nag(p, at, nag);
    }
    if (t->at > at && (apart || !moved || t->at - at > 2))
        pdn_note(p, PDN_NOTE_STRENGTH, at, t->at - at);
}

static bool read_nag(struct pdn_parse *p)
{
    size_t at = p->text->at++;
    int nag = text_number(p->text, PDN_NAG_MAX);
    bool good = line_now(p)->moved && nag >= 0 && nag <= PDN_NAG_MAX;

    if (!good || nag > 255)
        pdn_note(p, PDN_NOTE_NAG, at, p->text->at - at);
    if (good)
        tell_nag(p, at, nag);
    return true;
}

static void tell_comment(struct pdn_parse *p, size_t from, size_t to)
{
    pdn_tell(p, (struct pdn_event){
                    .kind = PDN_COMMENT, .at = from, .text = {p->text->bytes + from, to - from}});
}

/* Footnotes, [3], and clocks without their braces. */
static bool read_bracket(struct pdn_parse *p)
{
    struct text *t = p->text;
    struct text line = *t;
    const char *close;

    pdn_skip_line(&line);
    close = memchr(t->bytes + t->at, ']', line.at - t->at);
    if (!close)
        return text_expected(t, p->error, "a move or a result");
    pdn_note(p, PDN_NOTE_FOOTNOTE, t->at, (size_t)(close + 1 - t->bytes) - t->at);
    tell_comment(p, t->at, (size_t)(close + 1 - t->bytes));
    t->at = (size_t)(close + 1 - t->bytes);
    return true;
}

/* ------------------------------------------------------------------------ the end -- */

static void close_line(struct pdn_parse *p, size_t at)
{
    bool waiting = line_now(p)->waiting;

    p->depth--;
    if (waiting)
        pdn_note(p, PDN_NOTE_EMPTY_VARIATION, at, 1);
    else
        pdn_tell(p, (struct pdn_event){.kind = PDN_CLOSE, .at = at});
}

/* Comments after the result, on the same line, belong to the game. */
static bool read_trailing(struct pdn_parse *p)
{
    for (;;) {
        struct text ahead = *p->text;

        pdn_skip_gap(&ahead);
        if (text_peek(&ahead) != '{' && text_peek(&ahead) != ';')
            return true;
        p->text->at = ahead.at;
        if (!pdn_take_comment(p))
            return false;
    }
}

static bool has_early(struct pdn_parse *p, size_t *at)
{
    struct pdn_line *l = line_now(p);

    *at = l->early;
    return l->early_to && !l->moved;
}

static bool finish(struct pdn_parse *p, size_t at, enum pdn_result result)
{
    size_t early;

    p->mute = false;
    if (p->depth)
        pdn_note(p, PDN_NOTE_OPEN_VARIATION, p->line[1].open_at, 1);
    while (p->depth)
        close_line(p, at);
    if (has_early(p, &early))
        return text_fail(p->error, early, "expected a move before a variation");
    if (!read_trailing(p))
        return false;
    pdn_tell(p, (struct pdn_event){.kind = PDN_RESULT, .at = at, .result = result});
    p->done = true;
    return true;
}

/* A result in the text: of the game, or left over in a variation. */
static bool take_result(struct pdn_parse *p, size_t at, enum pdn_result result)
{
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "Result");
    size_t length = p->text->at - at;
    enum pdn_result tagged;

    if (p->depth && !at_game_end(*p->text)) {
        pdn_note(p, PDN_NOTE_VARIATION_RESULT, at, length);
        return true;
    }
    p->mute = false;
    if (!pdn_result_is_proper((struct pdn_slice){p->text->bytes + at, length}, result))
        pdn_note(p, PDN_NOTE_RESULT_FORM, at, length);
    if (tag && pdn_result_of(tag->value, &tagged) && tagged != result)
        pdn_note(p, PDN_NOTE_RESULT_DIFFERS, at, length);
    return finish(p, at, result);
}

/* The game ends without one: words may have said it, or the tag. */
static bool finish_without(struct pdn_parse *p)
{
    const struct pdn_tag *tag = pdn_tag_find(&p->game, "Result");
    enum pdn_result result = PDN_UNKNOWN;
    size_t at = p->text->at;

    if (p->words && !p->game.tags && !p->fen && !p->line[0].moved) {
        p->text->at = p->words_at;
        text_expected(p->text, p->error, "tags or moves");
        p->text->at = at;
        return false;
    }
    p->mute = false;
    pdn_note(p, PDN_NOTE_RESULT_MISSING, at, 0);
    if (p->said)
        result = p->by_word;
    else if (tag)
        (void)pdn_result_of(tag->value, &result);
    return finish(p, at, result);
}

/* Glued to a move it is the star of PDN 2.0, unless the game ends there; else a result. */
static bool read_star(struct pdn_parse *p)
{
    struct text *t = p->text;
    size_t at = t->at++;
    char last = at > p->game.at ? t->bytes[at - 1] : ' ';
    bool glued = is_digit(last) || last == '!' || last == '?' || last == ')';

    if (!glued || !line_now(p)->moved || at_game_end(*t))
        return take_result(p, at, PDN_UNKNOWN);
    pdn_note(p, PDN_NOTE_STAR, at, 1);
    tell_nag(p, at, NAG_STAR);
    return true;
}

/* --------------------------------------------------------------------- variations -- */

/* What cannot be read in a variation is kept as a comment, up to its end; the game goes on. */
static bool leave_variation(struct pdn_parse *p, size_t at)
{
    struct text *t = p->text;

    t->at = at;
    if (p->depth == 0 || !find_close(t, p->unclosed))
        return false;
    pdn_note(p, PDN_NOTE_BAD_VARIATION, at, t->at - at);
    tell_comment(p, at, t->at);
    return true;
}

/* Before the first move of a line: read it again after that move. */
static bool pass_early(struct pdn_parse *p, size_t at)
{
    struct pdn_line *l = line_now(p);

    p->text->at++;
    if (!find_close(p->text, p->unclosed))
        return text_fail(p->error, at, "expected ) to close this variation");
    p->text->at++;
    if (!l->early_to)
        l->early = at;
    l->early_to = p->text->at;
    p->mute = true;
    return true;
}

static bool open_variation(struct pdn_parse *p)
{
    struct pdn_line *l = line_now(p);
    size_t at = p->text->at;

    if (!l->moved)
        return pass_early(p, at);
    p->text->at++;
    if (p->depth == PDN_DEPTH_MAX)
        return text_fail(p->error, at, "variations are nested deeper than %d", PDN_DEPTH_MAX);
    p->line[++p->depth] =
        (struct pdn_line){.now = l->before, .ply = l->ply - 1, .waiting = true, .open_at = at};
    return true;
}

/* "(!)" is a sign, "(*)" the star; everything else in parentheses is a variation. */
static bool read_parenthesis(struct pdn_parse *p)
{
    struct text *t = p->text;
    struct text ahead = *t;

    ahead.at++;
    while (text_accept(&ahead, '!') || text_accept(&ahead, '?'))
        ;
    if (ahead.at > t->at + 1 && text_peek(&ahead) == ')') {
        t->at++;
        read_signs(p, false);
        t->at++;
        return true;
    }
    if (!text_accept_word(&ahead, "*)") || !line_now(p)->moved)
        return open_variation(p);
    pdn_note(p, PDN_NOTE_STAR, t->at, 3);
    tell_nag(p, t->at, NAG_STAR);
    t->at = ahead.at;
    return true;
}

static bool close_variation(struct pdn_parse *p)
{
    size_t at = p->text->at++, early;

    if (p->depth == 0) {
        pdn_note(p, PDN_NOTE_PARENTHESIS, at, 1);
        return true;
    }
    if (has_early(p, &early)) {
        p->mute = false;
        if (!leave_variation(p, early))
            return text_fail(p->error, early, "expected a move before a variation");
        line_now(p)->early_to = 0;
        return true;
    }
    close_line(p, at);
    return true;
}

/* Variations that stood before the first move are read when its signs have been. */
static void go_round(struct pdn_parse *p)
{
    struct pdn_line *l = line_now(p);
    struct text *t = p->text;

    if (l->back && t->at >= l->early_to) {
        t->at = l->back;
        l->back = l->early_to = 0;
        pdn_skip_blank(p);
    } else if (!l->back && l->early_to && l->moved && text_peek(t) != '$' && text_peek(t) != '!' &&
               text_peek(t) != '?') {
        l->back = t->at;
        t->at = l->early;
        pdn_note(p, PDN_NOTE_EARLY_VARIATION, l->early, 1);
    }
}

/* -------------------------------------------------------------------------- moves -- */

/* Are the words the beginning of the move's path, or all of it? */
static bool begins(const struct move_words *w, const struct move *m)
{
    if (w->count > m->jumps + 1)
        return false;
    for (int i = 0; i < w->count; i++)
        if (w->at[i] != move_square(m, i))
            return false;
    return true;
}

static const struct move *find_begun(const struct move_words *w, const struct move_list *legal,
                                     bool whole)
{
    for (int i = 0; i < legal->count; i++)
        if (begins(w, &legal->move[i]) && (!whole || w->count == legal->move[i].jumps + 1))
            return &legal->move[i];
    return NULL;
}

/* "26x17 17x10": a jump written hop by hop. */
static bool join_hops(struct pdn_parse *p, size_t at, struct move_words w,
                      const struct move_list *legal, struct move *out)
{
    struct text ahead = *p->text;
    struct move_words next;
    const struct move *found;

    while (!(found = find_begun(&w, legal, true))) {
        if (!find_begun(&w, legal, false))
            return false;
        text_skip_spaces(&ahead);
        if (accept_number(&ahead))
            text_skip_spaces(&ahead);
        if (!at_move(ahead) || !move_words_read(&ahead, &next, NULL) ||
            next.at[0] != w.at[w.count - 1] || w.count + next.count - 1 > MOVE_JUMPS_MAX + 1)
            return false;
        for (int i = 1; i < next.count; i++)
            w.at[w.count++] = next.at[i];
    }
    *out = *found;
    p->text->at = ahead.at;
    pdn_note(p, PDN_NOTE_SPLIT, at, ahead.at - at);
    return true;
}

static bool leads_to(const struct board *b, const struct move *m, const struct move_words *next)
{
    struct board after = board_after(b, m);
    struct move_list legal;

    moves_generate(&after, &legal);
    for (int i = 0; i < legal.count; i++)
        if (move_words_fit(next, &legal.move[i]))
            return true;
    return false;
}

/* Several captures fit: the one after which the next move of the text is legal. */
static bool decide(struct pdn_parse *p, size_t at, const struct move_words *w,
                   const struct move_list *legal, struct move *out)
{
    const struct move *found = NULL;
    struct move_words next;

    if (!next_words(*p->text, p->unclosed, &next))
        return false;
    for (int i = 0; i < legal->count; i++) {
        const struct move *m = &legal->move[i];

        if (!move_words_fit(w, m) || !leads_to(&line_now(p)->now, m, &next))
            continue;
        if (found && found->captured != m->captured)
            return false;
        found = found ? found : m;
    }
    if (!found)
        return false;
    *out = *found;
    pdn_note(p, PDN_NOTE_AMBIGUOUS, at, p->text->at - at);
    return true;
}

static void note_form(struct pdn_parse *p, size_t at, size_t length, unsigned form,
                      const struct move *m)
{
    if (form & (MOVE_FORM_ODD | MOVE_FORM_NONE))
        pdn_note(p, PDN_NOTE_SIGN, at, length);
    if (form & MOVE_FORM_GAP)
        pdn_note(p, PDN_NOTE_GAP, at, length);
    if ((form & MOVE_FORM_X) && !m->jumps)
        pdn_note(p, PDN_NOTE_QUIET_X, at, length);
    if ((form & MOVE_FORM_DASH) && m->jumps)
        pdn_note(p, PDN_NOTE_CAPTURE_DASH, at, length);
}

static void play_move(struct pdn_parse *p, size_t at, const struct move *m,
                      const struct move_list *legal)
{
    struct pdn_line *l = line_now(p);

    pdn_tell(p, (struct pdn_event){
                    .kind = PDN_MOVE, .at = at, .board = &l->now, .move = m, .legal = legal});
    l->before = l->now;
    l->now = board_after(&l->now, m);
    l->moved = true;
    l->ply++;
}

static bool read_move(struct pdn_parse *p)
{
    struct text *t = p->text;
    size_t at = t->at, length;
    struct move_words w;
    struct move_list legal;
    struct move m;

    p->mute = false; /* early variations have been passed */
    if (!move_words_read(t, &w, p->error))
        return leave_variation(p, at);
    length = t->at - at;
    moves_generate(&line_now(p)->now, &legal);
    if (!move_words_find(&w, &legal, &m) && !join_hops(p, at, w, &legal, &m) &&
        !decide(p, at, &w, &legal, &m))
        return leave_variation(p, at) || move_words_refuse(t, at, &w, &legal, p->error);
    note_form(p, at, length, w.form, &m);
    play_move(p, at, &m, &legal);
    read_signs(p, false);
    return true;
}

/* -------------------------------------------------------------------------- words -- */

static bool is_word_byte(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80 || c == '"' || c == '\'';
}

/* Where words end: a line does, or something that is not words comes. */
static bool words_end(struct text t)
{
    enum pdn_result result;
    struct text ahead = t;

    if (t.at == t.end || strchr("\n\r\f\v{}()[];$*", t.bytes[t.at]))
        return true;
    return pdn_accept_result(&ahead, &result) || accept_number(&ahead) || at_move(t);
}

/* Words at the start of a line, after a bare list of moves: "drawn by agreement".  They end it,
 * unless a move or its number follows; the rest is ignored. */
static bool end_listing(struct pdn_parse *p, size_t at, size_t end)
{
    struct text line = {p->text->bytes, at, end}, next = {p->text->bytes, end, p->text->end};

    if (p->game.tags || p->depth || !line_now(p)->moved || !pdn_at_line_start(&line))
        return false;
    text_skip_spaces(&next);
    if (words_end(next) && next.at < next.end && !strchr("[(){};$*", next.bytes[next.at]))
        return false;
    while (p->text->at < p->text->end && !pdn_at_game(p->text))
        p->text->at++;
    return true;
}

/* "Drawn", "Red resigns", or what an annotator said without braces. */
static bool read_words(struct pdn_parse *p)
{
    struct text *t = p->text;
    size_t at = t->at, end = at;
    enum pdn_result result;
    bool said;

    do {
        pdn_read_word(t);
        end = t->at;
        pdn_skip_gap(t);
    } while (t->at > end && !words_end(*t));
    t->at = end;
    if (!p->words) {
        p->words = true;
        p->words_at = at;
    }
    said = p->depth == 0 && line_now(p)->moved &&
           pdn_result_of((struct pdn_slice){t->bytes + at, end - at}, &result);
    if (said) {
        p->said = true;
        p->by_word = result;
    }
    pdn_note(p, PDN_NOTE_WORDS, at, end - at);
    tell_comment(p, at, end);
    return !end_listing(p, at, end) || finish_without(p);
}

/* Signs that part moves in some texts and say nothing. */
static bool accept_separator(struct pdn_parse *p)
{
    struct text *t = p->text;
    size_t at = t->at;

    if (accept_dots(t))
        return true;
    while (text_peek(t) > 0 && strchr(",|^+=~:/-_<>&", text_peek(t)))
        t->at++;
    if (t->at > at)
        pdn_note(p, PDN_NOTE_SEPARATOR, at, t->at - at);
    return t->at > at;
}

/* ----------------------------------------------------------------------- movetext -- */

/* What begins with a digit, a letter or anything else that is not a sign of its own. */
static bool read_text(struct pdn_parse *p)
{
    struct text *t = p->text;
    size_t at = t->at;
    enum pdn_result result;

    if (pdn_at_fen(t) || pdn_at_label(t))
        return finish_without(p);
    if (pdn_accept_result(t, &result))
        return take_result(p, at, result);
    if (accept_number(t))
        return true;
    if (at_move(*t))
        return read_move(p);
    if (accept_bare_number(t)) {
        pdn_note(p, PDN_NOTE_NUMBER, at, t->at - at);
        return true;
    }
    if (is_word_byte(text_peek(t)))
        return read_words(p);
    if (is_digit(text_peek(t)))
        return read_move(p); /* which says what is wrong */
    if (accept_separator(p))
        return true;
    return leave_variation(p, at) || text_expected(t, p->error, "a move or a result");
}

static bool read_item(struct pdn_parse *p)
{
    switch (text_peek(p->text)) {
    case -1:
        return finish_without(p);
    case '{':
    case ';':
        return pdn_take_comment(p);
    case '[':
        return pdn_at_tag(p->text) ? finish_without(p) : read_bracket(p);
    case '$':
        return read_nag(p);
    case '(':
        return read_parenthesis(p);
    case ')':
        return close_variation(p);
    case '!':
    case '?':
        read_signs(p, true);
        return true;
    case '*':
        return read_star(p);
    }
    return read_text(p);
}

bool pdn_read_moves(struct pdn_parse *p)
{
    while (!p->done) {
        pdn_skip_blank(p);
        go_round(p);
        if (!read_item(p))
            return false;
    }
    return true;
}
