// A load on a drive of ftlab, by the caller's clock: 20,000 writes of 4 KiB in order, 16 at a time, then reads of all of
// them. load.fio is the same load for ftlab run, which ends with the same hash.
#include <ftlab.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int outstanding = 0;

// Goes on to the next completions, and gives their instant.
static uint64_t wait_for_some(FtlabDevice *drive, uint64_t now_ns) {
    FtlabCompletion ended[64];
    size_t count;
    ftlab_advance_to_completion(drive, UINT64_MAX);
    while ((count = ftlab_completions(drive, ended, 64)) > 0) {
        outstanding -= (int)count;
        now_ns = ended[count - 1].at_ns;
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

    uint64_t now_ns = 0;
    for (uint64_t id = 0; id < 40000; id++) {
        if (id == 20000)
            while (outstanding > 0)
                now_ns = wait_for_some(drive, now_ns);
        FtlabCommand command = {
            .id = id,
            .offset = id % 20000 * 4096,
            .bytes = 4096,
            .operation = id < 20000 ? FTLAB_OPERATION_WRITE : FTLAB_OPERATION_READ,
        };
        if (ftlab_submit(drive, &command, now_ns) != FTLAB_STATUS_OK) {
            fprintf(stderr, "%s\n", ftlab_error(drive));
            return EXIT_FAILURE;
        }
        outstanding++;
        while (outstanding >= 16)
            now_ns = wait_for_some(drive, now_ns);
    }
    while (outstanding > 0)
        now_ns = wait_for_some(drive, now_ns);
    printf("%016" PRIx64 "\n", ftlab_counters(drive).completions_hash);
    ftlab_free(drive);
    return EXIT_SUCCESS;
}
