// What a drive says of its health, where the latency of a read went, and what comes of data that its flash has lost.
#include <ftlab.h>
#include <inttypes.h>
#include <stdio.h>

static FtlabDevice *built(const char *name) {
    FtlabBuilder *builder = ftlab_named(name);
    FtlabDevice *drive = NULL;
    ftlab_shrink_to(builder, UINT64_C(3) << 30);
    ftlab_state(builder, "filled");
    ftlab_split_latencies(builder);
    if (ftlab_build(builder, &drive) != FTLAB_STATUS_OK)
        fprintf(stderr, "%s\n", ftlab_builder_error(builder));
    ftlab_builder_free(builder);
    return drive;
}

// Reads a page, and says how that ended and where its time went.
static void read_page(FtlabDevice *drive, uint64_t id, uint64_t offset) {
    FtlabCommand command = {.id = id, .offset = offset, .bytes = 4096, .operation = FTLAB_OPERATION_READ};
    FtlabCompletion end;
    uint64_t now_ns = ftlab_now_ns(drive);
    if (ftlab_submit(drive, &command, now_ns) != FTLAB_STATUS_OK) {
        fprintf(stderr, "%s\n", ftlab_error(drive));
        return;
    }
    ftlab_advance_to_completion(drive, UINT64_MAX);
    if (ftlab_completions(drive, &end, 1) == 1)
        printf("outcome %" PRIu32 ", %" PRIu64 " ns: host %" PRIu64 ", controller %" PRIu64 ", link %" PRIu64
               ", flash %" PRIu64 "\n",
               end.outcome, end.at_ns - now_ns, end.host_ns, end.controller_ns, end.link_ns, end.flash_ns);
}

int main(void) {
    FtlabSmart rows[32];
    FtlabNvmeHealth health;
    FtlabDevice *old = built("intel-x25-m-g2-160"), *drive = built("samsung-980-pro-1000");
    if (old == NULL || drive == NULL)
        return 1;
    printf("%zu attributes, NVMe %d\n", ftlab_smart(old, rows, 32), ftlab_nvme_health(old, &health));
    printf("%zu attributes, NVMe %d\n", ftlab_smart(drive, rows, 32), ftlab_nvme_health(drive, &health));
    printf("%" PRIu8 " %% spare, %" PRIu64 " power cycle\n", health.available_spare, health.power_cycles);
    read_page(drive, 1, 8192);
    if (ftlab_inject(drive, FTLAB_FAULT_UNREADABLE, 8192) != FTLAB_STATUS_OK)
        return 1;
    read_page(drive, 2, 8192);
    if (ftlab_inject(drive, FTLAB_FAULT_DIE, 1 << 20) != FTLAB_STATUS_OK)
        printf("%s\n", ftlab_error(drive));
    ftlab_free(old);
    ftlab_free(drive);
    return 0;
}
