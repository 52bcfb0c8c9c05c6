/* SPDX-License-Identifier: MIT
 *
 * pdn_writer.h -- write games in one canonical form of PDN.
 *
 * The writer turns the events of the reader (pdn.h) into text: the seven usual tags first, in
 * a fixed order and each once, then the others as found, GameType "21", and SetUp and FEN if
 * the game does not begin at the start position; then the moves, with numbers, in lines of
 * about 78 bytes; one empty line between games.  All of it is PDN 3.0, whatever the game was
 * read from.
 *
 *     struct pdn_writer w = pdn_writer_open(sink, context, MOVE_NUMBERS);
 *     pdn_next(&reader, pdn_writer_event, &w, &error);
 *
 * With `as_found` set, all tags of a game stay as they are, in the order in which they
 * were found; only GameType, SetUp and FEN are added where they are missing.
 *
 * (W1) The output reads back as the same games, and writing those gives the same bytes
 *      again.
 *
 * The sink belongs to the caller.  No allocation; a writer belongs to one thread. */
#ifndef KELSO_CORE_PDN_WRITER_H
#define KELSO_CORE_PDN_WRITER_H

#include "core/notation.h"
#include "core/pdn.h"

typedef void pdn_sink(void *context, const char *bytes, size_t length);

struct pdn_writer {
    pdn_sink *sink;
    void *context;
    enum move_style style;
    bool as_found;       /* tags; false after pdn_writer_open */
    bool begun;          /* a game has been written */
    int column;          /* bytes on the line so far */
    bool number_due;     /* a white move needs its number too, after a comment or variation */
    bool number_was_due; /* before the last variation opened */
    char opening[4];     /* ( and { that go before the next word */
};

struct pdn_writer pdn_writer_open(pdn_sink *sink, void *context, enum move_style style);

/* A pdn_visit: `writer` is a struct pdn_writer. */
void pdn_writer_event(void *writer, const struct pdn_event *event);

#endif
