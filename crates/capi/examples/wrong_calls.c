// Calls that are wrong: each gives a code, and a text that says what to do.
#include <ftlab.h>
#include <stdio.h>

int main(void) {
    FtlabDevice *drive = NULL;
    FtlabBuilder *unknown = ftlab_named("samsung-980-prp-1000");
    if (ftlab_build(unknown, &drive) == FTLAB_STATUS_DRIVE && drive == NULL)
        printf("%s\n", ftlab_builder_error(unknown));
    ftlab_builder_free(unknown);

    FtlabBuilder *builder = ftlab_named("generic-mlc-8");
    if (ftlab_set(builder, "nand.blocks_per_die=64") != FTLAB_STATUS_OK || ftlab_build(builder, &drive) != FTLAB_STATUS_OK)
        return 1;
    ftlab_builder_free(builder);
    FtlabCommand command = {.id = 1, .offset = 100, .bytes = 512, .operation = FTLAB_OPERATION_READ};
    if (ftlab_submit(drive, &command, 0) == FTLAB_STATUS_COMMAND)
        printf("%s\n", ftlab_error(drive));
    command.offset = 0;
    command.operation = 9;
    if (ftlab_submit(drive, &command, 0) == FTLAB_STATUS_ARGUMENT)
        printf("%s\n", ftlab_error(drive));
    unsigned char data[512];
    if (ftlab_read(drive, 0, data, sizeof data) == FTLAB_STATUS_NOT_KEPT)
        printf("%s\n", ftlab_error(drive));
    command.operation = FTLAB_OPERATION_READ;
    if (ftlab_submit(drive, &command, 1000) != FTLAB_STATUS_OK)
        return 1;
    command.id = 2;
    if (ftlab_submit(drive, &command, 10) == FTLAB_STATUS_PAST)
        printf("%s\n", ftlab_error(drive));
    if (ftlab_submit(NULL, &command, 0) == FTLAB_STATUS_ARGUMENT && ftlab_next_event(NULL) == UINT64_MAX)
        printf("null is refused\n");
    ftlab_free(drive);
    ftlab_free(NULL);
    return 0;
}
