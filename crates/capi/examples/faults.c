// A log whose flush is answered and not done, a record that cannot be written, and a bit that is flipped on its way: what a
// program finds of them after a power cut.
#include <ftlab.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RECORD 4096

static uint64_t next_id = 0;

// Does a command, and gives its end.
static FtlabCompletion done(FtlabDevice *drive, uint32_t operation, uint64_t offset, uint64_t bytes, unsigned char byte) {
    unsigned char data[RECORD];
    memset(data, byte, sizeof data);
    FtlabCommand command = {.id = next_id++, .offset = offset, .bytes = bytes, .operation = operation};
    FtlabCompletion end = {.outcome = FTLAB_OUTCOME_GONE};
    uint64_t now_ns = ftlab_now_ns(drive);
    FtlabStatus status = operation == FTLAB_OPERATION_WRITE ? ftlab_submit_write(drive, &command, data, now_ns)
                                                            : ftlab_submit(drive, &command, now_ns);
    if (status != FTLAB_STATUS_OK)
        fprintf(stderr, "%s\n", ftlab_error(drive));
    ftlab_advance_to_completion(drive, UINT64_MAX);
    ftlab_completions(drive, &end, 1);
    return end;
}

// Appends a record to the log and flushes it; gives 1 if the drive answers for both.
static int append(FtlabDevice *drive, uint64_t n) {
    FtlabCompletion write = done(drive, FTLAB_OPERATION_WRITE, n * RECORD, RECORD, (unsigned char)(n + 1));
    FtlabCompletion flush = done(drive, FTLAB_OPERATION_FLUSH, 0, 0, 0);
    return write.outcome == FTLAB_OUTCOME_GOOD && flush.outcome == FTLAB_OUTCOME_GOOD;
}

int main(void) {
    FtlabBuilder *builder = ftlab_named("samsung-980-pro-1000");
    FtlabDevice *drive = NULL;
    ftlab_shrink_to(builder, UINT64_C(3) << 30);
    ftlab_keep_data(builder);
    ftlab_fault(builder, "drop-flush --after 2");
    ftlab_fault(builder, "error once --on write --after 1");
    if (ftlab_build(builder, &drive) != FTLAB_STATUS_OK) {
        fprintf(stderr, "%s\n", ftlab_builder_error(builder));
        return 1;
    }
    ftlab_fault(builder, "drop-flush --of all");
    FtlabDevice *none = NULL;
    if (ftlab_build(builder, &none) == FTLAB_STATUS_DRIVE && none == NULL)
        printf("%s\n", ftlab_builder_error(builder));
    ftlab_builder_free(builder);

    for (uint64_t n = 0; n < 3; n++)
        printf("record %" PRIu64 ": %s\n", n, append(drive, n) ? "answered" : "an error");
    uint32_t flip = 0;
    if (ftlab_begin_fault(drive, "flip --count 1", &flip) != FTLAB_STATUS_OK)
        return 1;
    FtlabCompletion read = done(drive, FTLAB_OPERATION_READ, 0, RECORD, 0);
    unsigned char received[RECORD], held[RECORD];
    if (ftlab_receive(drive, &read, 0, received, RECORD) != FTLAB_STATUS_OK || ftlab_read(drive, 0, held, RECORD) != FTLAB_STATUS_OK)
        return 1;
    int others = 0, at_flip = received[read.flip_offset] ^ held[read.flip_offset];
    for (int n = 0; n < RECORD; n++)
        others += received[n] != held[n];
    printf("fault %" PRIu32 ": %d byte is another one, by the bit it says: %d\n", flip, others, at_flip == 1 << read.flip_bit);

    FtlabRequestFault faults[4];
    size_t count = ftlab_faults(drive, faults, 4);
    for (size_t n = 0; n < count; n++)
        printf("fault %" PRIu32 ": %" PRIu64 " of %" PRIu64 "%s\n", faults[n].number, faults[n].hits, faults[n].concerned,
               faults[n].is_over ? ", over" : "");
    if (ftlab_end_faults(drive, 9) == FTLAB_STATUS_ARGUMENT)
        printf("%s\n", ftlab_error(drive));

    // Some cuts take the record whose flush was dropped, and none the one that was flushed.
    int lost[3] = {0, 0, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        FtlabDevice *fork = ftlab_clone(drive);
        ftlab_power_cut(fork, ftlab_now_ns(fork), seed, NULL);
        for (uint64_t n = 0; n < 3; n++) {
            ftlab_read(fork, n * RECORD, held, RECORD);
            lost[n] += held[0] != n + 1;
        }
        ftlab_free(fork);
    }
    printf("lost in cuts: %s, %s, %s\n", lost[0] ? "some" : "none", lost[1] == 20 ? "all" : "some", lost[2] ? "some" : "none");
    ftlab_end_faults(drive, 0);
    printf("%zu faults\n", ftlab_faults(drive, NULL, 0));
    ftlab_free(drive);
    return 0;
}
