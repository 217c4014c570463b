// A load on a drive of ftlab, by the caller's clock: 20,000 writes of 4 KiB, 16 at a time, then reads of all of them.
#include <ftlab.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t hash = 0;
static int outstanding = 0;

static void mix(uint64_t word) {
    hash = ((hash << 5 | hash >> 59) ^ word) * UINT64_C(0x517cc1b727220a95);
}

// Goes on to the next completion, and gives its instant.
static uint64_t wait_for_one(FtlabDevice *drive, uint64_t now_ns) {
    FtlabCompletion ended[64];
    size_t count;
    ftlab_advance_to_completion(drive, UINT64_MAX);
    while ((count = ftlab_completions(drive, ended, 64)) > 0) {
        for (size_t n = 0; n < count; n++) {
            mix(ended[n].id);
            mix(ended[n].at_ns);
            now_ns = ended[n].at_ns;
            outstanding--;
        }
    }
    return now_ns;
}

int main(void) {
    FtlabBuilder *builder = ftlab_named("samsung-980-pro-1000");
    FtlabDevice *drive = NULL;
    ftlab_shrink_to(builder, UINT64_C(3) << 30);
    ftlab_state(builder, "filled");
    if (ftlab_build(builder, &drive) != FTLAB_STATUS_OK) {
        fprintf(stderr, "%s\n", ftlab_builder_error(builder));
        return EXIT_FAILURE;
    }
    ftlab_builder_free(builder);

    uint64_t places = ftlab_capacity_bytes(drive) / 4096, now_ns = 0;
    for (uint64_t id = 0; id < 40000; id++) {
        uint64_t place = (id % 20000) * UINT64_C(0x9e3779b97f4a7c15) % places;
        FtlabCommand command = {
            .id = id,
            .offset = place * 4096,
            .bytes = 4096,
            .operation = id < 20000 ? FTLAB_OPERATION_WRITE : FTLAB_OPERATION_READ,
        };
        if (ftlab_submit(drive, &command, now_ns) != FTLAB_STATUS_OK) {
            fprintf(stderr, "%s\n", ftlab_error(drive));
            return EXIT_FAILURE;
        }
        outstanding++;
        while (outstanding >= 16)
            now_ns = wait_for_one(drive, now_ns);
    }
    while (outstanding > 0)
        now_ns = wait_for_one(drive, now_ns);
    printf("completions %016" PRIx64 " operations %016" PRIx64 "\n", hash,
           ftlab_counters(drive).operations_hash);
    ftlab_free(drive);
    return EXIT_SUCCESS;
}
