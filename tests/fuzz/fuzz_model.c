/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the model of a table: reading ends inside the bytes, and a model that was read is
 * written and read back the same.  The input: the kind (1), the bytes. */
#include "fuzz.h"

#include "db/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct codec_model m, again; /* large; one thread */
    static uint8_t bytes[CODEC_MODEL_BYTES_MAX];
    enum codec_kind kind;
    size_t n;

    if (size < 1)
        return 0;
    kind = (enum codec_kind)(data[0] % (CODEC_COUNTED + 1));
    if (!codec_model_load(&m, kind, data + 1, size - 1) || !(data[0] & 128))
        return 0;
    n = codec_model_save(&m, bytes);
    MUST(n <= sizeof bytes && codec_model_load(&again, kind, bytes, n));
    MUST(memcmp(m.weight, again.weight, sizeof m.weight) == 0);
    return 0;
}
