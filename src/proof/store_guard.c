/* SPDX-License-Identifier: MIT */
#include "proof/store_guard.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler gets no context of ours: the innermost guard of the thread. */
static _Thread_local struct store_guard *innermost;

void store_guard_arm(struct store_guard *g)
{
    g->outer = innermost;
    innermost = g;
}

void store_guard_leave(const struct store_guard *g)
{
    innermost = g->outer;
}

void store_guard_escape(void)
{
    struct store_guard *g = innermost;

    if (!g)
        return;
    innermost = g->outer;
    siglongjmp(g->back, 1);
}

/* (N1): without a guard the faulting instruction is repeated, and now ends the process. */
static void on_bus(int number)
{
    store_guard_escape();
    signal(number, SIG_DFL);
}

void store_guard_install(void)
{
    struct sigaction act = {.sa_handler = on_bus, .sa_flags = SA_NODEFER};

    sigemptyset(&act.sa_mask);
    sigaction(SIGBUS, &act, NULL);
}
