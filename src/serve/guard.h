/* SPDX-License-Identifier: MIT
 *
 * guard.h -- who may ask what.
 *
 * A browser sends the name that it looked up as Host, and the site that a script comes from
 * as Origin.  A name that is not ours means that somebody pointed his name at our address
 * to make a visitor's browser talk to us (DNS rebinding).  Addresses cannot be pointed
 * anywhere, so they need not be on a list.
 *
 * (G1) a Host is one of the names given, or an address: the one served, any address of this
 *      machine's own where that is served, any at all where all are; with or without a port.
 * (G2) an Origin is allowed if it is the Host with http:// or https:// before it.
 * (G3) without a token, the owner is whoever asks from this machine where nothing else can
 *      ask; with one, whoever has it.  Comparing takes the same time wherever two differ.
 *
 * Any thread. */
#ifndef KELSO_SERVE_GUARD_H
#define KELSO_SERVE_GUARD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

enum { GUARD_TOKEN_MIN = 16, GUARD_TOKEN_MAX = 256 };

struct guard {
    struct sockaddr_storage address; /* where we listen */
    const char *names;               /* "a.example,b.example", or NULL */
    const char *token;               /* NULL: none */
};

bool guard_host(const struct guard *g, const char *host);
bool guard_origin(const char *origin, const char *host);

/* `authorization` is the header, NULL if there is none. */
bool guard_owner(const struct guard *g, const char *authorization);

/* Read a token: the first line of a file, of GUARD_TOKEN_MIN visible characters at least.
 * NULL, or what is wrong with it. */
const char *guard_read_token(const char *path, char token[GUARD_TOKEN_MAX + 1]);

/* This machine's own? */
bool guard_is_loopback(const struct sockaddr *a);

/* The bytes that tell one client from another: 4 of an IPv4 address, the network's 8 of an
 * IPv6 address. */
const void *guard_client(const struct sockaddr *a, size_t *length);

#endif
