/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a message of the queue.  An odd first byte says that the seal is to be put right.
 * What is read is in range and is written back as it was. */
#include "fuzz.h"

#include "base/bytes.h"
#include "proof/wire.h"

#include <xxhash.h>

enum { LONGEST = 4096 };

static void must_be(size_t n, const uint8_t *again, const uint8_t *bytes, size_t size)
{
    MUST(n == size && memcmp(again, bytes, size) == 0);
}

static void read_as_each(const uint8_t *bytes, size_t n)
{
    static uint8_t again[WIRE_RESULT_MAX];
    struct wire_notice notice;
    struct wire_task task;
    struct wire_result result;
    struct wire_cancel cancel;
    struct wire_worker worker;
    struct error e = {0};

    if (!wire_get_notice(&notice, bytes, n, &e))
        must_be(wire_put_notice(again, &notice), again, bytes, n);
    if (!wire_get_task(&task, bytes, n, &e)) {
        MUST(board_valid(&task.task.board) && task.task.known.lower <= task.task.known.upper);
        must_be(wire_put_task(again, &task), again, bytes, n);
    }
    if (!wire_get_result(&result, bytes, n, &e)) {
        MUST(result.status || board_valid(&result.result.board));
        MUST(result.result.moves <= MOVES_MAX);
        must_be(wire_put_result(again, &result), again, bytes, n);
    }
    if (!wire_get_cancel(&cancel, bytes, n, &e))
        must_be(wire_put_cancel(again, &cancel), again, bytes, n);
    if (!wire_get_worker(&worker, bytes, n, &e))
        must_be(wire_put_worker(again, &worker), again, bytes, n);
    MUST(e.text[0] != 0); /* it cannot be all of them */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[LONGEST];

    if (size < 1 || size > LONGEST)
        return 0;
    memcpy(bytes, data + 1, --size);
    if (data[0] & 1 && size >= 20) {
        memcpy(bytes, "kq", 2);
        bytes[3] = WIRE_VERSION;
        bytes_put(bytes + size - 8, 8, XXH3_64bits(bytes, size - 8));
    }
    read_as_each(bytes, size);
    return 0;
}
