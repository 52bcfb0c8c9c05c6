/* SPDX-License-Identifier: MIT
 *
 * guard.h -- access control: which requests are allowed.
 *
 * A browser sends the name that it looked up as Host, and the site that a script comes from as
 * Origin.  A foreign name means that somebody pointed a name of their own at our address, to
 * make a visitor's browser talk to us (DNS rebinding).  Numeric addresses cannot be abused that
 * way, so they need not be listed.
 *
 * (G1) A Host is one of the configured names, or an address: the address served, any loopback
 *      address if loopback is served, any address if all are served; with or without a port.
 * (G2) An Origin is allowed if it is the Host preceded by http:// or https://.
 * (G3) With a token, a client that has it is the owner.  Without one, a client is the owner if
 *      only this machine can connect.  Tokens are compared in constant time.
 *
 * The caller owns the strings.  Read-only after setup: safe on any thread. */
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

/* Read a token: the first line of a file, at least GUARD_TOKEN_MIN visible characters.  Returns
 * NULL, or what is wrong with it. */
const char *guard_read_token(const char *path, char token[GUARD_TOKEN_MAX + 1]);

/* Is this a loopback address? */
bool guard_is_loopback(const struct sockaddr *a);

/* The bytes that tell one client from another: 4 of an IPv4 address, the network's 8 of an
 * IPv6 address. */
const void *guard_client(const struct sockaddr *a, size_t *length);

#endif
