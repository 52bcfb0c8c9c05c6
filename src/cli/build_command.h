/* SPDX-License-Identifier: MIT
 *
 * build_command.h -- `build`, by one process or by a team.
 *
 * kelso runs it alone.  In kelso-mpi every rank calls it with the same arguments: rank 0 parses
 * them first, writes the files and prints; the others help. */
#ifndef KELSO_CLI_BUILD_COMMAND_H
#define KELSO_CLI_BUILD_COMMAND_H

#include "base/team.h"

/* `local_ranks`: ranks on this machine, including this one; they divide its processors and its
 * memory. `watch`, if any, receives the flag that signals set (longjob.h).  Returns an exit status;
 * if any rank returns anything but EXIT_DONE, the whole team must end. */
int build_command(int argc, char **argv, struct team *team, int local_ranks,
                  void (*watch)(struct team *team, const _Atomic(bool) *stop));

#endif
