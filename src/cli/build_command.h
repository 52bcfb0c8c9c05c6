/* SPDX-License-Identifier: MIT
 *
 * build_command.h -- `build`, by one process or by a team.
 *
 * kelso runs it alone.  In kelso-mpi every rank calls it with the same words: rank 0 reads
 * them first, writes the files and speaks, the others help. */
#ifndef KELSO_CLI_BUILD_COMMAND_H
#define KELSO_CLI_BUILD_COMMAND_H

#include "base/team.h"

/* `beside`: ranks on this machine, this one among them; they divide its processors and its
 * memory.  `watch`, if any, is told the flag that signals set (longjob.h).  Returns an exit
 * status; a team that gets anything but EXIT_DONE from any rank must end. */
int build_command(int argc, char **argv, struct team *team, int beside,
                  void (*watch)(struct team *team, const _Atomic(bool) *stop));

#endif
